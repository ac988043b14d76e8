import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import batch from '../../../src/watch/page/batch/main.ts?browser'
import tail from '../../../src/watch/page/main.ts?browser'
import sandbox from '../../../src/watch/page/sandbox/main.ts?browser'

test.each(Object.entries({ tail, sandbox, batch }))(
  'the script of the page of a %s is small',
  (_, script) => {
    expect(gzipSync(script).length).toBeLessThan(60_000)
  },
)
