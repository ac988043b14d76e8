import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intentOf, readSlot } from '../../../src/sandbox/reply/offline-intents.ts'

const all = { has: () => true }

test.each([
  ['Can I speak to a person, please?', 'callForward', {}],
  ['Put me through to Sales.', 'callForward', {}],
  ['I want to make an appointment', 'appointment', {}],
  ['Book an appointment on 2026-05-04 at 2:30 p.m.!', 'appointment', { day: '2026-05-04', time: '14:30' }],
  ['Please put me on the waiting list', 'waitList', {}],
  ['Louder!', 'volumeControl', { direction: 'up' }],
  ['I can’t hear you', 'volumeControl', { direction: 'up' }],
  ['That is too loud', 'volumeControl', { direction: 'down' }],
  ['Louder, or let me talk to a human', 'callForward', {}],
])('%j asks for %s', (line, tool, given) => {
  expect(intentOf(line, all)).toEqual({ tool, arguments: given })
  expect(intentOf(line, { has: () => false })).toBeUndefined()
})

test.each([
  'When are you open?',
  'Can I cancel an appointment?',
  'A personal question',
  'How long is the waiting list?',
  'See you on 2026-05-04',
  '',
])('%j asks for no tool', line => {
  expect(intentOf(line, all)).toBeUndefined()
})

test('a day alone answers the question for it, and nothing else', () => {
  const asked = { askedForDay: true }
  expect(intentOf('2026-05-04, 10:00', all, asked)).toEqual({
    tool: 'appointment',
    arguments: { day: '2026-05-04', time: '10:00' },
  })
  expect(intentOf('Never mind', all, asked)).toBeUndefined()
})

test.each([
  ['on 2026-05-04 at 9:05', { day: '2026-05-04', time: '09:05' }],
  ['2026-05-04T16:00', { day: '2026-05-04', time: '16:00' }],
  ['at 12 am or 3 pm', { time: '00:00' }],
  ['12pm', { time: '12:00' }],
  ['at 13 pm, 25:00 or 10:75, then 8 a.m.', { time: '08:00' }],
  ['for 10 people', {}],
  ['call 12026-05-041', {}],
  ['ten amber lamps, 10 amber lamps', {}],
])('reads %j', (line, slot) => {
  expect(readSlot(line)).toEqual(slot)
})

test('finds any day and time among words', () => {
  const words = fc.stringMatching(/^[a-z ,!?]*$/)
  const day = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  fc.assert(
    fc.property(words, day, words, time, words, (before, date, between, [hour, minute], after) => {
      const wanted = {
        day: date.toISOString().slice(0, 10),
        time: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
      }
      expect(readSlot(`${before} ${wanted.day} ${between} ${wanted.time} and ${after}`)).toEqual(wanted)
    }),
  )
})
