// Bundles a TypeScript program of test/ or scripts/ and imports it: Node 20 does not read TypeScript.
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { browserPage } from './browser-page.js'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Hands the exports of a program, a path from the root, to `use`, and removes the bundle afterwards. */
export async function runBundled(program, use) {
  // Below the root, so that a library with native code is found in node_modules.
  const folder = await mkdtemp(join(root, '.bundled-'))
  try {
    const build = await rolldown({
      input: join(root, program),
      platform: 'node',
      external: ['@lydell/node-pty', 'playwright-core', '@stryker-mutator/core'],
      plugins: [browserPage()],
      moduleTypes: { '.yaml': 'text', '.csv': 'text', '.txt': 'text' },
      // In one file: what is imported late is there already.
      onwarn(warning, warn) {
        if (warning.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') warn(warning)
      },
    })
    await build.write({ dir: folder, format: 'esm', entryFileNames: 'run.mjs' })
    await build.close()
    await use(await import(pathToFileURL(join(folder, 'run.mjs')).href))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
