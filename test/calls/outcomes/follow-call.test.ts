import { expect, onTestFinished, test } from 'vitest'
import { followCall } from '../../../src/calls/outcomes/index.ts'
import { openHttpTail } from '../../helpers/http-tail.ts'
import { realClock } from '../../helpers/real-clock.ts'

test('a call that is left before its first event continues', async () => {
  const tail = await openHttpTail({ host: '127.0.0.1', port: 0, path: '/call', clock: realClock })
  onTestFinished(() => tail.close())
  const call = followCall(tail, { clock: realClock, signal: AbortSignal.abort() })
  const kinds: string[] = []
  for await (const { kind } of call.events) kinds.push(kind)
  expect(kinds).toEqual(['summary'])
  expect(call.end()).toEqual({ kind: 'left' })
})
