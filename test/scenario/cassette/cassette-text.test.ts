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

  test('writes settings once, and the response of a line before its conversation', () => {
    const request = (...lines: string[]) =>
      canonicalizeRequest(
        {
          messages: [
            { role: 'system', content: 'You are the front desk.' },
            ...lines.map(
              (content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }) as const,
            ),
          ],
          tools: [{ name: 'book', description: 'Books', parameters: {} }],
          temperature: 0,
          maxTokens: 256,
        },
        { model: 'small', placeholders },
      )
    const calls = [{ name: 'book', arguments: '{"day":"2026-01-02"}' }]
    const text = formatCassette([
      entryOf(request('Hello'), { text: 'Hi there', calls: [] }),
      entryOf(request('Hello', 'Hi there', 'On Friday'), { text: '', calls }),
    ])
    const [, settings = ''] = text.split('\n')
    const { id } = JSON.parse(settings)
    expect(text).toBe(
      [
        '{"kind":"cassette","version":1}',
        `{"kind":"settings","id":"${id}","model":"small","temperature":0,"maxTokens":256,"prompt":"You are the front desk.","tools":[{"name":"book","description":"Books","parameters":{}}]}`,
        `{"kind":"response","turn":1,"role":"assistant","text":"Hi there","calls":[],"conversation":[{"user":"Hello"}],"settings":"${id}","occurrence":1}`,
        `{"kind":"response","turn":1,"role":"assistant","text":"","calls":[{"name":"book","arguments":"{\\"day\\":\\"2026-01-02\\"}"}],"conversation":[{"user":"Hello"},{"assistant":"Hi there"},{"user":"On Friday"}],"settings":"${id}","occurrence":1}`,
        '',
      ].join('\n'),
    )
  })

  test('may nest deeper than the stack', () => {
    const levels = 100_000
    const answered = `${'['.repeat(levels)}${']'.repeat(levels)}`
    const text = `${settingsLine}${responseLine(`[{"tool":1,"answered":${answered}}]`)}`
    expect(parseCassette(text)).toMatchObject({ entries: [{ turn: 1 }], parseErrors: [] })
  })
})

const settingsLine = '{"kind":"settings","id":"s","model":"","temperature":0,"maxTokens":1,"tools":[]}\n'
const responseLine = (conversation: string) =>
  `{"kind":"response","turn":1,"role":"judge","text":"","calls":[],"conversation":${conversation},"settings":"s","occurrence":1}\n`

describe('invalid lines of a cassette', () => {
  const whole = '{"kind":"cassette","version":1}\n'

  test.each([
    ['a last line without its end', `${whole}{"kind":"prom`, [{ line: 2, code: 'torn-line' }]],
    ['text', `${whole}hello\n`, [{ line: 2, code: 'foreign-line' }]],
    [
      'a field that is not known',
      `${whole}${settingsLine.replace('{', '{"more":1,')}`,
      [{ line: 2, code: 'foreign-line' }],
    ],
    ['a response without its settings', `${whole}${responseLine('[]')}`, [{ line: 2, code: 'foreign-line' }]],
    ['another version', '{"kind":"cassette","version":2}\n', [{ line: 1, code: 'other-version' }]],
    [
      'the markers of a merge',
      `${whole}<<<<<<< ours\n${settingsLine}=======\n>>>>>>> theirs\n`,
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

function entryOf(request: CassetteEntry['request'], response: CassetteEntry['response']): CassetteEntry {
  const hash = hashRequest(request)
  return { row: undefined, turn: 1, role: 'assistant', request, response, occurrence: 1, hash }
}
