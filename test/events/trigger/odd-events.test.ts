import { expect, test } from 'vitest'
import { type OddShape, oddShapeNames } from '../../../src/events/trigger/index.ts'
import { triggeredOddEvents } from '../../helpers/triggered-events.ts'

const now = Date.parse('2026-03-01T10:00:00.000Z')
const events = triggeredOddEvents('CC-7')

/** The last event of a shape, as a receiver reads it. */
function last(shape: OddShape): Record<string, unknown> {
  return JSON.parse(JSON.stringify(events.findLast(event => event.shape === shape)?.event))
}

test('every shape is sent, one after the other', () => {
  const runs = events.map(({ shape }) => shape).filter((shape, index, all) => shape !== all[index - 1])
  expect(runs).toEqual(oddShapeNames)
})

test('no two events are alike, and each is a JSON object', () => {
  const bodies = events.map(({ event }) => JSON.stringify(event))
  expect(new Set(bodies).size).toBe(bodies.length)
  for (const body of bodies) expect(JSON.parse(body)).toBeTypeOf('object')
})

test.each([
  ['numeric-call-id', 'message.call.id', expect.any(Number)],
  ['numeric-phone-numbers', 'message.customer.number', 12025550123],
  ['epoch-milliseconds', 'message.call.endAt', now],
  ['epoch-seconds', 'message.call.endAt', now / 1000],
  ['epoch-text', 'message.call.endAt', String(now)],
  ['analysis-as-text', 'message.analysis', 'good'],
  ['assistant-as-text', 'message.assistant', 'assistant-1'],
  ['messages-as-text', 'message.type', 'status-update'],
  ['status-busy', 'message.call.status', 'busy'],
  ['end-of-call-report', 'message.messages[1].role', 'user'],
  ['end-time-alone', 'message.call.endAt', '2026-03-01T10:00:00.000Z'],
  ['no-envelope', 'call.status', 'finished'],
] as const)('%s has %s', (shape, path, value) => {
  expect(last(shape)).toHaveProperty(path, value)
})

test('a shape leaves out the field', () => {
  expect(last('call-without-id')).not.toHaveProperty('message.call.id')
  expect(last('no-call')).not.toHaveProperty('message.call')
  expect(last('type-missing')).not.toHaveProperty('message.type')
  expect(last('end-time-alone')).not.toHaveProperty('message.call.status')
})

test('fields of any name are own fields of the JSON', () => {
  const body = JSON.stringify(events.find(({ shape }) => shape === 'own-names')?.event)
  expect(body).toContain('"__proto__":{"polluted":true}')
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})
