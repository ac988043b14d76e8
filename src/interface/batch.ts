import * as z from 'zod/mini'
import { lazy } from '../lib/lazy.ts'
import {
  formatText,
  optional,
  optionalObject,
  required,
  someText,
  textOrList,
  wholeNumber,
} from './fields.ts'

/** File in the folder of callwright.yaml with numbers that are never called. */
export const doNotCallFile = 'do-not-call.csv'

/** `batches/*.yaml`: calls to a list of people (docs/batch-calls.md). Not part of the service's interface. */
export const batchSchema = lazy(() =>
  z.strictObject({
    list: required(
      textOrList(),
      'List of people, or several: CSV with a header, JSON Lines or JSON; relative to this file',
    ),
    columns: optionalObject('Columns of the list by their use; common names are recognized', {
      to: optional(textOrList(), 'Column with the number, or several in the order in which they are called'),
      name: optional(someText(), 'Column with the name, which is also the variable {{name}}'),
      timezone: optional(someText(), 'Column with the time zone, such as America/New_York'),
      id: optional(someText(), 'Column that identifies a person; by default the number does'),
      consent: optional(someText(), 'Column with the reason why this person may be called'),
    }),
    defaultCountry: optional(
      formatText('^[A-Z]{2}$', 'two capital letters such as US'),
      'Country of numbers without a country code',
    ),
    from: required(
      z.union([someText(), z.array(z.union([someText(), fromNumber()])).check(z.minLength(1))]),
      'Number that the calls come from, or several',
    ),
    assistant: optional(
      someText(),
      'Assistant: its name in the project, its file relative to this one, or an id; by default that of the number',
    ),
    variables: optional(
      z.record(z.string(), z.string()),
      'Values of variables for all calls; columns take precedence',
    ),
    window: optionalObject('When people may be called', {
      days: optional(daysText(), 'Days of the week', { default: 'mon-sun' }),
      hours: optional(hoursText(), 'Times of day', { default: '00:00-24:00' }),
      timezone: optional(
        formatText(
          `^(contact|${zonePattern})$`,
          'contact, or a time zone such as America/New_York',
          text => text === 'contact' || isTimeZone(text),
        ),
        'Time zone of days and hours; contact for that of each person',
        { default: 'contact' },
      ),
      otherwise: optional(timeZoneText(), 'Time zone of people without one in the list'),
      except: optional(
        z.array(formatText('^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$', 'a day such as 2026-12-25')),
        'Days without calls',
      ),
    }),
    until: optional(
      formatText(momentPattern, 'a time such as 2026-12-01T18:00[America/New_York] or 2026-12-01T18:00:00Z'),
      'No call begins at or after this time',
    ),
    concurrency: optional(wholeNumber(1, 1000), 'Maximum number of calls at the same time'),
    rate: optional(
      formatText('^[1-9]\\d{0,5}/(s|min|h)$', 'a rate such as 20/min'),
      'Maximum number of calls that begin in a second, minute or hour',
    ),
    retry: optionalObject('Further attempts', {
      on: optional(
        z.array(z.enum(retryOutcomes)).check(z.minLength(1)),
        'Outcomes after which a person is called again',
        {
          default: ['no-answer', 'busy'],
        },
      ),
      attempts: required(wholeNumber(1, 20), 'Maximum number of calls to a person, the first included'),
      after: optional(
        z.union([waitText(), z.array(waitText()).check(z.minLength(1))]),
        'Time before the next attempt, or one for each; the last one repeats',
        { default: '1h' },
      ),
    }),
    doNotCall: optional(
      textOrList(),
      'Files of numbers that are never called, besides do-not-call.csv of the project',
    ),
    limit: optionalObject('Limits of the whole batch', {
      calls: optional(wholeNumber(1, 1_000_000), 'Maximum number of calls'),
      minutes: optional(wholeNumber(1, 10_000_000), 'Maximum number of minutes'),
    }),
  }),
)

export type BatchFile = z.infer<ReturnType<typeof batchSchema>>

/** Outcomes of a call after which a person may be called again. */
export const retryOutcomes = ['no-answer', 'busy', 'failed', 'voicemail'] as const

export const weekdays: readonly string[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** `2026-12-01T18:00[America/New_York]`, `2026-12-01T18:00:00Z` or `2026-12-01T18:00+01:00`. */
const momentPattern =
  '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d)?((Z|[+-]\\d\\d:\\d\\d)|\\[[A-Za-z][\\w+/-]*\\])$'

function fromNumber() {
  return z.strictObject({
    number: required(someText(), 'Number that the calls come from'),
    calls: optional(wholeNumber(1, 1_000_000), 'Maximum number of calls from it'),
  })
}

function waitText() {
  return formatText('^\\d{1,6}(s|m|h|d)$', 'a duration such as 30m or 1d')
}

function timeZoneText() {
  return formatText(`^(${zonePattern})$`, 'a time zone such as America/New_York', isTimeZone)
}

const zonePattern = '[A-Za-z][A-Za-z0-9_]*/[A-Za-z0-9_/+-]+|UTC'

/**
 * True for a name of the IANA time zone database with a region, and for UTC. Offsets such as +01:00, and abbreviations such as EST, do
 * not say when daylight-saving time begins.
 */
export function isTimeZone(name: string): boolean {
  if (!new RegExp(`^(${zonePattern})$`).test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

function daysText() {
  const day = `(${weekdays.join('|')})`
  return formatText(`^${day}(-${day})?(,${day}(-${day})?)*$`, 'days such as mon-fri or mon,wed,sat')
}

/** A range ends after it begins; 24:00 is midnight at its end. */
function hoursText() {
  const time = '([01][0-9]|2[0-4]):[0-5][0-9]'
  const range = `${time}-${time}`
  const allowed = 'times such as 09:00-20:00 or 09:00-12:00,13:00-18:00'
  return formatText(`^${range}(,${range})*$`, allowed, text => readHours(text) !== undefined)
}

/** Minutes since midnight. */
export interface HourRange {
  readonly from: number
  /** Not included. */
  readonly to: number
}

/** Reads `09:00-12:00,13:00-18:00`. Returns undefined for any other text. */
export function readHours(text: string): readonly HourRange[] | undefined {
  const ranges = text.split(',').map(part => {
    const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(part) ?? []
    return { from: minuteOf(from), to: minuteOf(to) }
  })
  const isValid = ranges.every(({ from, to }) => from < to && to <= 24 * 60)
  return isValid ? ranges : undefined
}

/** NaN for a text that is not a time. */
function minuteOf(text = ''): number {
  const [hours = Number.NaN, minutes = Number.NaN] = text.split(':').map(Number)
  return hours <= 24 && minutes <= 59 ? hours * 60 + minutes : Number.NaN
}

/** Reads `mon-fri,sun` as days from 1 (Monday) to 7. A range may pass Sunday: `sat-mon`. */
export function readDays(text: string): ReadonlySet<number> {
  const days = new Set<number>()
  for (const part of text.split(',')) {
    const [first = 0, last = first] = part.split('-').map(name => weekdays.indexOf(name) + 1)
    for (let day = first; ; day = (day % 7) + 1) {
      days.add(day)
      if (day === last) break
    }
  }
  return days
}
