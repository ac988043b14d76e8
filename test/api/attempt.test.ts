import { getEventListeners, once } from 'node:events'
import { expect, test } from 'vitest'
import type { ApiOptions, RawAnswer } from '../../src/api/api.ts'
import { createAttempt } from '../../src/api/attempt.ts'
import { createRedactor } from '../../src/api/redact.ts'
import type { Transport } from '../../src/api/transport.ts'

const apiKey = 'key-that-must-not-be-shown'
const url = new URL('https://api.example.com/calls')
const ok: RawAnswer = { status: 200, headers: { server: 'x' }, body: '{"id":"1"}' }

interface Setting {
  readonly exchange?: Transport['exchange']
  readonly json?: string
  readonly options?: Partial<ApiOptions>
  readonly isQuiet?: boolean
}

/** One attempt on a clock that goes on by 7 ms with each look. */
function attemptOf({ exchange = async () => ok, json, options, isQuiet = false }: Setting) {
  const lines: string[] = []
  let now = 1000
  const attempt = createAttempt(
    { exchange, close: async () => undefined },
    {
      options: {
        connect: async () => ({ baseUrl: url.origin, apiKey }),
        timeoutMs: 10_000,
        clock: { now: () => (now += 7), sleep: async () => undefined },
        signal: new AbortController().signal,
        env: {},
        ...(isQuiet ? {} : { debug: line => lines.push(line) }),
        ...options,
      },
      subject: { method: 'POST', url, effect: '' },
      redact: createRedactor(apiKey),
      apiKey,
      json,
    },
  )
  return { attempt, lines }
}

/** Does not answer before the request is ended. */
const silent: Transport['exchange'] = async ({ signal, onSending }) => {
  onSending()
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

test('a request says what it takes, who asks, and of what type its body is', async () => {
  const sent: unknown[] = []
  const exchange: Transport['exchange'] = async ({ headers, body }) => {
    sent.push({ headers, body: body?.toString() })
    return ok
  }
  await attemptOf({ exchange, json: '{"a":1}' }).attempt()
  await attemptOf({ exchange }).attempt()
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'user-agent': 'callwright',
  }
  expect(sent).toStrictEqual([
    { headers: { ...headers, 'content-type': 'application/json' }, body: '{"a":1}' },
    { headers, body: undefined },
  ])
})

test('the debug lines show what is sent and answered, without the key', async () => {
  const { attempt, lines } = attemptOf({ json: '{"a":1}' })
  expect(await attempt()).toEqual({ answer: ok })
  expect(lines).toEqual([
    '> POST https://api.example.com/calls',
    '> authorization: ****',
    '> accept: application/json',
    '> user-agent: callwright',
    '> content-type: application/json',
    '> {"a":1}',
    '< 200 (7 ms)',
    '< server: x',
    '< {"id":"1"}',
  ])
})

test('a body of nothing is no line, a long one is cut', async () => {
  const tell = async (body: string) => {
    const { attempt, lines } = attemptOf({ exchange: async () => ({ ...ok, headers: {}, body }) })
    await attempt()
    return lines.slice(lines.indexOf('< 200 (7 ms)') + 1)
  }
  expect(await tell('')).toEqual([])
  expect(await tell('x'.repeat(20_000))).toEqual([`< ${'x'.repeat(20_000)}`])
  expect(await tell('x'.repeat(20_003))).toEqual([`< ${'x'.repeat(20_000)}… (3 more characters)`])
})

test('a request works without debug lines', async () => {
  expect(await attemptOf({ isQuiet: true, json: '{}' }).attempt()).toEqual({ answer: ok })
  const silence = attemptOf({ isQuiet: true, exchange: silent, options: { timeoutMs: 1 } })
  expect(await silence.attempt()).toMatchObject({ passing: true })
})

test('without an answer in time it says so, and how to allow more', async () => {
  const { attempt, lines } = attemptOf({ exchange: silent, options: { timeoutMs: 100 } })
  expect(await attempt()).toMatchObject({
    reason: 'no answer within 0.1 s',
    hint: 'allow-more-time',
    passing: true,
    sent: true,
  })
  expect(lines.at(-1)).toBe('< no answer within 0.1 s (7 ms)')
})

test('Ctrl-C ends it, unless it is one of a batch, and is listened for no longer', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const waiting = attemptOf({ exchange: silent, options: { signal } }).attempt()
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  controller.abort()
  expect(await waiting).toMatchObject({ sent: true })
  expect(getEventListeners(signal, 'abort')).toEqual([])

  const other = new AbortController()
  const exchange: Transport['exchange'] = async request => {
    other.abort()
    request.signal.throwIfAborted()
    return ok
  }
  const batch = attemptOf({ exchange, options: { signal: other.signal, batch: true } })
  expect(await batch.attempt()).toEqual({ answer: ok })
})
