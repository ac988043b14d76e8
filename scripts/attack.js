// npm run attack [-- name…]: the attacks that take minutes. Prints what was lost, doubled and late; exit 1 if anything was.
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

await runBundled('test/attack/run.ts', async ({ runAttacks }) => {
  process.exitCode = await runAttacks(process.argv.slice(2), join(root, 'bin/callwright.js'))
})
