import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeToken, partitionCount, partitionOf, subjectOf } from '../../src/relay/subjects.ts'
import { codePoint } from '../helpers/code-point.ts'
import { runs } from '../helpers/every-case.ts'

/** Ids of deployments: any text, long ones, numbers, and parts that subjects use. */
const id = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ unit: fc.constantFrom('.', '*', '>', ' ', '=', '-', '~', 'a', '\ud800', '👋', '\n', '\0') }),
  fc.string({ minLength: 100, maxLength: 500 }),
)

/** Returns the id of a token; undefined if only its hash is in the token. */
function decodeToken(token: string): string | undefined {
  if (token === '=') return ''
  if (token.startsWith('~')) return undefined
  return token.replaceAll(/(?:=[\dA-F]{2})+/g, part =>
    Buffer.from(part.replaceAll('=', ''), 'hex').toString(),
  )
}

test('every id is one bounded token of a subject, and is decoded again unless it is hashed', () => {
  fc.assert(
    fc.property(id, text => {
      const token = encodeToken(text)
      expect(token).toMatch(/^[\w=~-]{1,128}$/)
      const decoded = decodeToken(token)
      if (token.startsWith('~')) expect(decoded).toBeUndefined()
      else expect(decoded).toBe(text)
    }),
    { numRuns: runs(500) },
  )
})

test('different ids have different tokens', () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      expect(encodeToken(one) === encodeToken(other)).toBe(one === other)
    }),
    { numRuns: runs(500) },
  )
})

test.each(['+12025550142', '12025550142', '(202) 555-0142', 'call-+12025550142', '202.555.0142'])(
  'a subject never contains the phone number %s',
  number => {
    const subject = subjectOf('calls', { account: number, call: number })
    expect(subject).toMatch(/^calls\.p\d\d\.~[\w-]{43}\.~[\w-]{43}$/)
  },
)

test('documented examples', () => {
  expect(subjectOf('calls', { account: null, call: null })).toBe('calls.p02.-.-')
  expect(subjectOf('calls', { account: 'team-1', call: 'c.1 *>' })).toBe('calls.p08.team-1.c=2E1=20=2A=3E')
  expect([encodeToken('-'), encodeToken(''), encodeToken('é')]).toEqual(['=2D', '=', '=C3=A9'])
})

test('calls are spread evenly over the partitions', () => {
  const counts = new Map<string, number>()
  for (let number = 0; number < 32_000; number++) {
    const partition = partitionOf(`CC-${number}`)
    counts.set(partition, (counts.get(partition) ?? 0) + 1)
  }
  expect(counts.size).toBe(partitionCount)
  for (const count of counts.values()) {
    expect(count).toBeGreaterThan(850)
    expect(count).toBeLessThan(1150)
  }
})
