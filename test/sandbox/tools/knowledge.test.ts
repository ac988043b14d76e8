import { expect, test } from 'vitest'
import { createStore } from '../../../src/sandbox/records/store.ts'
import { createKnowledge } from '../../../src/sandbox/tools/knowledge.ts'

const faq = {
  desk: {
    hours: ['When are you open?', 'Nine to five.'],
    parking: ['Where can I park?', 'Behind the building.'],
    price: ['How much does a repair cost?', 'From twenty.'],
    cancel: ['Can I cancel an appointment?', 'Yes, a day ahead.'],
  },
  other: { delivery: ['Do you deliver to Zürich?', 'Every Friday.'], refund: ['返品できますか', 'はい。'] },
}

function knowledge() {
  const store = createStore()
  for (const [knowledgeBaseId, base] of Object.entries(faq)) {
    const entries = Object.entries(base).map(([id, [question = '', answer = '']]) => ({
      id,
      question,
      answer,
    }))
    store.apply({ kind: 'faq', knowledgeBaseId, entries })
  }
  return { store, knowledge: createKnowledge(store) }
}

test.each([
  ['What are your opening hours?', 'hours'],
  ['are you open on saturday', 'hours'],
  ['Is there any parking nearby?', 'parking'],
  ['I want to cancel my appointmnt', 'cancel'],
  ['What do repairs cost?', 'price'],
  ['Do you deliver to ZURICH', 'delivery'],
  ['返品できますか？', 'refund'],
  ['What is the weather like tomorrow?', undefined],
  ['Thank you so much', undefined],
  ['Hello?', undefined],
  ['', undefined],
])('%j finds %j', async (question, id) => {
  const found = await knowledge().knowledge.find(['desk', 'unknown', 'other'], question, 1)
  expect(found[0]?.entry.id).toBe(id)
})

test('checks only the named knowledge bases, and finds a change immediately', async () => {
  const { store, knowledge: found } = knowledge()
  expect(await found.find(['other'], 'When are you open?', 1)).toEqual([])
  expect(await found.find(['desk'], 'Do you sell gift cards?', 1)).toEqual([])
  const entry = { id: 'gift', question: 'Do you sell gift cards?', answer: 'We do.' }
  store.apply({ kind: 'faq', knowledgeBaseId: 'desk', entries: [entry] })
  expect((await found.find(['desk'], 'gift cards', 1))[0]?.entry).toEqual(entry)
  store.apply({ kind: 'faq', knowledgeBaseId: 'desk', entries: [{ ...entry, answer: 'No more.' }] })
  expect((await found.find(['desk'], 'gift cards', 1))[0]?.entry.answer).toBe('No more.')
})

test('finds the asked number of entries, the best first, each once', async () => {
  const { knowledge: found } = knowledge()
  const hits = await found.find(['desk', 'other', 'desk'], 'Can I cancel the delivery appointment?', 3)
  expect(hits.map(({ entry }) => entry.id)).toEqual(['cancel', 'delivery'])
  const scores = hits.map(({ score }) => score)
  expect(scores).toEqual([...scores].sort((one, other) => other - one))
  expect(await found.find(['desk', 'other'], 'Can I cancel the delivery appointment?', 1)).toEqual(
    hits.slice(0, 1),
  )
  expect(await found.find([], 'When are you open?', 3)).toEqual([])
})
