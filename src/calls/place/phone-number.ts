import type { CountryCode } from 'libphonenumber-js'
import { isShortenedNumber, readDayDigits, readDays, shortenedNumber } from '../../files/tables/index.ts'

/** Problems of a number that is written. */
type NumberProblem =
  | 'missing-number'
  | 'shortened-number'
  | 'lost-plus'
  | 'number-extension'
  | 'several-numbers'
  | 'two-numbers'
  | 'possible-date'
  | 'invalid-number'

export type ReadNumber =
  /** In E.164 form. `lostZero`: the leading zero of a national number is missing. */
  | { readonly number: string; readonly lostZero?: true }
  /** `readings`: the numbers in E.164 form that may be meant. */
  | { readonly problem: NumberProblem; readonly readings: readonly string[] }

export type NumberReader = (text: string) => ReadNumber

/** `2025550119.0`: a number that a program has stored as a decimal. */
const wholeDecimal = /^([1-9]\d{2,})[.,]0+$/

/** `+12025550119.0`: decimals, or digits of the number. */
const zeroDecimals = /^([^.,]*\d{3})[.,]0+$/

/** `030 1234567/8`, `/-8`, `(8)`, `[8]` and `.8`: another number by its last digits, an extension, or a separator. */
const shortEnd = /^(.*\d)\s*(?:-?\s*\/\s*-?\s*(\d{1,3})|[([]\s*(\d{1,3})\s*[)\]]|\.(\d))$/

/** Dates of a spreadsheet. */
const writtenDate =
  /^(?:(?:0?[1-9]|[12]\d|3[01])([./-])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d\d|(?:19|20)\d\d([./-])[01]?\d\2[0-3]?\d)$/

/** Amounts and negative numbers of a spreadsheet. */
const notPhoneNumber = /^(?:\d{3,}[.,]\d\d|-.*)$/

/** Digits of the shortest number without its zero: an area code and a number. */
const minNationalDigits = 7

/** Digits after a country code from which it is one: area codes may begin with the same digits. */
const minDigitsAbroad = 9

/** Between the numbers of a cell with two. */
const betweenNumbers = /\s*[/,&]\s*|\s+(?=\+)|\s+(?:or|and|oder|und|ou|et|o|y|e)\s+/i

/** Between the lines and items of a cell, and never inside a number. */
const betweenItems = /\s*(?:[\r\n\t\u2028\v;|•]|:::|<br ?\/?>)\s*/i

/** Mexican mobile number as it was dialed until 2019, with a 1 after the country code. */
const oldMexicanMobile = /^\+521(\d{10})$/

/** Number of digits of a country code and a number. */
const withCountryCode = /^\d{11,15}$/

/** Marks for the direction of text, which are copied along with a number, and other characters without width. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** Digits of other scripts: Arabic, Persian, full-width. */
const otherDigits = /[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g

/**
 * Returns the function that reads every phone number that a person writes. A number without a country code is one of
 * `defaultCountry`; the country is never guessed, and a text with two readings is a problem.
 */
export async function phoneNumberReader(defaultCountry?: string): Promise<NumberReader> {
  const { default: parse, getCountryCallingCode, isSupportedCountry } = await import('libphonenumber-js')
  const country: CountryCode | undefined =
    defaultCountry !== undefined && isSupportedCountry(defaultCountry) ? defaultCountry : undefined
  const callingCode = country && getCountryCallingCode(country)
  const read = (text: string) => {
    const parsed = parse(text, { extract: false, ...(country !== undefined && { defaultCountry: country }) })
    return parsed?.isPossible() === true ? parsed : undefined
  }

  const readNumber: NumberReader = written => {
    const text = plainText(written)
    if (text === '') return { problem: 'missing-number', readings: [] }
    if (isShortenedNumber(text)) return { problem: 'shortened-number', readings: [] }
    if (writtenDate.test(text)) return { problem: 'possible-date', readings: [] }
    if (notPhoneNumber.test(text)) return { problem: 'invalid-number', readings: [] }
    const items = written.split(betweenItems).filter(item => item.trim() !== '')
    if (items.length === 1 && items[0] !== written) return readNumber(items[0] ?? '')
    const numbers = items.length > 1 ? items.map(item => readingsOf(readNumber(item))) : []
    if (numbers.length > 0 && numbers.every(({ length }) => length > 0))
      return { problem: 'two-numbers', readings: [...new Set(numbers.flat())] }
    const isInternational = text.includes('+')
    const notations = notationsOf(text)
    const allNumbers = notations.flatMap(notation => read(notation) ?? [])
    const valid = allNumbers.filter(one => one.isValid())
    const readings = new Set((valid.length > 0 ? valid : allNumbers).map(({ number }) => number))
    if (readings.size > 1) {
      const withPlus = isInternational ? [] : notations.map(notation => read(`+${digitsOf(notation)}`))
      for (const one of withPlus) if (one?.isValid() === true) readings.add(one.number)
      return { problem: 'several-numbers', readings: [...readings] }
    }
    const parsed = valid[0] ?? allNumbers[0]
    if (parsed?.ext !== undefined) return { problem: 'number-extension', readings: [parsed.number] }

    const digits = digitsOf(text)
    const readInternational = () =>
      isInternational || /\p{L}/u.test(text) ? undefined : read(plainText(`+${digits}`))
    if (text.startsWith('00')) {
      const international = read(`+${digits.slice(2)}`)
      const others = international?.isValid() === true ? [international.number] : []
      if (valid.length === 0) return { problem: 'invalid-number', readings: others }
      const both = [...new Set([...readings, ...others])]
      if (both.length > 1) return { problem: 'several-numbers', readings: both }
    }
    if (parsed === undefined) {
      const parts = text.split(betweenNumbers)
      const readingsOfParts = parts.length > 1 ? parts.map(part => readingsOf(readNumber(part))) : []
      if (readingsOfParts.length > 0 && readingsOfParts.every(({ length }) => length > 0))
        return { problem: 'two-numbers', readings: [...new Set(readingsOfParts.flat())] }
      const international = withCountryCode.test(digits) ? readInternational() : undefined
      const isDay = !isInternational && (isDate(digits) || readDays(text).length > 0)
      const withoutReading = isDay ? 'possible-date' : 'invalid-number'
      return international === undefined
        ? { problem: withoutReading, readings: [] }
        : { problem: isDay ? 'possible-date' : 'lost-plus', readings: [international.number] }
    }
    if (isInternational) return { number: parsed.number }
    // `049 151 …` and `011 49 151 …`: an international number with the prefix of another country, or a national one.
    const prefix = [`0${callingCode}`, `011${callingCode}`].find(candidate => digits.startsWith(candidate))
    const abroad =
      prefix && callingCode !== '1' ? read(`+${callingCode}${digits.slice(prefix.length)}`) : undefined
    if (abroad?.isValid() === true && abroad.nationalNumber.length >= minDigitsAbroad)
      return { problem: 'several-numbers', readings: [abroad.number, parsed.number] }

    const lacksPrefix = digits === parsed.nationalNumber && !digits.startsWith('0')
    const formatted = lacksPrefix ? parsed.formatNational() : ''
    // People write a number as it is formatted, with its zero.
    const isWrittenWithZero = digitsOf(formatted).startsWith('0')
    // Numbers of +1 never have a zero, and reading one is slow.
    const withZero = lacksPrefix && callingCode !== '1' ? read(`0${digits}`) : undefined
    const hasOtherZero = withZero?.isValid() === true && withZero.number !== parsed.number
    const lostKeptZero = hasOtherZero && valid.length === 0
    const hasNoFormat = formatted === digits && withZero?.number === parsed.number
    const lostZero = lostKeptZero || isWrittenWithZero || hasNoFormat
    const { number } = lostKeptZero ? withZero : parsed
    // Mobile numbers of India and Turkey are written with or without a zero.
    const isZeroOptional =
      isWrittenWithZero && !digitsOf(parsed.format('NATIONAL', { nationalPrefix: false })).startsWith('0')
    const isAsWritten = valid.length > 0 && (!lostZero || isZeroOptional)
    if (!isAsWritten && isDate(digits)) return { problem: 'possible-date', readings: [number] }
    if (lostZero && digits.length < minNationalDigits)
      return { problem: 'invalid-number', readings: [number] }
    const international = lostZero || digits.startsWith(callingCode ?? '+') ? readInternational() : undefined
    if (international?.isValid() === true && international.number !== number)
      return { problem: 'lost-plus', readings: [international.number, number] }
    // Where the zero is a part of the number, as in Italy, whose mobile numbers have none.
    if (hasOtherZero && !lostKeptZero && !(callingCode === '39' && digits.startsWith('3')))
      return { problem: 'several-numbers', readings: [number, withZero.number] }
    return lostZero && !isZeroOptional ? { number, lostZero } : { number }
  }
  return readNumber
}

/** True for the code of a country whose numbers can be read. */
export async function isCountry(code: string): Promise<boolean> {
  const { isSupportedCountry } = await import('libphonenumber-js')
  return isSupportedCountry(code)
}

/** Returns the numbers in E.164 form that may be meant. */
export function readingsOf(read: ReadNumber): readonly string[] {
  return 'number' in read ? [read.number] : read.readings
}

/** Removes what programs put around a number, and what means nothing in it. */
function plainText(written: string): string {
  const text = written
    .replace(invisible, '')
    .replace(otherDigits, digit => String(digit.charCodeAt(0) & 0xf))
    .replaceAll('\uff0b', '+')
    .replace(/\s+/g, ' ')
    .trim()
    // `="+12025550123"` and `'+12025550123`, by which a spreadsheet keeps a number as text.
    .replace(/^="([^"]*)"$|^=(?=\+)/, '$1')
    .replace(/^'(?=[+\d(])/, '')
    .replace(/^tel: ?(?=[+\d(])/i, '')
    .replace(/^\((\+\d{1,3})\)/, '$1')
    .replace(/^[\u2018-\u201f\u00ab\u00bb](.*)[\u2018-\u201f\u00ab\u00bb]$/, '$1')
    .replace(wholeDecimal, '$1')
  const [, mexican] = oldMexicanMobile.exec(text.replace(/[ ().-]/g, '')) ?? []
  return mexican === undefined ? text : `+52${mexican}`
}

/** Returns the possible readings of a text, each in one notation. */
function notationsOf(text: string): readonly string[] {
  const [, whole] = zeroDecimals.exec(text) ?? []
  if (whole !== undefined) return [text, whole]
  const [, first, ...ends] = shortEnd.exec(text) ?? []
  const end = ends.find(ending => ending !== undefined) ?? ''
  if (first !== undefined) return [text, first, first.slice(0, -end.length) + end]
  // `+39 (0)6 …`: an Italian number has the zero, a German one has not.
  return text.startsWith('+') && text.includes('(0)') ? [text, text.replace('(0)', '')] : [text]
}

/** True for the digits of a day of the calendar. */
function isDate(digits: string): boolean {
  return readDayDigits(digits).length > 0
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

/** A number that cannot be called as it is written. */
export interface UnusableNumber {
  readonly problem: NumberProblem
  readonly written: string
  readonly readings: readonly string[]
  /** Country of numbers without a country code. */
  readonly country?: string | undefined
}

/** Returns what is wrong with a number, and how to write it. */
export function describeNumberProblem({ problem, written, readings, country }: UnusableNumber): {
  readonly message: string
  readonly hint: string
} {
  const text = JSON.stringify(written)
  const [reading = '+12025550123'] = readings
  const means = (what: string) => ({
    message: `${text} ${what} ${readings.join(' or ')}`,
    hint: `write the number that is meant: ${readings.join(' or ')}`,
  })
  switch (problem) {
    case 'shortened-number':
      return shortenedNumber(written)
    case 'lost-plus':
      return readings.length > 1
        ? means('may have lost its +, and can be read as')
        : {
            message: `${text} may have lost its +`,
            hint: `if it begins with a country code, write ${reading}`,
          }
    case 'number-extension':
      return {
        message: `${text} has an extension, which cannot be dialed`,
        hint: `write a number without an extension, such as ${reading}`,
      }
    case 'several-numbers':
      return means('can be read as')
    case 'two-numbers':
      return {
        message: `${text} is more than one number`,
        hint: `write one number: ${readings.join(' or ')}`,
      }
    case 'possible-date':
      return readings.length === 0
        ? {
            message: `${text} may be a date, and is not a phone number`,
            hint: `check that this is where the numbers are; write a number as ${reading}`,
          }
        : {
            message: `${text} may be a date, or the number ${reading}`,
            hint: `if it is the number, write ${reading}`,
          }
    case 'invalid-number':
    case 'missing-number':
      return {
        message: `${text} is not a phone number${country === undefined ? ' with its country code' : ` of ${country}`}`,
        hint: `write it with + and its country code, such as ${reading}`,
      }
  }
}
