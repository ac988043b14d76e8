import { expect, test } from 'vitest'
import { contactNumberReader } from '../../src/batch/contact-number.ts'

test.each([
  [undefined, '+12025550123', { number: '+12025550123' }],
  [undefined, ' +1 (202) 555-0123 ', { number: '+12025550123' }],
  [undefined, "'+12025550123", { number: '+12025550123' }],
  [undefined, "'12025550123", { problem: 'lost-plus' }],
  [undefined, "''+12025550123", { problem: 'invalid-number' }],
  [undefined, '12025550123', { problem: 'lost-plus' }],
  [undefined, '202 555 0123', { problem: 'invalid-number' }],
  [undefined, '1.2E+10', { problem: 'spreadsheet-number' }],
  [undefined, '1,20255501E10', { problem: 'spreadsheet-number' }],
  [undefined, '', { problem: 'missing-number' }],
  [undefined, 'n/a', { problem: 'invalid-number' }],
  [undefined, '+1 202 555 0123 ext. 4', { problem: 'invalid-number' }],
  [undefined, '+1202', { problem: 'invalid-number' }],
  ['US', '(202) 555-0123', { number: '+12025550123' }],
  ['US', '12025550123', { number: '+12025550123' }],
  ['US', '+442071838750', { number: '+442071838750' }],
  ['GB', '020 7183 8750', { number: '+442071838750' }],
  ['GB', '2071838750', { number: '+442071838750', lostZero: true }],
  ['DE', '030 1234567', { number: '+49301234567' }],
  ['DE', '301234567', { number: '+49301234567', lostZero: true }],
  ['DE', '0049 30 1234567', { number: '+49301234567' }],
  ['US', '5550123', { problem: 'invalid-number' }],
])('with the country %s, %j is %j', async (country, text, read) => {
  expect((await contactNumberReader(country))(text)).toEqual(read)
})
