import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, maskKey } from '../../../src/service/api/index.ts'
import { serviceMessage } from '../../../src/service/api/service-message.ts'

describe('a redactor', () => {
  test('redacts the key anywhere, including its JSON and URL forms', () => {
    const redact = createRedactor('a"b/c+d-e')
    expect(redact.text('a"b/c+d-e a\\"b/c+d-e a%22b%2Fc%2Bd-e')).toBe('**** **** ****')
  })

  test('leaves no key behind in any text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (key, before, after) => {
        fc.pre(!key.includes('*'))
        expect(createRedactor(key).text(before + key + after)).not.toContain(key)
      }),
    )
  })

  test('redacts a short key only in headers, because it may be a common word elsewhere', () => {
    const redact = createRedactor('test')
    expect(redact.text('the test failed: Bearer test. bearer  test')).toBe(
      'the test failed: Bearer ****. bearer  ****',
    )
    expect(redact.text('Bearer testing')).toBe('Bearer testing')
    expect(redact.body('{"message":"a test","authorization":"test"}')).toBe(
      '{"message":"a test","authorization":"****"}',
    )
    expect(redact.header('x-note', 'for test')).toBe('for ****')
    expect(redact.header('authorization', 'Bearer test')).toBe('****')
  })

  test('conceals headers and fields that carry secrets', () => {
    const redact = createRedactor('key')
    expect(redact.header('Set-Cookie', 'a=b')).toBe('****')
    expect(redact.header('x-note', 'the key')).toBe('the ****')
    expect(redact.body('{"server":{"headers":{"Authorization": "Bearer \\"x\\" y"}},"n":1}')).toBe(
      '{"server":{"headers":{"Authorization": "****"}},"n":1}',
    )
  })

  test.each([
    ['short', '****'],
    ['sk-0123456789', '****6789'],
  ])('masks %s as %s', (key, masked) => expect(maskKey(key)).toBe(masked))
})

describe('the message of a service', () => {
  const plain = createRedactor('')
  test.each([
    ['{"message":"m"}', 'm'],
    ['{"message":["a","b"]}', 'a; b'],
    ['{"error":"e"}', 'e'],
    ['{"error":{"message":"m","code":1}}', 'm'],
    ['{"title":"t","detail":"d"}', 'd'],
    ['{"title":"t"}', 't'],
    ['{"errors":["a",{"message":"b","field":"f"}]}', 'a; f: b'],
    ['{"detail":"a (and 1 more)","errors":[{"message":"a"},{"message":"b"}]}', 'a; b'],
    ['{"detail":"a","errors":["ab","b"]}', 'a: ab; b'],
    ['{"errors":{"name":["is missing"]}}', 'name: is missing'],
    ['{"detail":[{"loc":["body","name"],"msg":"is missing"}]}', 'body.name: is missing'],
    [
      '{"error":"bad_request","details":[{"field":"to","problem":"no"}]}',
      'bad_request: {"details":[{"field":"to","problem":"no"}]}',
    ],
    [
      '{"code":"c","title":"t","invalid-params":[{"name":"to","reason":"r"}]}',
      't: {"invalid-params":[{"name":"to","reason":"r"}]}',
    ],
    ['{"error":{"message":"m","code":1,"details":{"to":["no"]}}}', 'm: {"error":{"details":{"to":["no"]}}}'],
    [
      '{"message":"m","errors":[{"code":"c","description":"to is bad"}]}',
      'm: {"errors":[{"code":"c","description":"to is bad"}]}',
    ],
    ['{"errors":[{"message":"a","description":"to is bad"}]}', 'a: {"errors":[{"description":"to is bad"}]}'],
    ['{"errors":{"from":["a"],"to":{"problem":"b"}}}', 'from: a: {"errors":{"to":{"problem":"b"}}}'],
    ['[{"message":"m","details":["a"]}]', 'm: [{"details":["a"]}]'],
    ['{"message":"m","explanation":"to is bad"}', 'm: to is bad'],
    ['{"message":"Invalid","error":"to is bad"}', 'Invalid: to is bad'],
    [
      '{"message":"to is bad","error":"Bad Request","statusCode":400,"timestamp":"2026-01-01T00:00:00Z"}',
      'to is bad',
    ],
    ['{"message":"to is bad","details":[{"message":"to is bad"}],"meta":{},"more":[null,""]}', 'to is bad'],
    [
      '{"detail":[{"loc":["body"],"msg":"is missing","input":{"to":"+1"}}],"request":{"to":"+1"}}',
      'body: is missing',
    ],
    ['{"error":"e","details":{"password":"of-the-test"}}', 'e: {"details":{"password":"****"}}'],
    ['{"message":"is bad","field":"to","path":"/calls"}', 'is bad: {"field":"to"}'],
    ['{"error":"e","password":"of the test"}', 'e: {"password":"****"}'],
    ['"just text"', 'just text'],
    ['{"message":"two\\n lines"}', 'two lines'],
    ['{"error":{"text":"no such number"}}', '{"error":{"text":"no such number"}}'],
    ['{"code":7,"password":"of-the-test"}', '{"code":7,"password":"****"}'],
    ['{"status":1}', '{"status":1}'],
    ['{"broken', '{"broken'],
    ['[]', '[]'],
    ['null', 'null'],
    ['', undefined],
    ['  \n', undefined],
  ])('%s → %s', (body, message) =>
    expect(serviceMessage(body, 'application/json', plain)?.text).toBe(message),
  )

  test.each([
    ['no', 'text/plain', 'no'],
    ['x'.repeat(600), 'text/plain', `${'x'.repeat(500)}…`],
    ['no', '', 'no'],
    ['<html><head><title>502\nBad Gateway</title></head></html>', 'text/html', '502 Bad Gateway'],
    [
      '<title>Bad</title><style>p {}</style><body><h1>Bad</h1><p class="x">to is <b>wrong</b></p><script>x</script>',
      'text/html',
      'Bad: to is wrong',
    ],
    ['<p>no</p>', 'text/html', '<p>no</p>'],
    ['<title> </title>', 'text/html', '<title> </title>'],
    ['<Error><Code>Denied</Code></Error>', 'application/xml', '<Error><Code>Denied</Code></Error>'],
  ])('%s of type %s → %s', (body, type, message) =>
    expect(serviceMessage(body, type, plain)?.text).toBe(message),
  )

  test('is concealed before it is cut', () => {
    const key = 'k'.repeat(600)
    const message = serviceMessage(JSON.stringify({ message: `the ${key}` }), '', createRedactor(key))?.text
    expect(message).toBe('the ****')
    const details = serviceMessage(
      JSON.stringify({ error: 'e', details: [key] }),
      '',
      createRedactor(key),
    )?.text
    expect(details).toBe('e: {"details":["****"]}')
    const long = serviceMessage(JSON.stringify({ error: 'e', details: ['x'.repeat(600)] }), '', plain)?.text
    expect(long).toHaveLength(501)
  })

  test('is bounded in depth and breadth', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const said = (body: string) => serviceMessage(body, 'application/json', plain)?.text
    expect(said(`{"message":${deep},"title":"t"}`)).toBe('t')
    expect(said(`{"errors":[{"message":"m","loc":${deep}}]}`)).toBe('m')
    expect(said(`{"errors":{"name":${deep},"other":"o"}}`)).toBe('other: o')
    const nested = `${'{"error":'.repeat(200_000)}"x"${'}'.repeat(200_000)}`
    expect(said(nested)).toHaveLength(501)
    expect(said(`{"title":"t","details":${nested}}`)).toBe('t')
    const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, 'x']))
    expect(said(JSON.stringify({ errors: fields }))?.split('; ')).toHaveLength(20)
  })

  test('is found in any JSON without a crash', () => {
    fc.assert(fc.property(fc.json(), body => void serviceMessage(body, 'application/json', plain)))
  })
})

test('redacts other secrets like the key in each form, except short ones that may be words', () => {
  const redact = createRedactor('the-api-key', ['pa"ss wörd', 'yes'])
  expect(redact.text('said pa"ss wörd, yes')).toBe('said ****, yes')
  expect(redact.text(JSON.stringify({ url: 'https://x/pa"ss wörd' }))).toBe('{"url":"https://x/****"}')
  expect(redact.text(`/kb/${encodeURIComponent('pa"ss wörd')}/faq`)).toBe('/kb/****/faq')
  expect(redact.header('x-note', 'pa"ss wörd')).toBe('****')
  expect(redact.body('{"description":"pa\\"ss wörd"}')).toBe('{"description":"****"}')
})
