// npm run attack [-- name…]: attacks that take minutes. Prints lost, repeated and late work, and exits with 1 if there is any.
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

await runBundled('test/attack/run.ts', async ({ runAttacks }) => {
  process.exitCode = await runAttacks(process.argv.slice(2), join(root, 'bin/callyard.js'))
})
// After Ctrl-C, an attack waits for processes that have been ended.
if (process.exitCode === 130) process.exit()
