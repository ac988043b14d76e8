import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTextMatcher } from '../../../src/scenario/index.ts'
import {
  createFallbackTest,
  findGaps,
  groupQuestions,
  listQuestions,
  toReplayableCall,
  type UnansweredQuestion,
} from '../../../src/scenario/record/index.ts'
import type { Said, SampleCall } from '../../helpers/events.ts'
import { readCall } from './recordings.ts'

async function gapsOf(sample: SampleCall, ...fallback: string[]): Promise<string[]> {
  const matchers = await Promise.all(fallback.map(readTextMatcher))
  const isFallback = createFallbackTest(matchers.length === 0 ? undefined : matchers)
  const course = toReplayableCall(await readCall(sample), undefined)
  return findGaps(course, 'CC-1', isFallback).map(({ text, reason }) => `${reason}: ${text}`)
}

test.each([
  'This is the callyard sandbox: no entry of my knowledge base is about that.',
  'I am sorry, I don’t have any information about that.',
  "Hm, I'm not sure.",
  'I cannot help you with that.',
])('a question is unanswered if the reply is: %s', async answer => {
  const said: Said[] = [
    ['assistant', answer],
    ['user', 'Hi there. Do you mend e-bikes?'],
    ['assistant', answer],
    ['user', 'When are you open?'],
    ['assistant', 'From nine to six, I know.'],
  ]
  expect(await gapsOf({ said })).toEqual(['fallback: Do you mend e-bikes?'])
})

test('custom fallback texts replace the default ones', async () => {
  const said: Said[] = [
    ['user', 'Do you mend e-bikes?'],
    ['assistant', 'Let me CONNECT you  to a colleague.'],
    ['user', 'And scooters?'],
    ['assistant', 'I do not know.'],
    ['user', 'And boats?'],
    ['assistant', 'A colleague calls back.'],
  ]
  expect(await gapsOf({ said }, 'connect you to', '/calls? back/')).toEqual([
    'fallback: Do you mend e-bikes?',
    'fallback: And boats?',
  ])
})

test.each([
  [{ successEvaluation: '3' }, 'success'],
  [{ successEvaluation: 0 }, 'success'],
  [{ successEvaluation: '40%' }, 'success'],
  [{ successEvaluation: 'fail' }, 'success'],
  [{ successEvaluation: '5' }, undefined],
  [{ successEvaluation: '55' }, undefined],
  [{ successEvaluation: 'pass' }, undefined],
  [{ structuredData: { unanswered: true } }, 'data'],
  [{ structuredData: { outcome: { state: 'unanswered' } } }, 'data'],
  [{ structuredData: { unansweredQuestions: 'none' } }, undefined],
])('the questions of a call with %j count for %s', async (analysis, reason) => {
  const said: Said[] = [
    ['user', 'Hello'],
    ['assistant', 'Hi.'],
    ['user', 'do you mend e-bikes'],
    ['assistant', 'We mend bikes.'],
  ]
  expect(await gapsOf({ said, analysis })).toEqual(
    reason === undefined ? [] : [`${reason}: do you mend e-bikes`],
  )
})

test('takes questions from the data verbatim, next to those with a fallback reply', async () => {
  const said: Said[] = [
    ['user', 'Do you sell helmets?'],
    ['assistant', 'I do not know.'],
  ]
  const structuredData = { open_questions: ['Do you mend e-bikes?', { question: 'What does it cost?' }, ''] }
  expect(await gapsOf({ said, analysis: { structuredData, successEvaluation: '1' } })).toEqual([
    'fallback: Do you sell helmets?',
    'data: Do you mend e-bikes?',
    'data: What does it cost?',
  ])
})

const asked = (...texts: string[]): UnansweredQuestion[] =>
  texts.map((text, index) => ({ text, call: `CC-${index}`, reason: 'fallback' }))

test('groups near duplicates under the most frequent wording', () => {
  const questions = asked(
    'Can you mend my e-bike please?',
    'Do you mend e-bikes?',
    'Where can I park?',
    'do you mend E-Bikes',
    'Do you mend e-bikes?',
    'Is there a place to park a bike outside?',
    'Is there a covered place to park a bike outside?',
  )
  const groups = groupQuestions(questions)
  expect(groups.map(({ question, count }) => [question, count])).toEqual([
    ['Do you mend e-bikes?', 4],
    ['Is there a place to park a bike outside?', 2],
    ['Where can I park?', 1],
  ])
  expect(groups[0]).toMatchObject({
    variants: ['Can you mend my e-bike please?', 'do you mend E-Bikes'],
    calls: ['CC-0', 'CC-1', 'CC-3', 'CC-4'],
    reasons: { fallback: 4 },
  })
})

test('groups questions without significant words by their text', () => {
  expect(groupQuestions(asked('What?', 'what?', 'How are you?')).map(({ count }) => count)).toEqual([2, 1])
})

test('the question of a line is its last one, and a long line takes one pass', () => {
  const pieces = fc.array(fc.constantFrom('where is it', 'a ', '.', '?', '！', '？', '!', ' b'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(pieces, parts => {
      const text = parts.join('')
      const last =
        text
          .match(/[^.!?？。！]+[?？]/g)
          ?.at(-1)
          ?.trim() ?? ''
      const questions = listQuestions([text])
      if (/\w/.test(last)) expect(questions).toEqual([last])
      else if (last === '') expect(questions.every(question => question === text.trim())).toBe(true)
    }),
  )
  // With a search from each character this would take minutes.
  expect(listQuestions(['bikes '.repeat(200_000)])).toHaveLength(0)
})
