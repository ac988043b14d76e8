import { expect, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { certificateHint } from '../../../src/lib/net/http.ts'
import { type HttpClient, send } from '../../../src/lib/net/http-client.ts'
import { apiHints } from '../../../src/service/api/api-hints.ts'
import { createAttempt } from '../../../src/service/api/attempt.ts'
import { createRedactor, type RawResponse } from '../../../src/service/api/index.ts'
import type { Transport } from '../../../src/service/api/transport.ts'

const apiKey = 'key-that-must-not-be-shown'
const url = new URL('https://api.example.com/calls')
const ok: RawResponse = { status: 200, headers: { server: 'x' }, body: '{"id":"1"}', bytes: new Uint8Array() }

interface Setting {
  readonly send?: Transport['send']
  readonly json?: string
}

/** Sends over a client whose connection fails. */
const failWith = (error: Error): Transport['send'] => {
  const controller = { aborted: false, paused: false, reason: null, abort() {}, pause() {}, resume() {} }
  const client: HttpClient = {
    dispatch: (_, handler) => handler.onResponseError?.(controller, error),
    close: async () => undefined,
  }
  return async request => {
    const result = await send(client, request, { timeoutMs: 10_000, maxBytes: 10, clock: systemClock })
    return 'reason' in result ? result : expect.fail()
  }
}

/** Makes one attempt on a clock that advances by 7 ms with each read. */
function attemptOf({ send = async () => ok, json }: Setting) {
  const lines: string[] = []
  let now = 1000
  const attempt = createAttempt(
    { send, close: async () => undefined },
    {
      connect: async () => ({ baseUrl: url.origin, apiKey }),
      timeoutMs: 10_000,
      clock: { now: () => (now += 7), sleep: async () => undefined },
      signal: new AbortController().signal,
      env: {},
      debug: line => lines.push(line),
    },
    { method: 'POST', url, redact: createRedactor(apiKey), apiKey, json },
  )
  return { attempt, lines }
}

test('debug lines show requests and responses without the key', async () => {
  const { attempt, lines } = attemptOf({ json: '{"a":1}' })
  expect(await attempt()).toEqual({ answer: ok })
  expect(lines).toEqual([
    '> POST https://api.example.com/calls',
    '> authorization: ****',
    '> accept: application/json',
    '> user-agent: callyard',
    '> content-type: application/json',
    '> {"a":1}',
    '< 200 (7 ms)',
    '< server: x',
    '< {"id":"1"}',
  ])
})

test('omits an empty body and truncates a long one', async () => {
  const tell = async (body: string) => {
    const { attempt, lines } = attemptOf({ send: async () => ({ ...ok, headers: {}, body }) })
    await attempt()
    expect(lines[3]).toBe('> user-agent: callyard')
    expect(lines[4]).toBe('< 200 (7 ms)')
    return lines.slice(lines.indexOf('< 200 (7 ms)') + 1)
  }
  expect(await tell('')).toEqual([])
  expect(await tell('x'.repeat(20_000))).toEqual([`< ${'x'.repeat(20_000)}`])
  expect(await tell('x'.repeat(20_003))).toEqual([`< ${'x'.repeat(20_000)}… (3 more characters)`])
})

const notTrusted = {
  hint: certificateHint,
  passing: false,
}
const noTls = {
  reason: 'the server does not speak TLS',
  hint: 'is it an http address?',
  passing: false,
}

interface Expected {
  readonly reason?: string
  readonly hint?: string | undefined
  readonly passing: boolean
}

const networkErrors: readonly (readonly [string | undefined, Expected])[] = [
  ['ECONNREFUSED', { hint: apiHints.checkService, passing: true }],
  ['ETIMEDOUT', { hint: apiHints.checkService, passing: true }],
  ['ENOTFOUND', { hint: apiHints.checkBaseUrl, passing: true }],
  ['EAI_AGAIN', { hint: 'check the network connection', passing: true }],
  ['EHOSTUNREACH', { hint: 'check the network connection', passing: true }],
  ['ENETUNREACH', { hint: 'check the network connection', passing: true }],
  ['ENETDOWN', { hint: 'check the network connection', passing: true }],
  ['ECONNRESET', { reason: 'the connection was reset', hint: undefined, passing: true }],
  ['HPE_INVALID_CONSTANT', { reason: 'the response is not HTTP', hint: undefined, passing: false }],
  ...[
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CRL_HAS_EXPIRED',
    'HOSTNAME_MISMATCH',
  ].map(code => [code, { ...notTrusted, reason: `the certificate is not trusted (${code})` }] as const),
  ['EPROTO', noTls],
  ['ERR_SSL_WRONG_VERSION_NUMBER', noTls],
  ['ERR_PROXY_TUNNEL', { reason: 'it broke', hint: undefined, passing: false }],
  ['NOT_AN_ERR_SSL', { reason: 'it broke (NOT_AN_ERR_SSL)', hint: undefined, passing: true }],
  ['NOT_UNABLE_TO_SAY', { reason: 'it broke (NOT_UNABLE_TO_SAY)', hint: undefined, passing: true }],
  ['NO_ERR_TLS', { reason: 'it broke (NO_ERR_TLS)', hint: undefined, passing: true }],
  ['NO_CRL_HERE', { reason: 'it broke (NO_CRL_HERE)', hint: undefined, passing: true }],
  ['A_HOSTNAME_MISMATCH', { reason: 'it broke (A_HOSTNAME_MISMATCH)', hint: undefined, passing: true }],
  [undefined, { reason: 'it broke', hint: undefined, passing: true }],
]

test.each(networkErrors)(
  'a request that failed with %s says why, what to do, and whether trying again can help',
  async (code, expected) => {
    const error = Object.assign(new Error('it broke'), code === undefined ? {} : { code })
    const { attempt, lines } = attemptOf({ send: failWith(error) })
    const result = await attempt()
    expect(result).toMatchObject({ hint: undefined, ...expected })
    expect(lines.at(-1)).toBe(`< ${'reason' in result ? result.reason : ''} (7 ms)`)
  },
)
