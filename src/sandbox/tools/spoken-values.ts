import { lazy } from '../../lib/lazy.ts'
import { twoDigits } from '../../lib/text/date-time.ts'

/** A value that a line names, and the words that name it. */
export interface SpokenValue<Value> {
  readonly value: Value
  readonly words: string
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
]
const near: Readonly<Record<string, number>> = { today: 0, tonight: 0, tomorrow: 1, 'day after tomorrow': 2 }
const numberWords = 'two three four five six seven eight nine ten eleven twelve'.split(' ')

const monthName = months.join('|')
const dayPatterns = {
  iso: /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/,
  near: /\b(?:day after tomorrow|today|tonight|tomorrow)\b/i,
  weekday: new RegExp(`\\b(?:${weekdays.join('|')})\\b`, 'i'),
  dayOfMonth: new RegExp(`\\b(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>${monthName})\\b`, 'i'),
  monthAndDay: new RegExp(`\\b(?<month>${monthName}) (?<day>\\d{1,2})(?:st|nd|rd|th)?\\b`, 'i'),
}

/** The first day that is named, in English, as YYYY-MM-DD: never one before `from`; a weekday is the next one after it. */
export function dayIn(line: string, from: Date): SpokenValue<string> | undefined {
  const iso = dayPatterns.iso.exec(line)?.[0]
  if (iso !== undefined && isDay(iso)) return { value: iso, words: iso }
  const nearby = dayPatterns.near.exec(line)?.[0]
  if (nearby !== undefined) return { value: dayAfter(from, near[nearby.toLowerCase()] ?? 0), words: nearby }
  const weekday = dayPatterns.weekday.exec(line)?.[0]
  if (weekday !== undefined) {
    const ahead = (weekdays.indexOf(weekday.toLowerCase()) - from.getUTCDay() + 7) % 7
    return { value: dayAfter(from, ahead === 0 ? 7 : ahead), words: weekday }
  }
  const match = dayPatterns.dayOfMonth.exec(line) ?? dayPatterns.monthAndDay.exec(line)
  if (match?.groups === undefined) return undefined
  const { day, month = '' } = match.groups
  const value = nextDate(from, months.indexOf(month.toLowerCase()) + 1, Number(day))
  return value === undefined ? undefined : { value, words: match[0] }
}

/** The first time as 14:30, 2:30 pm or 2 pm, as HH:MM. A number alone is not a time. */
export function timeIn(line: string): SpokenValue<string> | undefined {
  const times = /(?<![\d:-])(\d{1,2})(?::(\d{2}))?(?![\d:])(?:\s*([ap])\.?m\b)?/gi
  for (const [words, hourText, minuteText, half] of line.matchAll(times)) {
    if (minuteText === undefined && half === undefined) continue
    const hour = Number(hourText)
    const minute = Number(minuteText ?? 0)
    const isHour = half === undefined ? hour <= 23 : hour >= 1 && hour <= 12
    if (!isHour || minute > 59) continue
    const hour24 = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
    return { value: `${twoDigits(hour24)}:${twoDigits(minute)}`, words }
  }
  return undefined
}

/** Built on first use: V8 expands the Unicode classes when it compiles the pattern. Lower case, because ignoring case takes several times longer. */
const numberPattern = lazy(
  () =>
    new RegExp(
      `(?<![\\p{L}\\d.+-])(?:-?\\d+(?:\\.\\d+)?|${numberWords.join('|')})(?![\\p{L}\\d]|\\.\\d)`,
      'gu',
    ),
)

/** The numbers that are neither part of a day nor of a time, in order: in digits, or as words from two to twelve. */
export function numbersIn(line: string, from: Date): SpokenValue<number>[] {
  const timeWords = [dayIn(line, from), timeIn(line)].flatMap(value => value?.words ?? [])
  const rest = timeWords.reduce((text, words) => text.replace(words, ' '), line)
  return [...rest.toLowerCase().matchAll(numberPattern())].map(([words]) => {
    const word = numberWords.indexOf(words)
    return { value: word === -1 ? Number(words) : word + 2, words }
  })
}

/** YYYY-MM-DD, in UTC. */
export function dayAfter(from: Date, days: number): string {
  return new Date(from.getTime() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
}

/** Returns the first matching day from `from`; undefined if no year soon has one. */
function nextDate(from: Date, month: number, day: number): string | undefined {
  const today = dayAfter(from, 0)
  const year = from.getUTCFullYear()
  return [0, 1, 2, 3, 4]
    .map(ahead => `${year + ahead}-${twoDigits(month)}-${twoDigits(day)}`)
    .find(date => isDay(date) && date >= today)
}

/** A day of the calendar as YYYY-MM-DD. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}
