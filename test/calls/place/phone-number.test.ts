import * as fc from 'fast-check'
import parsePhoneNumber, { getExampleNumber, isSupportedCountry } from 'libphonenumber-js'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, test } from 'vitest'
import { phoneNumberReader } from '../../../src/calls/place/index.ts'

const read = await phoneNumberReader()

describe('a number with its country code is read', () => {
  test.each([
    '+12025550123',
    ' +1 (202) 555-0123 ',
    "'+12025550123",
    '="+12025550123"',
    '=+12025550123',
    'tel:+1-202-555-0123',
    'TEL: +1 202 555 0123',
    '(+1) 202 555 0123',
    '+12025550123.0',
    '+1\u00a0202\u202f555\u20090123',
    '\u202a+1 202 555 0123\u202c',
    '＋１（２０２）５５５－０１２３',
    '+١٢٠٢٥٥٥٠١٢٣',
  ])('%s', written => {
    expect(read(written)).toEqual({ number: '+12025550123' })
  })

  test.each([
    ['+49 (0) 151 12345678', '+4915112345678'],
    ['+39 (0)6 12345678', '+390612345678'],
    ['+5215512345678', '+525512345678'],
    ['+52 1 55 1234 5678', '+525512345678'],
  ])('%s', (written, number) => {
    expect(read(written)).toEqual({ number })
  })
})

test.each([
  ['', 'missing-number'],
  ["'12025550123", 'lost-plus', '+12025550123'],
  ['12025550123', 'lost-plus', '+12025550123'],
  ['12025550123.0', 'lost-plus', '+12025550123'],
  ['5215512345678', 'lost-plus', '+525512345678'],
  ['1.2E+10', 'shortened-number'],
  ['1,20255501e10', 'shortened-number'],
  ['+1 202 555 0123 ext. 4', 'number-extension', '+12025550123'],
  ['tel:+1-202-555-0123;ext=4', 'number-extension', '+12025550123'],
  ['+12025550123,,4', 'number-extension', '+12025550123'],
  ['+1 202 555 0123/4', 'several-numbers', '+12025550123', '+12025550124'],
  ["''+12025550123", 'invalid-number'],
  ['+1202', 'invalid-number'],
  ['202 555 0123', 'invalid-number'],
  ['+1 202 555 0123²', 'invalid-number'],
  ['+49 30 1234567, +49 30 1234568', 'two-numbers', '+49301234567', '+49301234568'],
  ['n/a', 'invalid-number'],
])('%j has the problem %s', (written, problem, ...readings) => {
  expect(read(written)).toEqual({ problem, readings })
})

test.each<[string, string, object]>([
  ['US', '(202) 555-0123', { number: '+12025550123' }],
  ['US', '12025550123', { number: '+12025550123' }],
  ['US', '2025550119.0', { number: '+12025550119' }],
  ['US', '+442071838750', { number: '+442071838750' }],
  ['US', '5550123', { problem: 'invalid-number', readings: [] }],
  ['GB', '020 7183 8750', { number: '+442071838750' }],
  ['GB', '442071838750', { number: '+442071838750' }],
  ['GB', '2071838750', { number: '+442071838750', lostZero: true }],
  // A number in Egypt, or in London.
  ['GB', '2031234567', { problem: 'lost-plus', readings: ['+2031234567', '+442031234567'] }],
  ['DE', '030 1234567', { number: '+49301234567' }],
  ['DE', '030/1234567', { number: '+49301234567' }],
  ['DE', '301234567', { number: '+49301234567', lostZero: true }],
  ['DE', '0049 30 1234567', { number: '+49301234567' }],
  ['DE', '4915112345678', { problem: 'lost-plus', readings: ['+4915112345678', '+494915112345678'] }],
  ['DE', '4.915.112.345.678', { problem: 'lost-plus', readings: ['+4915112345678', '+494915112345678'] }],
  ['DE', '15123456789', { problem: 'lost-plus', readings: ['+15123456789', '+4915123456789'] }],
  [
    'DE',
    '030 1234567/8',
    { problem: 'several-numbers', readings: ['+493012345678', '+49301234567', '+49301234568'] },
  ],
  ...['030 1234567/-8', '030 1234567 -/ 8', '030 1234567 (8)', '030 1234567[8]', '030 1234567.8'].map(
    (text): [string, string, object] => [
      'DE',
      text,
      { problem: 'several-numbers', readings: ['+493012345678', '+49301234567', '+49301234568'] },
    ],
  ),
  // The prefix of another country, or a number of this one.
  ...['04915112345678', '049 151 12345678'].map((text): [string, string, object] => [
    'DE',
    text,
    { problem: 'several-numbers', readings: ['+4915112345678', '+494915112345678'] },
  ]),
  [
    'DE',
    '01149 151 12345678',
    { problem: 'several-numbers', readings: ['+4915112345678', '+49114915112345678'] },
  ],
  ['DE', '0491 123456', { number: '+49491123456' }],
  ['JP', '011-234-5678', { number: '+81112345678' }],
  ['AR', '011 4321-1234', { number: '+541143211234' }],
  ['GB', '0114 234 5678', { number: '+441142345678' }],
  ...['28112026', '28 11 2026', '20261128', '11282026', '5112026', '202611280930'].map(
    (text): [string, string, object] => [
      'DE',
      text,
      { problem: 'possible-date', readings: [`+49${text.replaceAll(' ', '')}`] },
    ],
  ),
  // No day of the calendar.
  ...['28132026', '31022026', '28112126'].map((text): [string, string, object] => [
    'AT',
    text,
    { number: `+43${text}`, lostZero: true },
  ]),
  ['IN', '28112026', { problem: 'possible-date', readings: ['+9128112026'] }],
  ['IT', '28112026', { problem: 'possible-date', readings: ['+39028112026'] }],
  ['SG', '28112026', { problem: 'possible-date', readings: ['+6528112026'] }],
  // Valid without any repair: a number.
  ['SG', '31122026', { number: '+6531122026' }],
  ['DK', '28112026', { number: '+4528112026' }],
  ['NO', '22112026', { number: '+4722112026' }],
  ['EE', '5112026', { number: '+3725112026' }],
  ['DE', '05112026', { number: '+495112026' }],
  ['US', '28112026', { problem: 'possible-date', readings: [] }],
  ['US', '202611280930', { problem: 'possible-date', readings: ['+202611280930'] }],
  ['DK', '2026/11/28', { problem: 'possible-date', readings: [] }],
  ['DE', '2026.11.28', { problem: 'possible-date', readings: [] }],
  // The zero is optional.
  ['IN', '9876543210', { number: '+919876543210' }],
  ['TR', '5061234567', { number: '+905061234567' }],
  ...['28.11.2026', '2026-11-28', '10/11/2026', 'Nov 28, 2026', '28. November 2026'].map(
    (text): [string, string, object] => ['DE', text, { problem: 'possible-date', readings: [] }],
  ),
  ...['-12345780', '12345678,90'].map((text): [string, string, object] => [
    'DE',
    text,
    { problem: 'invalid-number', readings: [] },
  ]),
  ['DE', '1234', { problem: 'invalid-number', readings: ['+491234'] }],
  ...['45989', '46000', '281126', '28.11.26'].map((text): [string, string, object] => [
    'DE',
    text,
    { problem: 'possible-date', readings: [`+49${text.replaceAll('.', '')}`] },
  ]),
  ['US', '-2025550111', { problem: 'invalid-number', readings: [] }],
  ['DE', '030 1234567 / 030 7654321', { problem: 'two-numbers', readings: ['+49301234567', '+49307654321'] }],
  [
    'US',
    '+12025550111 / +12025550112',
    { problem: 'two-numbers', readings: ['+12025550111', '+12025550112'] },
  ],
  [
    'US',
    '+12025550111, +12025550112',
    { problem: 'two-numbers', readings: ['+12025550111', '+12025550112'] },
  ],
  [
    'US',
    '+1 202 555 0111\n+1 202 555 0112',
    { problem: 'two-numbers', readings: ['+12025550111', '+12025550112'] },
  ],
  [
    'US',
    '202-555-0111 or 202-555-0112',
    { problem: 'two-numbers', readings: ['+12025550111', '+12025550112'] },
  ],
  ...[' ::: ', '•', ' • ', '<br>', '<br/>', '\t', ';', '; ', '\n', '\r\n', '/', ' | ', ',', ' & '].flatMap(
    between =>
      ['2025550111', '+12025550111', '(202) 555-0111'].map((first): [string, string, object] => [
        'US',
        `${first}${between}2025550112`,
        { problem: 'two-numbers', readings: ['+12025550111', '+12025550112'] },
      ]),
  ),
  ['US', '2025550111;2025550111', { problem: 'two-numbers', readings: ['+12025550111'] }],
  ['US', '2025550111;', { number: '+12025550111' }],
  ['US', '“+12025550111”', { number: '+12025550111' }],
  ['US', '+12025550111 / home', { problem: 'invalid-number', readings: [] }],
  ['FR', '01/23/45/67/89', { number: '+33123456789' }],
  ['IT', '0612345678', { number: '+390612345678' }],
  ['IT', '612345678', { number: '+390612345678', lostZero: true }],
  ['IT', '3401234567', { number: '+393401234567' }],
  // In Gabon, the zero is a part of the number.
  ['GA', '6030000', { problem: 'several-numbers', readings: ['+2416030000', '+24106030000'] }],
  ['BR', '21 91234-5678', { number: '+5521912345678' }],
  ['HU', '06 1 234 5678', { number: '+3612345678' }],
  ['HU', '612345678', { problem: 'several-numbers', readings: ['+36612345678', '+3612345678'] }],
])('with the country %s, %j is %j', async (country, text, expected) => {
  expect((await phoneNumberReader(country))(text)).toEqual(expected)
})

const countries = Object.keys(examples).filter(code => isSupportedCountry(code))

/** A valid number of any country. */
const validNumber = fc
  .tuple(fc.constantFrom(...countries), fc.integer({ min: 0, max: 9999 }))
  .map(([country, end]) => {
    const example = getExampleNumber(country, examples)?.number ?? ''
    return parsePhoneNumber(example.slice(0, -4) + String(end).padStart(4, '0'))
  })
  .filter(number => number?.isValid() === true && number.country !== undefined)
  .map(number => number ?? expect.fail())

type Number = NonNullable<ReturnType<typeof parsePhoneNumber>>

/** Notations of a number, alone or in a list of its country. */
const notations: Readonly<Record<string, (number: Number) => string>> = {
  plain: ({ number }) => number,
  international: number => number.formatInternational(),
  national: number => number.formatNational(),
  link: number => number.getURI(),
  formula: ({ number }) => `="${number}"`,
  text: ({ number }) => `'${number}`,
  'code in brackets': number => number.formatInternational().replace(/^(\+\d+)/, '($1)'),
  'zero in brackets': number => number.formatInternational().replace(' ', ' (0) '),
  'two zeros': ({ number }) => number.replace('+', '00'),
  'without +': ({ number }) => number.slice(1),
  'without a zero': number => number.formatNational().replace(/\D/g, '').replace(/^0/, ''),
  'national digits': ({ nationalNumber }) => nationalNumber,
  decimal: ({ number }) => `${number.slice(1)}.0`,
  'decimal without a zero': ({ nationalNumber }) => `${Number(nationalNumber)}.0`,
  thousands: ({ number }) => Number(number.slice(1)).toLocaleString('en'),
  shortened: ({ number }) => Number(number.slice(1)).toExponential(4).toUpperCase(),
  'full-width': ({ number }) =>
    number.replace(/[+\d]/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
  'marks of direction': number => `\u202a${number.formatInternational().replaceAll(' ', '\u00a0')}\u202c`,
  extension: number => `${number.formatInternational()} x12`,
  'two numbers': number => `${number.formatInternational()} / ${number.formatInternational()}`,
}

const readers = new Map(
  await Promise.all(countries.map(async country => [country, await phoneNumberReader(country)] as const)),
)

test.each(Object.entries(notations))('a number is itself or a problem: %s', (_, write) => {
  fc.assert(
    fc.property(validNumber, number => {
      const written = write(number)
      for (const reader of [read, number.country && readers.get(number.country)]) {
        const found = reader?.(written)
        if (found !== undefined && 'number' in found) expect(found.number).toBe(number.number)
      }
    }),
  )
})

test('however its digits are set apart, a number is the same one', () => {
  const separators = fc.array(fc.constantFrom('', ' ', '-', '.', ' (', ') ', '\u00a0'), {
    minLength: 10,
    maxLength: 10,
  })
  fc.assert(
    fc.property(separators, fc.integer({ min: 0, max: 99 }), (between, last) => {
      const digits = `120255501${String(last).padStart(2, '0')}`
      const written = [...digits].map((digit, index) => `${digit}${between[index] ?? ''}`).join('')
      expect(read(`+${written}`)).toEqual({ number: `+${digits}` })
    }),
  )
})

test('nothing is picked out of a text', () => {
  const letters = fc.stringMatching(/^[A-Za-z]{1,12}$/)
  fc.assert(
    fc.property(letters, word => {
      expect(read(`${word} +12025550100`)).toHaveProperty('problem')
      expect(read(`+12025550100 ${word}`)).toHaveProperty('problem')
    }),
  )
})
