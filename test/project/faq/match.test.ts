import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchResponse, normalForm } from '../../../src/project/faq/match.ts'
import { runs } from '../../helpers/every-case.ts'

const none = () => false

test('order does not matter, and entries of others are passed over', () => {
  const faq = [
    { id: '3', question: 'C' },
    { id: 'old', question: 'A' },
    { id: '2', question: 'B' },
    { id: '1', question: 'A' },
  ]
  expect(matchResponse(['A', 'B', 'C'], { faq }, id => id === 'old')).toEqual(['1', '2', '3'])
})

test.each([
  ['a short answer', ['A', 'B'], [{ id: '1', question: 'B' }], [undefined, '1']],
  ['no questions at all', ['A', 'B'], [{ id: '1' }, { id: '2' }], [undefined, undefined]],
  ['no ids', ['A'], [{ question: 'A' }], [undefined]],
  [
    'two ids for one question',
    ['A'],
    [
      { id: '1', question: 'A' },
      { id: '2', question: 'A' },
    ],
    [undefined],
  ],
  [
    'one id for two questions',
    ['A', 'B'],
    [
      { id: '1', question: 'A' },
      { id: '1', question: 'B' },
    ],
    [undefined, undefined],
  ],
  ['white space that the service removed', [' A  b\n'], [{ id: '1', question: 'A b' }], ['1']],
  ['another way of writing an accent', ['e\u0301'], [{ id: '1', question: '\u00E9' }], ['1']],
  [
    'an exact question before one in normal form',
    ['A '],
    [
      { id: '1', question: 'A' },
      { id: '2', question: 'A ' },
    ],
    ['2'],
  ],
  [
    'questions that only white space tells apart, trimmed',
    ['A', 'A '],
    [{ id: '2', question: 'A' }],
    [undefined, undefined],
  ],
  [
    'an id that cannot be written',
    ['A', 'B'],
    [
      { id: 'a\nb', question: 'A' },
      { id: ' b', question: 'B' },
    ],
    [undefined, undefined],
  ],
])('%s', (_name, questions, faq, expected) => {
  expect(matchResponse(questions, { faq }, none)).toEqual(expected)
})

/** A service that reorders, drops, repeats, trims and lists what it has from before, but never lies about a question. */
test('for any removed or added entries, assigns no id to a wrong question', () => {
  const question = fc.constantFrom('A', 'A ', ' A', 'B', 'B  b', 'B b', 'C', '\u00E9', 'e\u0301')
  const scenario = fc.record({
    sent: fc.uniqueArray(question, { maxLength: 6 }),
    older: fc.array(question, { maxLength: 4 }),
    known: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    dropped: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
    repeated: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
    trims: fc.boolean(),
    order: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  })
  fc.assert(
    fc.property(scenario, ({ sent, older, known, dropped, repeated, trims, order }) => {
      const stored = [
        ...sent.map((text, place) => ({ id: `new-${place}`, question: trims ? normalForm(text) : text })),
        ...older.map((text, place) => ({ id: `old-${place}`, question: text })),
      ]
      const isKnown = (id: string) => id.startsWith('old-') && known[Number(id.slice(4))] === true
      const answered = stored
        .filter((_, place) => dropped[place] !== true)
        .flatMap((entry, place) => (repeated[place] === true ? [entry, entry] : [entry]))
        .map(entry => ({ entry, key: order.next().value }))
        .toSorted((one, other) => one.key - other.key)
        .map(({ entry }) => entry)
      const found = matchResponse(sent, { faq: answered }, isKnown)
      for (const [place, id] of found.entries()) {
        if (id === undefined) continue
        expect(isKnown(id)).toBe(false)
        const own = stored.find(entry => entry.id === id)
        expect(normalForm(own?.question ?? '')).toBe(normalForm(sent[place] ?? ''))
        // An id of this very batch is only ever on the question that it was made for.
        if (id.startsWith('new-')) expect(id).toBe(`new-${place}`)
      }
      expect(new Set(found.filter(id => id !== undefined)).size).toBe(
        found.filter(id => id !== undefined).length,
      )
    }),
    { numRuns: runs(3000) },
  )
})

test('a plain response assigns each question its id', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { selector: normalForm, minLength: 1, maxLength: 30 }),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (questions, order) => {
        const faq = questions
          .map((question, place) => ({ question, id: `id-${place}`, key: order.next().value }))
          .toSorted((one, other) => one.key - other.key)
        expect(matchResponse(questions, { faq }, none)).toEqual(questions.map((_, place) => `id-${place}`))
      },
    ),
  )
})
