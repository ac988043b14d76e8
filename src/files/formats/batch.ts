import * as z from 'zod/mini'
import {
  encodingText,
  formatText,
  optional,
  optionalObject,
  required,
  someText,
  textOrList,
  wholeNumber,
} from '../../interface/fields.ts'
import { callOutcomes } from '../../interface/words.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import type { HourRange } from '../../lib/time-window.ts'

/** File in the folder of callyard.yaml with numbers that are never called. */
export const doNotCallFile = 'do-not-call.csv'

/** `batches/*.yaml`: calls to a list of people (docs/batch-calls.md). Not part of the service's interface. */
export const batchSchema = lazy(() =>
  z.strictObject({
    list: required(
      textOrList(),
      'List of people, or several: CSV with a header, JSON Lines or JSON; relative to this file',
    ),
    encoding: optional(
      encodingText(),
      'Encoding of a list that is not in Unicode, as spreadsheet programs write it; by default the list suggests it',
    ),
    columns: optionalObject('Columns of the list by their use; common names are recognized', () => ({
      to: optional(textOrList(), 'Column with the number, or several in the order in which they are called'),
      name: optional(someText(), 'Column with the name, which is also the variable {{name}}'),
      timezone: optional(someText(), 'Column with the time zone, such as America/New_York'),
      id: optional(someText(), 'Column that identifies a person; by default the number does'),
      consent: optional(
        z.union([z.literal(false), textOrList()]),
        'Column that says whether the person consents to calls, or several; false: no column does',
      ),
      doNotCall: optional(
        z.union([z.literal(false), textOrList()]),
        'Column that says whether the person must not be called, or several; false: no column does',
      ),
      other: optional(textOrList(), 'Column, or several, that say neither, whatever their headings are'),
    })),
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
    window: optionalObject('When people may be called', () => ({
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
    })),
    until: optional(
      formatText(momentPattern, 'a time such as 2026-12-01T18:00[America/New_York] or 2026-12-01T18:00:00Z'),
      'No call begins at or after this time',
    ),
    concurrency: optional(wholeNumber(1, 1000), 'Maximum number of calls at the same time'),
    rate: optional(
      formatText('^[1-9]\\d{0,5}/(s|min|h)$', 'a rate such as 20/min'),
      'Maximum number of calls that begin in a second, minute or hour',
    ),
    retry: optionalObject('Further attempts', () => ({
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
    })),
    doNotCall: optional(
      textOrList(),
      'Files of numbers that are never called, besides do-not-call.csv of the project',
    ),
    optOut: optional(
      z.union([
        z.literal(false),
        z.strictObject({
          field: optional(fieldPath(), 'Field of the analysis that is true for a person who opts out', {
            default: defaultOptOutField,
          }),
          phrases: optional(z.array(someText()), 'What a person says to opt out, besides common phrases'),
        }),
      ]),
      'How a person opts out of further calls; false: no call is read for it',
    ),
    callback: optional(
      z.union([
        fieldPath(),
        z.strictObject({
          field: required(fieldPath(), 'Field of the analysis with the time, ISO 8601'),
          attempts: optional(wholeNumber(1, 20), 'Maximum number of such calls to a person', {
            default: defaultCallbacks,
          }),
        }),
      ]),
      'Field of the analysis with the time at which a person asked to be called back',
    ),
    first: optional(
      wholeNumber(1, 1_000_000),
      'Pause after this number of finished calls, until a person resumes the batch',
    ),
    stopWhen: optional(
      z.union([stopCondition(), z.array(stopCondition()).check(z.minLength(1))]),
      'Pause when too many recent calls have an outcome, such as "failed > 20% of last 50"',
    ),
    check: optional(
      someText(),
      'Command that decides who is called: people as JSON lines on stdin, one line for each on stdout; only yes is called',
    ),
    results: optional(someText(), 'CSV file for the results, relative to this file'),
    metadata: optional(
      z.record(z.string(), z.unknown()),
      'Custom data of each call, beside batch, person and attempt',
    ),
    limit: optionalObject('Limits of the whole batch', () => ({
      calls: optional(wholeNumber(1, 1_000_000), 'Maximum number of calls'),
      minutes: optional(wholeNumber(1, 10_000_000), 'Maximum number of minutes'),
    })),
  }),
)

export type BatchFile = Infer<typeof batchSchema>

const followedSettings = ['concurrency', 'retry', 'callback', 'stopWhen'] as const

/** Returns the settings of a batch that need the outcomes of its calls. */
export function settingsNeedingOutcomes(batch: BatchFile): string[] {
  return [
    ...followedSettings.filter(field => batch[field] !== undefined),
    ...(batch.limit?.minutes === undefined ? [] : ['limit.minutes']),
  ]
}

/** Field of the analysis that opts a person out. */
export const defaultOptOutField = 'structuredData.optOut'

/** Calls to a person that were asked for, by default. */
export const defaultCallbacks = 3

/** Uses of a column of a list. */
export const columnUses = ['to', 'name', 'timezone', 'id', 'consent', 'doNotCall', 'other'] as const
export type ColumnUse = (typeof columnUses)[number]

/** Reasons for a call to a person. */
export const callKinds = ['first', 'retry', 'callback', 'again'] as const
export type CallKind = (typeof callKinds)[number]

/** Settings that pause a batch. */
export const pauseTriggers = ['first', 'stopWhen'] as const
export type PauseTrigger = (typeof pauseTriggers)[number]

/** Outcomes of a call, and of a request without one. */
export const attemptOutcomes = [...callOutcomes, 'placed', 'rejected', 'unknown'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** Outcomes after which `batch retry` calls people again. */
export const retriedOutcomes = [...attemptOutcomes, 'skipped'] as const

/**
 * Statuses of a person, in the order in which they are shown. `waiting`: another call is planned at a time; `due`: the person has not
 * been called, or is called again as soon as possible.
 */
export const personStatuses = [
  ...attemptOutcomes,
  'opted-out',
  'skipped',
  'removed',
  'waiting',
  'due',
] as const
export type PersonStatus = (typeof personStatuses)[number]

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

function fieldPath() {
  return formatText(
    '^[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*$',
    'a field of the analysis such as structuredData.optOut',
  )
}

/** Words that `stopWhen` counts. */
export const countedOutcomes = [...callOutcomes, 'rejected', 'unknown'] as const

/** A condition of `stopWhen`. */
export interface StopCondition {
  readonly outcome: (typeof countedOutcomes)[number]
  /** Number of calls that must not be exceeded among the `last` ones. */
  readonly max: number
  readonly last: number
}

function stopCondition() {
  const allowed = `a condition such as "failed > 20% of last 50", with ${countedOutcomes.join(', ')}`
  return formatText(stopPattern, allowed, text => readStopCondition(text) !== undefined)
}

const stopPattern = `^(${countedOutcomes.join('|')}) > (\\d{1,4})(%?) of last (\\d{1,4})$`

/** Reads `failed > 20% of last 50` or `failed > 10 of last 50`. Returns undefined for any other text. */
export function readStopCondition(text: string): StopCondition | undefined {
  const [, word, number = '', percent, count = ''] = new RegExp(stopPattern).exec(text) ?? []
  const outcome = countedOutcomes.find(candidate => candidate === word)
  const last = Number(count)
  const max = percent === '%' ? (Number(number) * last) / 100 : Number(number)
  return outcome === undefined || last === 0 || max >= last ? undefined : { outcome, max, last }
}

/** Reads `30m` or `1d`. Returns milliseconds. */
export function readWait(text: string): number {
  return Number(text.slice(0, -1)) * (waitUnits[text.at(-1) ?? ''] ?? 0)
}

const waitUnits: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Name of a time zone. */
export function timeZoneText() {
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
