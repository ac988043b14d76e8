// npm run cluster: three brokers and three relays on this machine, to try docs/team.md with. Ctrl-C ends them.
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

await runBundled('scripts/cluster.ts', async ({ runCluster }) => {
  process.exitCode = await runCluster(join(root, 'bin/callyard.js'))
})
