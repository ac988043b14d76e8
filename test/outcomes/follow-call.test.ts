import { expect, onTestFinished, test } from 'vitest'
import { followCall } from '../../src/outcomes/index.ts'
import { openHttpTail } from '../helpers/http-tail.ts'
import { realClock } from '../helpers/real-clock.ts'

async function follow(options: { eventTimeout?: number; signal?: AbortSignal } = {}) {
  const tail = await openHttpTail({ host: '127.0.0.1', port: 0, path: '/call', clock: realClock })
  onTestFinished(() => tail.close())
  const call = followCall(tail, { clock: realClock, signal: new AbortController().signal, ...options })
  const post = async (message: Record<string, unknown>) => {
    const response = await fetch(tail.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message }),
    })
    expect(response.status).toBe(200)
    // The tail closes once its responses have been read.
    await response.text()
  }
  /** Posts the messages in their order while the events are read. */
  const read = async (messages: Record<string, unknown>[], onEvent: (kind: string) => void = () => {}) => {
    const kinds: string[] = []
    const reading = (async () => {
      for await (const event of call.events) {
        kinds.push(event.kind)
        onEvent(event.kind)
      }
    })()
    for (const message of messages) await post(message)
    await reading
    return kinds
  }
  return { call, read }
}

const status = (word: string, phoneCallStatus?: string) => ({
  type: 'status-update',
  call: { id: 'c1', status: word, phoneCallStatus },
})

test('ends a call’s events with it, and it was answered if there were messages', async () => {
  const { call, read } = await follow()
  const kinds = await read([
    status('queued'),
    {
      type: 'conversation-update',
      call: { id: 'c1' },
      messages: [{ messageId: 'm1', role: 'user', text: 'Hello', timestamp: '2026-03-01T10:00:00Z' }],
    },
    status('finished'),
  ])
  expect(kinds).toEqual(['status', 'message', 'status', 'ended', 'summary'])
  expect(call.end()).toMatchObject({ kind: 'answered', last: { status: 'finished' } })
})

test.each([
  ['busy', 'busy'],
  ['gone fishing', undefined],
])('a call that ends without messages and with %s was not answered: %s', async (phoneCallStatus, reason) => {
  const { call, read } = await follow()
  expect(await read([status('finished', phoneCallStatus)])).not.toContain('message')
  expect(call.end()).toMatchObject({
    kind: 'unanswered',
    reason,
    last: { status: 'finished', phoneCallStatus },
  })
})

test('without an event in time the events end', async () => {
  const { call, read } = await follow({ eventTimeout: 1 })
  expect(await read([])).toEqual(['summary'])
  expect(call.end()).toEqual({ kind: 'no-events', timeoutMs: 1 })
})

test('an abort leaves the call running', async () => {
  const leaving = new AbortController()
  const { call, read } = await follow({ signal: leaving.signal })
  await read([status('ongoing')], kind => kind === 'status' && leaving.abort())
  expect(call.end()).toEqual({ kind: 'left' })
})

test('an abort before the first event leaves it, too', async () => {
  const { call, read } = await follow({ signal: AbortSignal.abort() })
  expect(await read([])).toEqual(['summary'])
  expect(call.end()).toEqual({ kind: 'left' })
})
