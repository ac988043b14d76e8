import fc from 'fast-check'
import MiniSearch from 'minisearch'
import { expect, test } from 'vitest'
import type { FaqRecord } from '../../../src/files/formats/control-api.ts'
import { extractTerms, foldWord, toTerm, toWords } from '../../../src/lib/text/words.ts'
import { createFaqIndex } from '../../../src/sandbox/tools/faq-index.ts'
import { runs } from '../../helpers/every-case.ts'

function normalForm(text: string): string {
  return toWords(text).map(foldWord).join(' ')
}

/** The same search by MiniSearch, which makes an object for each entry that has one word of the question. */
function slowIndex(entries: readonly FaqRecord[]) {
  const index = new MiniSearch<FaqRecord>({
    fields: ['question', 'answer', 'category'],
    tokenize: toWords,
    processTerm: toTerm,
    searchOptions: {
      boost: { question: 4 },
      fuzzy: term => (term.length > 4 ? 0.2 : false),
      prefix: term => term.length > 3,
    },
  })
  index.addAll([...entries])
  return (question: string, most: number) => {
    const asked = extractTerms(question).size
    return index
      .search(question)
      .flatMap(({ id, score, queryTerms, match }) => {
        const position = entries.findIndex(entry => entry.id === id)
        const inQuestion = Object.values(match).filter(matched => matched.includes('question')).length
        const shared = new Set(queryTerms).size
        const ownTerms = extractTerms(entries[position]?.question ?? '').size
        const isAbout = shared >= asked * 0.5 || inQuestion >= ownTerms * 0.5
        const isExact = normalForm(entries[position]?.question ?? '') === normalForm(question)
        return isAbout ? [{ entry: entries[position], isExact, score, share: shared / asked }] : []
      })
      .sort((one, other) => Number(other.isExact) - Number(one.isExact))
      .slice(0, most)
  }
}

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

test('finds what MiniSearch finds, with the same scores and in the same order', () => {
  fc.assert(
    fc.property(base, fc.array(text, { minLength: 1, maxLength: 6 }), (entries, questions) => {
      const [index, slow] = [createFaqIndex(entries), slowIndex(entries)]
      // MiniSearch finds nothing by common words alone.
      for (const question of questions.filter(text => extractTerms(text).size > 0)) {
        for (const most of [1, 3, 100]) expect(index.find(question, most)).toEqual(slow(question, most))
      }
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

test('finds the same in a large base with shared words', () => {
  const entries = Array.from({ length: 5000 }, (_, index) => ({
    id: `faq-${index}`,
    question: `When is the workshop open on day ${index}, and who is there?`,
    answer: `On day ${index} it is open from nine to six; the front desk knows who is there.`,
  }))
  const [index, slow] = [createFaqIndex(entries), slowIndex(entries)]
  const questions = [
    'Who is there on day 31?',
    'Is the workshop open on day 4999',
    'opened workshops',
    'day 12345',
  ]
  for (const question of questions) expect(index.find(question, 3)).toEqual(slow(question, 3))
})
