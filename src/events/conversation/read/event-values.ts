import { foldWord, unansweredStatuses } from '../../../interface/words.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Describes an unexpected value: `is an object`. */
export function is(value: unknown): string {
  if (value === undefined) return 'is missing'
  if (value === null) return 'is null'
  if (Array.isArray(value)) return 'is a list'
  if (typeof value === 'object') return 'is an object'
  if (typeof value === 'string') return value === '' ? 'is empty' : 'is text'
  return typeof value === 'number' ? 'is a number' : `is ${String(value)}`
}

/** A text, or the digits of a number; undefined for anything else, and for what is empty. */
export function readTextValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}

/**
 * Reads a time of an event as ISO 8601 (interface.md 2.9). Texts that are not numbers are returned unchanged. Numbers, also as text,
 * are seconds or milliseconds since the epoch, depending on their size; others, such as seconds since the start of a call, are returned
 * as text. Undefined if there is nothing to show.
 */
export function readTime(value: unknown): string | undefined {
  if (typeof value === 'number') return isoOf(value) ?? String(value)
  if (typeof value !== 'string' || value === '') return undefined
  return digits.test(value) ? (isoOf(Number(value)) ?? value) : value
}

/** A fact of a call (interface.md 2.9) as text. */
export function readFact(call: Fields, name: string): string | undefined {
  return name === 'startAt' || name === 'endAt' ? readTime(call[name]) : readTextValue(call[name])
}

/** True if a text of `readTime` is a real date: some services send the year 1 for "not yet", others omit the time zone. */
export function isDate(text: string | undefined): boolean {
  return text !== undefined && /^2\d{3}-\d\d-\d\d/.test(text)
}

const digits = /^\s*\d{9,16}(\.\d+)?\s*$/

function isoOf(number: number): string | undefined {
  for (const milliseconds of [number, number * 1000])
    if (milliseconds >= first && milliseconds < last) return new Date(milliseconds).toISOString()
  return undefined
}

/** No call was before, none will be after: another number is a duration, an id, or a date of another form. */
const first = Date.UTC(2000, 0)
const last = Date.UTC(2100, 0)

/**
 * JSON with each number that JSON.parse would round as a text of its digits: two ids of twenty digits must not become one. For valid
 * JSON; one pass, and no pattern that could go back over a long text.
 */
export function withExactNumbers(json: string): string {
  let isInText = false
  return json.replace(/"|\\.|-?\d[\d.eE+-]*/gs, token => {
    if (token === '"') isInText = !isInText
    const isNumber = !isInText && token !== '"' && !token.startsWith('\\')
    return isNumber && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token
  })
}

interface EventStatus {
  readonly type: string
  readonly status: string | undefined
  readonly call: Readonly<Record<string, unknown>>
}

/**
 * True if an event ends its call: by a status of interface.md 2.7 or 3 or of telephony, as an `end-of-call-report`, or by the end time
 * of the call. The phone status counts only if the call has none: while a call is `ongoing`, one of its phone lines may be `completed`.
 * All views use this function.
 */
export function hasEnded({ type, status, call }: EventStatus): boolean {
  if (status === undefined ? isEndingWord(readTextValue(call.phoneCallStatus)) : isEndingWord(status))
    return true
  return isReport(type) || (call.endAt !== undefined && isDate(readTime(call.endAt)))
}

/** True if a status ends the call. */
export function isEndingWord(word: string | undefined): boolean {
  // Folding costs more than it takes to know these.
  if (word === undefined || liveStatuses.includes(word)) return false
  return endingWords.has(foldWord(word))
}

/** Statuses of a live call, in the order of interface.md 3. */
export const liveStatuses: readonly string[] = ['queued', 'ongoing']

/** Generic words for an end, which deployments use instead of `finished` and `completed`. */
const plainEndings = [
  'finished',
  'completed',
  'complete',
  'ended',
  'done',
  'closed',
  'terminated',
  'disconnected',
  'hangup',
  'hung-up',
  'call-ended',
]

const endingWords = new Set<string>([...plainEndings, 'forwarded', ...unansweredStatuses])

/** Maps all words for a plain end to one text (interface.md 3 has `finished` and `completed`). */
export function sameEnding(foldedWord: string): string {
  return plainEndings.includes(foldedWord) ? 'finished' : foldedWord
}

function isReport(type: string): boolean {
  return type !== 'conversation-update' && type !== 'status-update' && foldWord(type) === 'end-of-call-report'
}
