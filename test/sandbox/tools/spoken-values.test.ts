import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dayIn, numbersIn, timeIn } from '../../../src/sandbox/tools/spoken-values.ts'

/** A Thursday. */
const from = new Date('2026-01-01T15:00:00Z')

test.each([
  ['on 2026-03-04, please', '2026-03-04'],
  ['today', '2026-01-01'],
  ['Tomorrow', '2026-01-02'],
  ['the day after tomorrow', '2026-01-03'],
  ['on FRIDAY', '2026-01-02'],
  ['next Thursday', '2026-01-08'],
  ['the 3rd of March', '2026-03-03'],
  ['March 3', '2026-03-03'],
  ['December 31st', '2026-12-31'],
  ['29 February', '2028-02-29'],
  ['31 April', undefined],
  ['2026-02-30', undefined],
  ['Can I march in?', undefined],
])('%j contains the day %j', (line, day) => {
  expect(dayIn(line, from)?.value).toBe(day)
})

test.each([
  ['at 14:30', '14:30'],
  ['at 9:05', '09:05'],
  ['at 2 pm', '14:00'],
  ['12pm', '12:00'],
  ['12 a.m. or 3 pm', '00:00'],
  ['at 13 pm, 25:00 or 10:75, then 8 a.m.', '08:00'],
  ['at 25:00', undefined],
  ['2026-03-04', undefined],
  ['for 10 people', undefined],
])('%j contains the time %j', (line, time) => {
  expect(timeIn(line)?.value).toBe(time)
})

test('finds any day and time in a text', () => {
  const words = fc.stringMatching(/^[a-z ,!?]*$/)
  const day = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-30'), noInvalidDate: true })
  const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  fc.assert(
    fc.property(words, day, words, time, (before, date, between, numbers) => {
      const wanted = date.toISOString().slice(0, 10)
      const clock = numbers.map(number => String(number).padStart(2, '0')).join(':')
      const line = `Book a day, ${before} ${wanted} ${between} ${clock} and more`
      expect([dayIn(line, from)?.value, timeIn(line)?.value]).toEqual([wanted, clock])
    }),
  )
})

test.each([
  ['four of us on 2026-03-04 at 2 pm, table 7', [4, 7]],
  ['order 1234, -2.5 degrees', [1234, -2.5]],
  ['someone weighed it', []],
])('%j contains the numbers %j', (line, numbers) => {
  expect(numbersIn(line, from).map(({ value }) => value)).toEqual(numbers)
})
