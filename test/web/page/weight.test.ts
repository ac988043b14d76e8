import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import batch from '../../../src/web/page/batch/main.ts?browser'
import tail from '../../../src/web/page/main.ts?browser'
import sandbox from '../../../src/web/page/sandbox/main.ts?browser'

test.each(Object.entries({ tail, sandbox, batch }))(
  'the script of the page of a %s is small',
  (_, script) => {
    expect(gzipSync(script).length).toBeLessThan(60_000)
  },
)
