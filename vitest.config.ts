import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { browserPage } from './scripts/browser-page.js'

/** Tests that start programs: they need the build, and a system with these programs. */
const processTests = ['attack', 'bench', 'docs', 'e2e', 'library', 'mutation'].map(
  folder => `test/${folder}/**/*.test.ts`,
)

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
    projects: [
      {
        extends: true,
        test: {
          name: 'in-process',
          include: ['test/**/*.test.ts'],
          exclude: processTests,
        },
      },
      { extends: true, test: { name: 'processes', include: processTests } },
    ],
    // The files of a worker share its modules and its browser: loading the source for each took a third of the time.
    isolate: false,
    // The heap of a worker holds all of the source: with V8's default of 16 MB, its young generation is collected for a tenth of the time.
    execArgv: ['--max-semi-space-size=64'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Half of the time they wait for processes and servers.
    maxWorkers: availableParallelism() * 2,
    // The tests decide for themselves what their commands see.
    env: { CI: '', NO_COLOR: '', HTTPS_PROXY: '', HTTP_PROXY: '' },
  },
})
