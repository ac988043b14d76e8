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
  ['at 2 pm', '14:00'],
  ['12 a.m.', '00:00'],
  ['at 25:00', undefined],
  ['2026-03-04', undefined],
])('%j contains the time %j', (line, time) => {
  expect(timeIn(line)?.value).toBe(time)
})

test.each([
  ['four of us on 2026-03-04 at 2 pm, table 7', [4, 7]],
  ['order 1234, -2.5 degrees', [1234, -2.5]],
  ['someone weighed it', []],
])('%j contains the numbers %j', (line, numbers) => {
  expect(numbersIn(line, from).map(({ value }) => value)).toEqual(numbers)
})
