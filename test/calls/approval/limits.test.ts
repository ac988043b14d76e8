import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findLimit, isNumberPattern } from '../../../src/calls/approval/index.ts'

const noon = new Date(2026, 0, 5, 12).getTime()
const call = { number: '+12025550123', at: noon, callsToday: () => 1 }

function allowsNumber(pattern: string, number: string): boolean {
  return findLimit([{ numbers: [pattern] }], { ...call, number }) === undefined
}

test.each([
  ['+12025550123', true],
  ['+1202555*', true],
  ['+*', true],
  ['+12025550124', false],
  ['+1202556*', false],
  ['+1202555', false],
])('%s for +1 (202) 555-0123: %s', (pattern, isAllowed) => {
  expect(allowsNumber(pattern, '+1 (202) 555-0123')).toBe(isAllowed)
})

test('a pattern never allows a text that is not a number in international form', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      fc.pre(!/^\+\d+$/.test(text.replace(/[\s().-]/g, '')))
      expect(allowsNumber('+*', text)).toBe(false)
      expect(allowsNumber('*', text)).toBe(false)
    }),
  )
})

test('a pattern allows exactly the numbers that begin with it', () => {
  const digits = fc.stringMatching(/^\d{1,8}$/)
  fc.assert(
    fc.property(digits, digits, (prefix, number) => {
      expect(allowsNumber(`+${prefix}*`, `+${number}`)).toBe(number.startsWith(prefix))
      expect(allowsNumber(`+${prefix}`, `+${number}`)).toBe(number === prefix)
    }),
  )
})

test.each([
  ['+1202555*', true],
  ['+12025550123', true],
  ['1202555*', false],
  ['+1202*555', false],
  ['', false],
])('%j is a pattern: %s', (text, isPattern) => {
  expect(isNumberPattern(text)).toBe(isPattern)
})

test.each([
  [{ numbers: ['+4930*'] }, 'number-not-allowed'],
  [{ numbers: [] }, 'number-not-allowed'],
  [{ callsPerDay: 0 }, 'calls-per-day-reached'],
  [{ callsPerDay: 1 }, undefined],
  [{ hours: '13:00-14:00' }, 'outside-hours'],
  [{ hours: '11:00-12:00' }, 'outside-hours'],
  [{ hours: '08:00-09:00,12:00-12:01' }, undefined],
  [{ numbers: ['+1202*'], callsPerDay: 9, hours: '00:00-24:00' }, undefined],
] as const)('%j: %s', (limits, code) => {
  expect(findLimit([limits], call)?.code).toBe(code)
})

test.each([
  ['America/New_York', '07:00-07:01', undefined],
  ['Asia/Tokyo', '07:00-07:01', 'outside-hours'],
  ['Asia/Tokyo', '21:00-21:01', undefined],
  ['Europe/Berlin', '00:00-00:01', 'outside-hours'],
])('hours are those of the time zone of the limits: %s, %s', (timeZone, hours, code) => {
  const at = Date.parse('2026-01-05T12:00:30Z')
  expect(findLimit([{ hours, timeZone }], { ...call, at })?.code).toBe(code)
})

test('midnight is the first minute of a day', () => {
  const at = Date.parse('2026-01-04T23:00:00Z')
  const limits = [{ hours: '00:00-00:01', timeZone: 'Europe/Berlin' }]
  expect(findLimit(limits, { ...call, at })).toBeUndefined()
})

test('of several profiles of a service, every limit applies', () => {
  expect(findLimit([{ callsPerDay: 5 }, { numbers: ['+49*'] }], call)?.code).toBe('number-not-allowed')
})

test('a call without a readable number is not allowed where numbers are limited', () => {
  expect(findLimit([{ numbers: ['+*'] }], { ...call, number: undefined })?.code).toBe('number-not-allowed')
})
