import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { browserPage } from './scripts/browser-page.js'

export default defineConfig({
  // The starter files and the help topics are imported as text; the bundle does the same (scripts/build.js).
  plugins: [
    browserPage(),
    {
      name: 'import-as-text',
      enforce: 'pre',
      load: id =>
        /\.(yaml|csv|txt)$/.test(id)
          ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`
          : undefined,
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Much of the time they wait for processes and servers: of two cores both are worth using.
    maxWorkers: '100%',
    // The tests decide for themselves what their commands see.
    env: { CI: '', NO_COLOR: '', HTTPS_PROXY: '', HTTP_PROXY: '' },
  },
})
