import { expect, test } from 'vitest'
import { openKnowledge } from '../../../src/sandbox/index.ts'

const faq = {
  desk: {
    hours: ['When are you open?', 'Nine to five.'],
    parking: ['Where can I park?', 'Behind the building.'],
    price: ['How much does a repair cost?', 'From twenty.'],
    cancel: ['Can I cancel an appointment?', 'Yes, a day ahead.'],
  },
  other: { delivery: ['Do you deliver to Zürich?', 'Every Friday.'], refund: ['返品できますか', 'はい。'] },
}

const find = openKnowledge(
  Object.entries(faq).map(([knowledgeBaseId, base]) => ({
    kind: 'faq',
    knowledgeBaseId,
    entries: Object.entries(base).map(([id, [question = '', answer = '']]) => ({ id, question, answer })),
  })),
)

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
  expect((await find(question, 1))[0]?.entry.id).toBe(id)
})

test('finds at most the requested number of entries of all bases, the best first', async () => {
  const question = 'Can I cancel the delivery appointment?'
  const hits = await find(question, 3)
  expect(hits.map(({ entry }) => entry.id)).toEqual(['cancel', 'delivery'])
  const scores = hits.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((one, other) => other - one))
  expect(await find(question, 1)).toEqual(hits.slice(0, 1))
})
