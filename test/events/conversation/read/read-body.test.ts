import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readWebhookBody } from '../../../../src/events/conversation/read/read-body.ts'
import { conversationUpdate, message, statusUpdate } from '../../../helpers/events.ts'
import { invalidByte, oddBodies } from '../../receive/odd-bodies.ts'

const maxBytes = 1024 ** 2
const event = conversationUpdate('CC-1', message('m1', 'Grüße, {"a"} & b=1'))

function read(body: Buffer | string, headers: Record<string, string> = {}, limit = maxBytes) {
  const found = readWebhookBody(Buffer.from(body), headers, { maxBytes: limit })
  if ('status' in found) return { status: found.status }
  return { events: found.events.map(each => each.body), forms: found.forms }
}

test.each(oddBodies(event).map(oddBody => [oddBody.name, oddBody] as const))(
  'reads %s',
  (_, { body, headers, forms }) => {
    expect(read(body, headers)).toEqual({ events: [event], forms })
  },
)

test('reads a body with an invalid byte, which becomes U+FFFD', () => {
  const { body, headers, forms } = invalidByte(conversationUpdate('CC-1', message('m1', 'a#b')))
  expect(read(body, headers)).toEqual({
    events: [conversationUpdate('CC-1', message('m1', 'a\ufffdb'))],
    forms,
  })
})

test('reads a plain object unchanged, whatever its headers say', () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'])
    expect(read(JSON.stringify(event), { 'content-type': type })).toEqual({ events: [event], forms: [] })
})

describe('an array', () => {
  test('is its objects, in order', () => {
    const events = [statusUpdate('CC-1', 'ongoing'), event, statusUpdate('CC-1', 'finished')]
    expect(read(JSON.stringify([events[0], 'text', null, ...events.slice(1)]))).toEqual({
      events,
      forms: ['list'],
    })
  })

  test('keeps large numeric ids exactly', () => {
    const found = readWebhookBody(
      Buffer.from('[{"message":{"call":{"id":12345678901234567890}}},{"message":{"call":{"id":7}}}]'),
      {},
      { maxBytes },
    )
    expect('status' in found || found.events.map(({ callId }) => callId)).toEqual([
      '12345678901234567890',
      '7',
    ])
  })

  test('of too many is rejected', () => {
    expect(read(`[${'{},'.repeat(10_000)}{}]`)).toEqual({ status: 413 })
    expect(read(`[${'{},'.repeat(9999)}{}]`)).toMatchObject({ forms: ['list'] })
  })
})

test.each([
  ['nothing', '', {}, 400],
  ['half an object', '{"message":', {}, 400],
  ['an empty array', '[]', {}, 400],
  ['an array of texts', '["a"]', {}, 400],
  ['a form without JSON', 'payload=hello&a=%', {}, 400],
  ['a word', 'event', {}, 400],
  ['an unknown content coding', 'event', { 'content-encoding': 'zstd' }, 415],
  ['gzip that is none', 'event', { 'content-encoding': 'gzip' }, 415],
  ['gzip that is cut', gzipSync(JSON.stringify(event)).subarray(0, 30), { 'content-encoding': 'gzip' }, 415],
  ['more content codings than anyone uses', 'event', { 'content-encoding': 'gzip,gzip,gzip,gzip' }, 415],
  ['an unknown charset', '\u00ff', { 'content-type': 'application/json; charset=klingon' }, 400],
] as const)('refuses %s', (_, body, headers, status) => {
  expect(read(Buffer.from(body as string), headers)).toEqual({ status })
})

test('rejects a body that exceeds the limit in each layer', () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2, ' '))
  expect(bomb.length).toBeLessThan(100_000)
  expect(read(bomb, { 'content-encoding': 'gzip' })).toEqual({ status: 413 })
  expect(read(gzipSync(bomb), { 'content-encoding': 'gzip, gzip' })).toEqual({ status: 413 })
  expect(read(bomb)).toEqual({ status: 413 })
})

test('no bytes and no headers make it throw', () => {
  const encoding = fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'x')
  const type = fc.constantFrom(
    'a/b; charset=utf-16',
    'a/b; charset=latin1',
    'application/x-www-form-urlencoded',
    '',
  )
  fc.assert(
    fc.property(fc.uint8Array(), encoding, type, (bytes, coding, contentType) => {
      readWebhookBody(
        Buffer.from(bytes),
        { 'content-encoding': coding, 'content-type': contentType },
        { maxBytes: 100 },
      )
    }),
  )
})
