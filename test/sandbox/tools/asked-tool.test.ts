import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askedTool } from '../../../src/sandbox/tools/tools-of.ts'
import { toolsOfCall } from './call-tools.ts'

const switches = {
  knowledgeBase: true,
  endCall: true,
  appointment: true,
  volumeControl: true,
  waitList: true,
  callForward: true,
}
const askForDay = 'This is the callyard sandbox: for an appointment, give me a day as YYYY-MM-DD.'

function asked(line: string, previous?: string) {
  const found = askedTool(line, toolsOfCall({ switches, knowledgeBaseIds: ['desk'] }).tools, previous)
  return found && { tool: found.tool.predefined, arguments: found.arguments }
}

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
  expect(asked(line)).toEqual({ tool, arguments: given })
  expect(askedTool(line, toolsOfCall({}).tools)).toBeUndefined()
})

test.each([
  'When are you open?',
  'Can I cancel an appointment?',
  'A personal question',
  'How long is the waiting list?',
  'See you on 2026-05-04',
  '',
])('%j asks for no tool', line => {
  expect(asked(line)).toBeUndefined()
})

test('a single day is an answer only to the question for it', () => {
  expect(asked('2026-05-04, 10:00', askForDay)).toEqual({
    tool: 'appointment',
    arguments: { day: '2026-05-04', time: '10:00' },
  })
  expect(asked('2026-05-04, 10:00', 'Hello')).toBeUndefined()
  expect(asked('Never mind', askForDay)).toBeUndefined()
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
  expect(asked(`Book a day, ${line}`)?.arguments).toEqual(slot)
})

test('finds any day and time in a text', () => {
  const words = fc.stringMatching(/^[a-z ,!?]*$/)
  const day = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  fc.assert(
    fc.property(words, day, words, time, words, (before, date, between, [hour, minute], after) => {
      const wanted = {
        day: date.toISOString().slice(0, 10),
        time: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
      }
      const line = `Book a day, ${before} ${wanted.day} ${between} ${wanted.time} and ${after}`
      expect(asked(line)).toEqual({ tool: 'appointment', arguments: wanted })
    }),
  )
})
