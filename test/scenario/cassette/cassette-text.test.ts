import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalizeRequest, hashRequest } from '../../../src/scenario/cassette/canonical-request.ts'
import {
  type CassetteEntry,
  entryKey,
  formatCassette,
  parseCassette,
} from '../../../src/scenario/cassette/cassette-text.ts'
import { createEnvPlaceholders } from '../../../src/scenario/cassette/env-placeholders.ts'
import { runs } from '../../helpers/every-case.ts'
import { arbitraryAnswer, arbitraryRequest } from './arbitrary-requests.ts'

const placeholders = createEnvPlaceholders(new Map())

const arbitraryEntry: fc.Arbitrary<CassetteEntry> = fc
  .record({
    row: fc.option(fc.nat(20), { nil: undefined }),
    turn: fc.nat(20),
    role: fc.constantFrom('assistant', 'analysis', 'judge', 'caller'),
    request: arbitraryRequest.map(request => canonicalizeRequest(request, { model: 'small', placeholders })),
    response: arbitraryAnswer,
    occurrence: fc.integer({ min: 1, max: 3 }),
  })
  .map(entry => ({ ...entry, hash: hashRequest(entry.request) }))

const arbitraryEntries = fc.uniqueArray(arbitraryEntry, { selector: entryKey, maxLength: 8 })

describe('a cassette', () => {
  test('round-trips its entries in order', () => {
    fc.assert(
      fc.property(arbitraryEntries, entries => {
        const text = formatCassette(entries)
        expect(parseCassette(text)).toEqual({ entries, parseErrors: [] })
        expect(formatCassette(parseCassette(text).entries)).toBe(text)
        expect(text.endsWith('\n')).toBe(true)
      }),
      { numRuns: runs(40) },
    )
  })

  test('merges two branches line by line', () => {
    fc.assert(
      fc.property(arbitraryEntries, arbitraryEntries, (ours, theirs) => {
        const merged = `${formatCassette(ours)}${formatCassette(theirs)}`
        const known = new Set(ours.map(entryKey))
        const { entries, parseErrors } = parseCassette(merged)
        expect(parseErrors).toEqual([])
        expect(entries.map(entryKey)).toEqual(
          [...ours, ...theirs.filter(entry => !known.has(entryKey(entry)))].map(entryKey),
        )
      }),
      { numRuns: runs(40) },
    )
  })

  test('contains each prompt, tool list and message once', () => {
    const conversation = ['Hello', 'Hi there', 'When are you open?']
    const request = (lines: number) =>
      canonicalizeRequest(
        {
          messages: [
            { role: 'system', content: 'You are the front desk.' },
            ...conversation
              .slice(0, lines)
              .map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }) as const),
          ],
          tools: [{ name: 'book', description: 'Books', parameters: {} }],
          temperature: 0,
          maxTokens: 256,
        },
        { model: 'small', placeholders },
      )
    const entries = [1, 3].map(lines => entryOf(request(lines), `answer ${lines}`))
    expect(formatCassette(entries).trimEnd().split('\n').map(kindAndWords)).toEqual([
      'cassette',
      'prompt',
      'tools',
      'answer [{"user":"Hello"}]',
      'answer [{"assistant":"Hi there"},{"user":"When are you open?"}]',
    ])
  })

  test('starts its lines with what people read: turn, request, response', () => {
    const request = canonicalizeRequest(
      { messages: [{ role: 'user', content: 'Hello' }], tools: [], temperature: 0, maxTokens: 256 },
      { model: 'small', placeholders },
    )
    const calls = [{ name: 'book', arguments: '{"day":"2026-01-02"}' }]
    const [, line] = formatCassette([{ ...entryOf(request, 'Hi.'), response: { text: 'Hi.', calls } }]).split(
      '\n',
    )
    expect(line).toBe(
      `{"kind":"answer","turn":1,"of":"assistant","asked":[{"user":"Hello"}],"text":"Hi.","calls":[{"name":"book","arguments":{"day":"2026-01-02"}}],"model":"small","temperature":0,"maxTokens":256,"hash":"${hashRequest(request)}"}`,
    )
  })
})

describe('invalid lines of a cassette', () => {
  const whole = '{"kind":"cassette","version":1}\n'

  test.each([
    ['a last line without its end', `${whole}{"kind":"prom`, [{ line: 2, code: 'torn-line' }]],
    ['text', `${whole}hello\n`, [{ line: 2, code: 'foreign-line' }]],
    [
      'a field that is not known',
      `${whole}{"kind":"prompt","id":"a","text":"b","more":1}\n`,
      [{ line: 2, code: 'foreign-line' }],
    ],
    ['another version', '{"kind":"cassette","version":2}\n', [{ line: 1, code: 'other-version' }]],
    [
      'the markers of a merge',
      `${whole}<<<<<<< ours\n{"kind":"prompt","id":"a","text":"b"}\n=======\n>>>>>>> theirs\n`,
      [2, 4, 5].map(line => ({ line, code: 'merge-conflict' })),
    ],
    ['nothing', '', []],
    ['empty lines and ends as Windows writes them', `${whole.trim()}\r\n\r\n`, []],
  ])('%s', (_, text, parseErrors) => {
    expect(parseCassette(text).parseErrors).toEqual(parseErrors)
  })

  test('truncation anywhere loses only the last line', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(arbitraryEntry, { selector: entryKey, minLength: 1, maxLength: 4 }),
        fc.nat(),
        (entries, at) => {
          const text = formatCassette(entries)
          const cut = text.slice(0, at % text.length)
          const whole = cut.slice(0, cut.lastIndexOf('\n') + 1)
          const { entries: kept, parseErrors } = parseCassette(cut)
          const last = cut.length > whole.length
          expect(kept.length).toBeGreaterThanOrEqual(parseCassette(whole).entries.length)
          expect(parseErrors.length).toBeLessThanOrEqual(last ? 1 : 0)
        },
      ),
      { numRuns: runs(40) },
    )
  })
})

function entryOf(request: CassetteEntry['request'], text: string): CassetteEntry {
  const answer = { text, calls: [] }
  return {
    row: undefined,
    turn: 1,
    role: 'assistant',
    request,
    response: answer,
    occurrence: 1,
    hash: hashRequest(request),
  }
}

function kindAndWords(line: string): string {
  const { kind, asked } = JSON.parse(line)
  return asked === undefined ? kind : `${kind} ${JSON.stringify(asked)}`
}

test('reads chained conversations without copies, up to a limit that reports the line', () => {
  const count = 25_000
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      ...{ kind: 'answer', turn: 1, of: 'assistant', asked: [{ user: `line ${index}` }], text: 'Yes.' },
      ...{
        temperature: 0,
        maxTokens: 1,
        after: index === 0 ? undefined : `h${index - 1}`,
        hash: `h${index}`,
      },
    }),
  )
  const before = process.memoryUsage().heapUsed
  const { entries, parseErrors } = parseCassette(
    `${['{"kind":"cassette","version":1}', ...lines].join('\n')}\n`,
  )
  // Copies of 10,000 conversations hold 50 million references.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 ** 2)
  const longest = entries[9999]?.request.conversation
  expect(longest).toHaveLength(10_000)
  expect(longest?.at(-1)).toEqual({ user: 'line 9999' })
  expect(parseErrors[0]).toEqual({ line: 10_002, code: 'long-conversation' })
})
