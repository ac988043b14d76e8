// npm run bench: prints what docs/speed.md says.
import { join } from 'node:path'
import { root, runBundled } from './run-bundled.js'

await runBundled('test/bench/run.ts', ({ bench }) => bench(join(root, 'bin/callwright.js')))
