import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findNotStored } from '../../../src/service/api/not-stored.ts'

const fields = (sent: Record<string, unknown>, stored: Record<string, unknown>) =>
  findNotStored(sent, stored).map(({ field, response }) => `${field} ${response}`)

describe('a response', () => {
  test('that lacks fields or has others names them, by their path', () => {
    const sent = {
      name: 'Desk',
      idleTimeout: 20,
      hints: ['a', 'b'],
      server: { url: 'https://a.example.com', secret: 'x' },
    }
    const stored = { name: 'Desk', idleTimeout: 30, hints: ['a'], server: { url: 'https://a.example.com' } }
    expect(fields(sent, stored)).toEqual([
      'idleTimeout different',
      'hints different',
      'server.secret missing',
    ])
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'adds defaults',
      { name: 'a', server: { url: 'u' } },
      { _id: '1', name: 'a', server: { url: 'u', timeout: 5 }, async: false },
    ],
    ['masks secrets', { name: 'a', key: 'sk-123456' }, { name: 'a', key: 'sk-***456' }],
    [
      'has a list of one',
      { name: 'a', callForwardData: { name: 'x' } },
      { name: 'a', callForwardData: [{ name: 'x' }] },
    ],
    ['leaves a null out', { name: 'a', hints: null }, { name: 'a' }],
    ['has the id alone', { name: 'a', hints: [] }, { _id: '1', teamId: 't', createdAt: '2026-01-01' }],
  ])('that %s is fine', (_, sent, stored) => {
    expect(fields(sent, stored)).toEqual([])
  })

  test('that repeats what was sent is fine, whatever it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), sent => {
        expect(fields(sent, { ...structuredClone(sent), more: 1 })).toEqual([])
      }),
    )
  })
})
