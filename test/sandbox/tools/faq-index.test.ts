import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FaqRecord } from '../../../src/files/formats/control-api.ts'
import { extractTerms } from '../../../src/lib/text/words.ts'
import { createFaqIndex } from '../../../src/sandbox/tools/faq-index.ts'
import { runs } from '../../helpers/every-case.ts'

const words = [
  ...['open', 'opens', 'opening', 'opener', 'openly', 'park', 'parking', 'parks', 'parked', 'parka'],
  ...['cancel', 'cancelled', 'cansel', 'appointment', 'appointmnt', 'apointment', 'appointments'],
  ...['the', 'is', 'when', 'day', 'day', 'days', '1', '12', '123', '1234', '12345', '12346', '\u0301'],
  ...['Zürich', 'zurich', 'ZURICH', 'Straße', '返品できますか', '営業時間', 'constructor', 'prototype'],
]
const word = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...words) }, fc.string({ maxLength: 8 }))
const text = fc.array(word, { maxLength: 8 }).map(parts => parts.join(' '))
const entry = fc.record(
  { question: text, answer: text, category: fc.option(text) },
  { requiredKeys: ['question', 'answer'] },
)
const base = fc
  .array(entry, { maxLength: 40 })
  .map(entries => entries.map((each, index): FaqRecord => ({ ...each, id: `faq-${index}` })))

test('an entry is found first by its own words, and others are about the question', () => {
  fc.assert(
    fc.property(base, text, (entries, asked) => {
      const index = createFaqIndex(entries)
      for (const { question } of entries.filter(
        ({ question }) => extractTerms(question).size > 0 && !extractTerms(question).has(''),
      ))
        expect(index.find(question, 1)).toMatchObject([{ isExact: true, share: 1 }])
      const hits = index.find(asked, 100)
      expect(hits.map(({ isExact }) => Number(isExact))).toEqual(
        hits.map(({ isExact }) => Number(isExact)).sort((one, other) => other - one),
      )
      for (const most of [1, 3]) expect(index.find(asked, most)).toEqual(hits.slice(0, most))
    }),
    { numRuns: runs(75) },
  )
})

const common = createFaqIndex(
  [
    'Who are you?',
    'Where are you?',
    'What do you do?',
    'Is it on?',
    'When is it open?',
    'Where is it open?',
  ].map((question, index) => ({ id: `faq-${index}`, question, answer: 'Because of the weather.' })),
)

test.for([
  ['who are you', 'Who are you?'],
  ['Where ARE you?!', 'Where are you?'],
  ['And what do you do?', 'What do you do?'],
  ['Is it on', 'Is it on?'],
  ['where is it open', 'Where is it open?'],
] as const)('%s finds %s', ([asked, question]) => {
  expect(common.find(asked, 1)).toMatchObject([{ entry: { question } }])
})

test.for(['How are you?', 'Do you?', 'What is it?', '?', ''])('%j finds nothing', asked => {
  expect(common.find(asked, 3)).toEqual([])
})

test.each([
  ['Who is there on day 31?', 'faq-31'],
  ['Is the workshop open on day 4999', 'faq-4999'],
])('%s is answered by one of 5,000 entries with the same words', (question, id) => {
  const entries = Array.from({ length: 5000 }, (_, index) => ({
    id: `faq-${index}`,
    question: `When is the workshop open on day ${index}, and who is there?`,
    answer: `On day ${index} it is open from nine to six; the front desk knows who is there.`,
  }))
  expect(createFaqIndex(entries).find(question, 1)).toMatchObject([{ entry: { id } }])
})
