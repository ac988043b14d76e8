// npm run bench: prints what the README says of speed.
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

await runBundled('test/bench/run.ts', ({ bench }) => bench(join(root, 'bin/callwright.js')))
