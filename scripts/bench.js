// npm run bench: measures, and prints the table of docs/speed.md. `npm run bench -- --help` lists its flags.
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

await runBundled('test/bench/run.ts', async ({ bench }) => {
  const [bin, page] = [join(root, 'bin/callyard.js'), join(root, 'docs/speed.md')]
  process.exitCode = await bench({ argv: process.argv.slice(2), bin, page })
})
