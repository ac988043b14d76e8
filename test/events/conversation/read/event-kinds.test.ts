import { expect, test } from 'vitest'
import { describeBody, hasPayload, webhookTypes } from '../../../../src/events/conversation/index.ts'
import { readEvent } from '../../../helpers/events.ts'
import { triggeredEvent } from '../../../helpers/triggered-events.ts'

test.each(webhookTypes)('the sample of %s is read without anything odd, and described', type => {
  const sample = triggeredEvent(type)
  expect(readEvent(sample)).toMatchObject({ type, callId: 'CC-1', odd: [] })
  expect(describeBody(sample)).not.toBe('')
})

test.each(webhookTypes)('%s without its fields is odd, and described anyway', type => {
  const event = { message: { type } }
  expect(readEvent(event).odd).toHaveLength(1)
  expect(describeBody(event)).toBeTypeOf('string')
})

test.each([
  ['status-update', 'status', true],
  ['Status_Update', 'status', true],
  ['conversation update', 'messages', true],
  ['conversation-update', 'status', false],
  ['call-summary', 'status', false],
  ['__proto__', 'messages', false],
] as const)('%s has a %s: %s', (type, what, is) => {
  expect(hasPayload(type, what)).toBe(is)
})

test.each([
  [
    { message: { type: 'call-summary', call: { status: 'finished' }, messages: [1, 2] } },
    'finished · 2 messages',
  ],
  [{ message: { type: 7, call: { status: 3 }, messages: 'none' } }, '3'],
  [{ message: 'text' }, ''],
  [undefined, ''],
])('a body of another type or shape is described by its call and its messages', (body, words) => {
  expect(describeBody(body)).toBe(words)
})
