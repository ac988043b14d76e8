import { describe, expect, test } from 'vitest'
import { apiHints } from '../../../src/service/api/api-hints.ts'
import { type Attempts, createFailures, isNotFound, isUnsafe } from '../../../src/service/api/failures.ts'
import { createRedactor } from '../../../src/service/api/index.ts'

const apiKey = 'key-that-must-not-be-shown'
const redact = createRedactor(apiKey)
const url = new URL('https://api.example.com/calls?secret=1')
const subject = { method: 'POST', url, effect: 'the call may have been placed' }
const once: Attempts = { attemptCount: 1, repeatable: false }

interface Answered {
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly attempts?: Attempts
  readonly method?: string
}

function failureOf(
  status: number,
  { headers = {}, body = '', attempts = once, method = 'POST' }: Answered = {},
) {
  return createFailures({ ...subject, method }, redact).answer({ status, headers, body }, attempts)
}

const retry = { headers: { 'retry-after': '30' } }

describe('a response', () => {
  test.each([
    [199, 'unreachable', 'unknown'],
    [300, 'refused', 'refused'],
    [399, 'refused', 'refused'],
    [400, 'refused', 'refused'],
    [401, 'unauthorized', 'refused'],
    [403, 'unauthorized', 'refused'],
    [408, 'unreachable', 'unknown'],
    [425, 'refused', 'refused'],
    [429, 'refused', 'refused'],
    [499, 'unreachable', 'unknown'],
    [500, 'unreachable', 'unknown'],
    [503, 'unreachable', 'unknown'],
  ])('of %d is %s with outcome %s', (status, kind, outcome) => {
    expect(failureOf(status)).toMatchObject({ kind, details: { status, outcome } })
  })

  test.each([401, 302, 400, 429])('of %d does not change an earlier attempt', status => {
    const failure = failureOf(status, { attempts: { ...once, uncertain: true } })
    expect(failure.details.outcome).toBe('unknown')
  })

  test.each([
    [503, retry, 'refused', 'the service asks to wait 30 s; try again then'],
    [503, {}, 'unknown', apiHints.checkOutcome],
    [500, retry, 'unknown', apiHints.checkOutcome],
    [500, { method: 'GET' }, 'unknown', undefined],
    [500, { method: 'PUT', attempts: { attemptCount: 2, repeatable: true } }, 'unknown', undefined],
    [429, retry, 'refused', 'the service asks to wait 30 s; try again then'],
    [429, {}, 'refused', 'try again later'],
    [429, { headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' } }, 'refused', 'try again later'],
  ])('of %d with %j is %s with the time to retry', (status, answered, outcome, hint) => {
    expect(failureOf(status, answered)).toMatchObject({ hint, details: { outcome } })
  })

  test.each([
    [400, {}, 'the service rejected POST https://api.example.com/calls (400)'],
    [
      500,
      {},
      'POST https://api.example.com/calls: outcome unknown (the service responded 500); the call may have been placed; not retried',
    ],
    [500, { method: 'GET' }, 'the service failed on GET https://api.example.com/calls (500)'],
    [503, retry, 'the service failed on POST https://api.example.com/calls (503)'],
    [
      503,
      { ...retry, attempts: { attemptCount: 3, repeatable: false } },
      'the service failed on POST https://api.example.com/calls (503); gave up after 3 attempts',
    ],
    [
      500,
      { method: 'PUT', attempts: { attemptCount: 2, repeatable: true } },
      'PUT https://api.example.com/calls: outcome unknown (the service responded 500); the call may have been placed; gave up after 2 attempts',
    ],
  ])('of %d to %j: %s', (status, answered, message) => {
    expect(failureOf(status, answered).message).toBe(message)
  })

  test.each(['x-request-id', 'request-id', 'x-correlation-id', 'x-amzn-requestid', 'x-trace-id', 'cf-ray'])(
    'is reported with the id that the service gave it in %s',
    name => {
      const failure = failureOf(400, { headers: { [name]: 'abc' } })
      expect(failure.details).toStrictEqual({ status: 400, requestId: 'abc', body: '', outcome: 'refused' })
      expect(failure.message).toMatch(/ \(request abc\)$/)
    },
  )

  test('is reported with the service’s message and with the body', () => {
    const body = '{"error":"no such number","password":"of-the-test"}'
    const failure = failureOf(400, { body })
    const details = { status: 400, serviceMessage: 'no such number', outcome: 'refused' }
    expect(failure.details).toStrictEqual({
      ...details,
      body: '{"error":"no such number","password":"****"}',
    })
    expect(failure.message).toContain('(400): no such number')
    const page = { body: '<title>No</title>', headers: { 'content-type': 'application/json' } }
    expect(failureOf(400, page).details.serviceMessage).toBe('<title>No</title>')
  })

  test('that repeats the key is shown without it', () => {
    const failure = failureOf(302, {
      headers: { location: `https://api.example.com/${apiKey}`, 'content-type': 'text/plain' },
      body: `bad ${apiKey}`,
    })
    expect(JSON.stringify([failure.message, failure.details])).not.toContain(apiKey)
    expect(failure.details).toMatchObject({
      serviceMessage: 'bad ****',
      location: 'https://api.example.com/****',
    })
  })

  test('that rejects the key suggests where to look', () => {
    const failure = failureOf(401)
    expect(failure.hint).toBe(apiHints.checkApiKey)
    expect(failure.details).toStrictEqual({ status: 401, body: '', outcome: 'refused' })
  })
})

test.each([
  ['https://api.example.com/other?token=1', 'https://api.example.com/other'],
  ['/other', 'https://api.example.com/other'],
  ['https://elsewhere.example.com/other', 'https://elsewhere.example.com'],
  ['http://[', 'nowhere'],
  [undefined, 'nowhere'],
])('a redirection to %s is reported as one to %s', (location, target) => {
  const failure = failureOf(302, location === undefined ? {} : { headers: { location } })
  expect(failure).toMatchObject({
    message: expect.stringContaining(`redirected (302) to ${target};`),
    hint: expect.stringContaining('base URL'),
  })
  expect(failure.details).toStrictEqual({ status: 302, body: '', location: target, outcome: 'refused' })
})

test('does not follow 304', () => {
  const failure = failureOf(304)
  expect(failure).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('304 Not Modified'),
    hint: 'check for a cache or proxy between callyard and the service',
    details: { status: 304 },
  })
  expect(failure.message).not.toContain('redirect')
})

test('a response that cannot be used leaves open what happened, and is shown', () => {
  const page = { status: 200, body: `<html>\n  ${apiKey} ${'x'.repeat(600)}</html>` }
  const failure = createFailures(subject, redact).unreadable('no JSON', page)
  const excerpt = `<html> **** ${'x'.repeat(488)}…`
  expect(failure).toMatchObject({
    kind: 'unreachable',
    message: `POST https://api.example.com/calls returned no JSON (200); the call may have been placed; not retried: ${excerpt}`,
    hint: apiHints.checkBaseUrl,
  })
  expect(failure.details).toStrictEqual({ status: 200, body: excerpt, outcome: 'unknown' })
  const get = createFailures({ ...subject, method: 'GET' }, redact).unreadable('no JSON', { status: 200 })
  expect(get.message).toBe('GET https://api.example.com/calls returned no JSON (200)')
  expect(get.details.body).toBe('')
})

test('a response without an id says that the request succeeded, and shows the body', () => {
  const body = `{"ok":true,"password":"of-the-test","key":"${apiKey}"}`
  const failure = createFailures(subject, redact).withoutId('call', { status: 201, body })
  const shown = '{"ok":true,"password":"****","key":"****"}'
  expect(failure).toMatchObject({
    kind: 'partial',
    message: `POST https://api.example.com/calls succeeded (201), and the response has no id of the call: ${shown}`,
    hint: apiHints.lookUpId,
  })
  expect(failure.details).toStrictEqual({ status: 201, body: shown, outcome: 'done' })
  const empty = createFailures(subject, redact).withoutId('call', { status: 204, body: '' })
  expect(empty.message).toBe('POST https://api.example.com/calls succeeded (204), and the response is empty')
  expect(empty.details.body).toBe('')
})

test('the service does not have what it answers 404 or 410 for', () => {
  const statuses = [400, 404, 409, 410, 500]
  expect(statuses.filter(status => isNotFound(failureOf(status)))).toEqual([404, 410])
  expect(isNotFound({ details: { status: 404 } })).toBe(false)
})

test('three methods change nothing', () => {
  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', '']
  expect(methods.filter(method => !isUnsafe(method))).toEqual(['GET', 'HEAD', 'OPTIONS'])
})

test.each([
  ['POST', true, apiHints.checkOutcomeAfterTimeout],
  ['POST', false, apiHints.allowMoreTime],
  ['GET', true, apiHints.allowMoreTime],
])('a %s that timed out is not repeated before its outcome is known (sent: %s)', (method, sent, hint) => {
  const { network } = createFailures({ ...subject, method }, redact)
  const failure = network(
    { reason: 'no response within 3 s', wasSent: sent, hint: apiHints.allowMoreTime },
    once,
  )
  expect(failure.hint).toBe(hint)
})
