import { isDate, readTime, textOf } from './event-values.ts'

/** What of an event tells whether its call goes on. */
interface EventStatus {
  readonly type: string
  readonly status: string | undefined
  readonly call: Readonly<Record<string, unknown>>
}

/**
 * Whether an event says that its call is over: by its status in a word of interface.md 2.7 or 3 or of telephony, by being an
 * `end-of-call-report`, or by the time at which the call ended. The phone's own status counts where the call has none: while the
 * call is `ongoing`, one of its phone lines may be `completed`. Every view goes by this.
 */
export function hasEnded({ type, status, call }: EventStatus): boolean {
  if (status === undefined ? isEndingWord(textOf(call.phoneCallStatus)) : isEndingWord(status)) return true
  return isReport(type) || (call.endAt !== undefined && isDate(readTime(call.endAt)))
}

/** Whether a status means the end. */
export function isEndingWord(word: string | undefined): boolean {
  // Folding costs more than it takes to know these.
  if (word === undefined || liveStatuses.includes(word)) return false
  return endingWords.has(foldWord(word))
}

/** How words are compared: `No_Answer` is `no-answer`. */
export function foldWord(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[_\s]+/g, '-')
}

/** The status of a call that goes on, in the order of interface.md 3; the end comes after both. */
export const liveStatuses: readonly string[] = ['queued', 'ongoing']

/** What carriers say of a call that is over. */
export const telephonyEndings = ['failed', 'busy', 'no-answer', 'canceled', 'cancelled'] as const

const endingWords = new Set<string>(['finished', 'completed', 'forwarded', ...telephonyEndings])

function isReport(type: string): boolean {
  return type !== 'conversation-update' && type !== 'status-update' && foldWord(type) === 'end-of-call-report'
}
