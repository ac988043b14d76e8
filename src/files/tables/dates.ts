import { lazy } from '../../lib/lazy.ts'
import { foldWords } from './letters.ts'

/** Languages of the lists that people have. */
const languages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'sv',
  'da',
  'nb',
  'fi',
  'cs',
  'hr',
  'tr',
  'hu',
  'ro',
  'uk',
  'ru',
  'el',
  'he',
  'ar',
  'hi',
  'th',
  'vi',
  'zh',
  'ja',
  'ko',
] as const
export type Language = (typeof languages)[number]

/** Time of day behind a date, with its time zone. */
const time =
  /(?<=\d)[T, ]\s*\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?(?:\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d))*$/i
const yearFirst = /^(\d{4})([-./年])\s?(\d\d?)[-./月]\s?(\d\d?)日?$/
const yearLast = /^(\d\d?)([-./ ])(\d\d?)\2(\d{4}|\d\d)$/
const monthSecond = /^(\d\d?)(?:st|nd|rd|th|er)? (?:de |of )?(\p{L}+) (?:del? )?(\d{4}|\d\d)$/u
const monthFirst = /^(\p{L}+) (\d\d?)(?:st|nd|rd|th)? (\d{4}|\d\d)$/u

/**
 * Returns the days, in milliseconds since the epoch, that a text may mean which is a date, with or without a time: `2026-01-02`, `1/2/26`,
 * `Jan 2, 2026`, `2 January 2026`. None for another text, and for a day that does not exist.
 */
export function readDays(text: string): readonly number[] {
  const day = text.includes(':') ? text.replace(time, '') : text
  const [, year, , month, date] = yearFirst.exec(day) ?? []
  if (year !== undefined) return daysOf([year, month, date])
  const [, one, , other, last] = yearLast.exec(day) ?? []
  if (last !== undefined) return daysOf([last, one, other], [last, other, one])
  if (!/^[\p{L}\d][^\d]*\d/u.test(day)) return []
  const words = foldWords(day)
  const [, dayBefore, name = '', yearAfter] = monthSecond.exec(words) ?? []
  const [, nameFirst = '', dayAfter, yearLater] = monthFirst.exec(words) ?? []
  return daysOf(
    ...monthsNamed(name).map(number => [yearAfter, String(number), dayBefore]),
    ...monthsNamed(nameFirst).map(number => [yearLater, String(number), dayAfter]),
  )
}

/** `20261128`, also with a time. */
const digitsYearFirst = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)?$/

/** `28112026` and `11282026`; a spreadsheet drops the zero of `05112026`. */
const digitsYearLast = /^(\d{1,2})(\d\d)((?:19|20)\d\d)$/

/** `281126`, `112826` and `261128`. */
const sixDigits = /^(\d\d)(\d\d)(\d\d)$/

/** Number by which a spreadsheet stores a day of the years 1982 to 2064. */
const serialDay = /^[345]\d{4}$/

/** Day that a spreadsheet counts from. */
const serialStart = Date.UTC(1899, 11, 30)

/** Returns the days that digits may mean. */
export function readDayDigits(digits: string): readonly number[] {
  if (serialDay.test(digits)) return [serialStart + Number(digits) * dayMs]
  const [, ...first] = digitsYearFirst.exec(digits) ?? []
  const [, one, other, year] = digitsYearLast.exec(digits) ?? []
  const [, a, b, c] = sixDigits.exec(digits) ?? []
  return daysOf(first, [year, one, other], [year, other, one], [c, b, a], [c, a, b], [a, b, c])
}

export const dayMs = 86_400_000

/** Returns the days that exist, of years, months and days; a year of two digits is one of this century. */
function daysOf(...dates: readonly (readonly (string | undefined)[])[]): readonly number[] {
  return dates.flatMap(([year, month, day]) => {
    if (year === undefined) return []
    const at = new Date(0)
    at.setUTCFullYear(Number(year.padStart(4, '20')), Number(month) - 1, Number(day))
    const exists = at.getUTCMonth() + 1 === Number(month) && at.getUTCDate() === Number(day)
    return exists ? [at.getTime()] : []
  })
}

/** Returns the numbers of the months whose name in some language begins with a word. */
function monthsNamed(word: string): readonly number[] {
  return word.length < 3 ? [] : [...(months().get(word) ?? [])]
}

const months = lazy(() => {
  const byBeginning = new Map<string, Set<number>>()
  for (const language of languages) {
    const format = new Intl.DateTimeFormat(language, { month: 'long', day: 'numeric', timeZone: 'UTC' })
    for (let month = 0; month < 12; month += 1) {
      const { value = '' } =
        format.formatToParts(Date.UTC(2026, month, 2)).find(({ type }) => type === 'month') ?? {}
      const name = foldWords(value)
      for (let length = 3; length <= name.length; length += 1) {
        const beginning = name.slice(0, length)
        byBeginning.set(beginning, (byBeginning.get(beginning) ?? new Set()).add(month + 1))
      }
    }
  }
  // Abbreviations that do not begin their month.
  return byBeginning.set('mrz', new Set([3])).set('sept', new Set([9]))
})
