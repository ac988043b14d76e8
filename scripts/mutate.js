// npm run mutate [-- core… path…]: changes the pure cores in small ways and runs the tests beside them. Exit 1 where the tests of a core notice less than the goal.
import { runBundled } from './run-bundled.js'

await runBundled('test/mutation/run.ts', async ({ runMutation }) => {
  process.exitCode = await runMutation(process.argv.slice(2))
})
