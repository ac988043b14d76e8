import { expect, onTestFinished, test } from 'vitest'
import { followCall } from '../../../src/calls/outcomes/index.ts'
import { receiveOverHttp } from '../../../src/events/receive/index.ts'
import { realClock } from '../../helpers/real-clock.ts'

test('a call that is left before its first event continues', async () => {
  const source = receiveOverHttp({ host: '127.0.0.1', port: 0, path: '/call', clock: realClock })
  const call = await followCall({ source, clock: realClock, signal: AbortSignal.abort() })
  onTestFinished(() => call.close())
  const kinds: string[] = []
  for await (const { kind } of call.events) kinds.push(kind)
  expect(kinds).toEqual(['summary'])
  expect(call.end()).toEqual({ kind: 'left' })
})
