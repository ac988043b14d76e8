import { expect, onTestFinished, test, vi } from 'vitest'
import { runCall } from '../../../src/sandbox/call/call-runner.ts'
import { createSandboxClock } from '../../../src/sandbox/clock/sandbox-clock.ts'
import type { HistoryItem } from '../../../src/sandbox/engine/reply.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { callTo, paths, startTestSandbox } from '../../helpers/test-sandbox.ts'
import { webhookSink } from '../../helpers/webhook-sink.ts'
import { plainPlan, say } from '../engine/call-plans.ts'

const { calls: startCall } = paths

const lines = (count: number) => Array.from({ length: count }, (_, index) => `L${index}`)

test('of a call with webhooks serializes each message once, though each webhook contains all of them', async () => {
  const sink = await webhookSink()
  onTestFinished(sink.close)
  const sandbox = await startTestSandbox()
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const writtenFor = async (count: number) => {
    stringify.mockClear()
    const { body } = await sandbox.send('POST', startCall, callTo(sink.url, lines(count)))
    await sandbox.idle()
    const received = sink.of(String(body.sid)).flatMap(({ messages }) => (messages ? [messages] : []))
    expect(received.map(messages => messages.length)).toEqual(
      Array.from({ length: 2 * count + 1 }, (_, index) => index + 1),
    )
    expect(received.at(-1)?.slice(0, received.at(-2)?.length)).toEqual(received.at(-2))
    return stringify.mock.results.reduce((sum, { value }) => sum + String(value).length, 0)
  }
  const [short, long] = [await writtenFor(50), await writtenFor(200)]
  expect(long).toBeLessThan(5 * short)
})

test('passes the same list of messages and actions to a responder without copying the call', async () => {
  const time = createSandboxClock({ clock: realClock, latest: undefined, pace: 0, frozen: false })
  onTestFinished(() => time.close())
  const histories = new Set<readonly HistoryItem[]>()
  const ends: (readonly HistoryItem[])[] = []
  const call = runCall(
    { ...plainPlan, script: ['one', 'two', 'three'].map(say) },
    {
      time,
      placedAt: time.now(),
      async respond({ history, unanswered }, emit) {
        histories.add(history)
        ends.push(history.slice(-3))
        for (const name of ['book', 'pay']) {
          const result = { id: `${unanswered[0]}-${name}`, name, arguments: {}, content: '{}' }
          emit({ kind: 'tool-ended', result })
        }
        emit({ kind: 'message', text: `re: ${unanswered[0]}` })
      },
      statusChanged() {},
      conversationGrew() {},
      onEvent() {},
      warned() {},
      stepped() {},
      failed() {},
      over() {},
      async ended() {},
      onBreak(error) {
        throw error
      },
    },
  )
  await call.ended
  expect(histories.size).toBe(1)
  const said = (role: 'user' | 'assistant', text: string) => ({ type: 'said', role, text })
  const used = (id: string, name: string) => ({
    type: 'tool',
    id: `${id}-${name}`,
    name,
    arguments: {},
    content: '{}',
  })
  expect(ends).toEqual([
    [said('assistant', 'Welcome.'), said('user', 'one')],
    [used('one', 'pay'), said('assistant', 're: one'), said('user', 'two')],
    [used('two', 'pay'), said('assistant', 're: two'), said('user', 'three')],
  ])
  expect([...histories][0]?.slice(0, 6)).toEqual([
    said('assistant', 'Welcome.'),
    said('user', 'one'),
    used('one', 'book'),
    used('one', 'pay'),
    said('assistant', 're: one'),
    said('user', 'two'),
  ])
})
