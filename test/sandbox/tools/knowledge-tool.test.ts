import { expect, test } from 'vitest'
import { createStore } from '../../../src/sandbox/records/store.ts'
import { createKnowledge } from '../../../src/sandbox/tools/knowledge.ts'
import { toolsOfCall } from './call-tools.ts'
import { toldBy, useTool } from './use-tool.ts'

const store = createStore([
  {
    kind: 'faq',
    knowledgeBaseId: 'desk',
    entries: [
      {
        id: '1',
        question: 'When are you open?',
        answer: 'Nine to five.',
        category: 'hours',
        updatable: true,
      },
      { id: '2', question: 'Are you open on Saturday?', answer: 'Until one.' },
      { id: '3', question: 'Are you open on public holidays?', answer: 'No.' },
      { id: '4', question: 'Do you open parcels?', answer: 'Never.' },
      { id: '5', question: 'Where can I park?', answer: 'Behind the building.' },
    ],
  },
  {
    kind: 'faq',
    knowledgeBaseId: 'hidden',
    entries: [{ id: '6', question: 'Open?', answer: 'Not for you.' }],
  },
])
const search = (given: Record<string, unknown>, fill?: (text: string) => string) => {
  const { tool } = toolsOfCall(
    { switches: { knowledgeBase: true }, knowledgeBaseIds: ['desk', 'unknown', 'desk'], fill },
    { knowledge: createKnowledge(store) },
  )
  return toldBy(useTool(tool('search_knowledge_base'), given))
}

test('gives the model at most three entries of the assistant’s own bases, best first', async () => {
  expect(await search({ query: 'open on saturday' })).toEqual({
    results: [
      { question: 'Are you open on Saturday?', answer: 'Until one.' },
      expect.anything(),
      expect.anything(),
    ],
  })
  expect(await search({ query: 'when are you open' })).toMatchObject({
    results: expect.arrayContaining([
      { question: 'When are you open?', answer: 'Nine to five.', category: 'hours' },
    ]),
  })
  expect(JSON.stringify(await search({ query: 'open' }))).not.toContain('Not for you.')
})

test('fills the variables of replies', async () => {
  const found = await search({ query: 'where can I park' }, text => text.replace('the building', '{{place}}'))
  expect(found).toEqual({ results: [{ question: 'Where can I park?', answer: 'Behind {{place}}.' }] })
})

test('a question without an entry has no results', async () => {
  expect(await search({ query: 'the weather tomorrow' })).toEqual({ results: [] })
})

test.each([{}, { query: '  ' }, { query: 7 }])('asks for a query instead of %j', async given => {
  expect(await search(given)).toEqual({ error: 'query is missing: a text' })
})
