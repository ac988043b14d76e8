// Bundles test/bench/run.ts and runs it: Node 20 does not read TypeScript.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = await mkdtemp(join(tmpdir(), 'callwright-bench-'))
try {
  const build = await rolldown({
    input: join(root, 'test/bench/run.ts'),
    platform: 'node',
    moduleTypes: { '.yaml': 'text' },
  })
  await build.write({ dir: folder, format: 'esm', entryFileNames: 'run.mjs' })
  await build.close()
  const { bench } = await import(pathToFileURL(join(folder, 'run.mjs')).href)
  await bench(join(root, 'bin/callwright.js'))
} finally {
  await rm(folder, { recursive: true, force: true })
}
