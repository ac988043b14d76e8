import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import tail from '../../../src/watch/page/main.ts?browser'
import sandbox from '../../../src/watch/page/sandbox/main.ts?browser'

test.each(Object.entries({ tail, sandbox }))('the script of the page of a %s is small', (_, script) => {
  expect(gzipSync(script).length).toBeLessThan(60_000)
})
