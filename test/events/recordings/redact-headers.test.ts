import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redactRequest } from '../../../src/events/recordings/index.ts'

type Headers = Parameters<typeof redactRequest>[0]['headers']

const redactHeaders = (headers: Headers, secretHeader: string | undefined) =>
  redactRequest({ headers }, { secretHeader }).headers

test.each([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'apikey',
  'x-access-token',
  'x-hub-signature-256',
  'x-sig',
  'client-secret',
  'x-session-id',
  'x-csrf',
  'password',
])('%s keeps nothing of its value', name => {
  expect(redactHeaders({ [name]: 'value-to-hide' }, undefined)).toEqual({ [name]: '****' })
})

test.each([
  ['content-type', 'application/json; charset=utf-8'],
  ['content-length', '12'],
  ['host', '127.0.0.1:4011'],
  ['user-agent', 'service/1.0 (+https://example.com)'],
  ['x-request-id', 'r-1'],
  ['x-signal', 'green'],
  ['accept', '*/*'],
])('%s is kept', (name, value) => {
  expect(redactHeaders({ [name]: value }, undefined)).toEqual({ [name]: value })
})

test('the required header is secret under any name and in any case', () => {
  expect(redactHeaders({ 'x-from': 'the service' }, 'X-From')).toEqual({ 'x-from': '****' })
})

test('a credential is one in any header, and an address says no more than where', () => {
  expect(
    redactHeaders(
      {
        'x-forwarded': 'Bearer abc',
        referer: 'https://user:word@example.com/path?code=1',
        'x-original-url': '/hook?code=1#x',
      },
      undefined,
    ),
  ).toEqual({
    'x-forwarded': '****',
    referer: 'https://example.com/path?****',
    'x-original-url': '/hook?****',
  })
})

test('no value of a secret header survives, beside any other headers', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), others => {
      const kept = redactHeaders({ ...others, 'x-token': 's3cret-value', list: ['a', 'b'] }, undefined)
      expect(JSON.stringify({ ...kept, ...others })).not.toMatch(/"s3cret-value"/)
      expect(kept['x-token']).toBe('****')
    }),
  )
})

test('a query keeps its names, and what is no secret', () => {
  const query = 'source=desk&token=s3cret&sig=abc&bare&a=b=c'
  expect(redactRequest({ headers: {}, query }, {}).query).toBe('source=desk&token=****&sig=****&****&a=b=c')
  const headers = { 'x-signature': 'abc', 'x-token': 'of-the-listener' }
  expect(redactRequest({ headers, query }, { secretHeader: 'X-Token', keepSecrets: true })).toEqual({
    headers: { 'x-signature': 'abc', 'x-token': '****' },
    query,
  })
})
