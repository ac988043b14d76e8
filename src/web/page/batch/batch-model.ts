import { foldWord } from '../../../interface/words.ts'
import { duration, localDate, localMinute, roughDuration, timeOfDay } from '../../../lib/text/date-time.ts'
import type { BatchAttempt, BatchPause, BatchRow, BatchSummary, StatusCount } from '../../batch-wire.ts'

/** An attempt as a page shows it. A sandbox does not know its kind. */
export interface ShownAttempt extends Omit<BatchAttempt, 'kind'> {
  readonly kind: BatchAttempt['kind'] | null
}

/** A person as a page shows them. */
export interface ShownPerson extends Omit<BatchRow, 'attempts'> {
  readonly attempts: readonly ShownAttempt[]
}

/** Color of a status by its meaning for the batch. */
type Tone = 'waiting' | 'active' | 'good' | 'warn' | 'bad' | 'other'

/** Look of a status. The pattern, from 0, distinguishes statuses of one tone. */
export interface StatusLook {
  readonly tone: Tone
  readonly pattern: number
}

/** Patterns that batch.css defines. */
const patterns = 4
const knownLooks = new Map<string, StatusLook>()
for (const [tone, statuses] of [
  ['waiting', ['due', 'retry', 'callback', 'queued']],
  ['active', ['calling', 'ringing', 'placing', 'talking']],
  ['good', ['answered', 'placed', 'forwarded', 'completed']],
  ['warn', ['busy', 'no-answer', 'voicemail', 'canceled']],
  ['bad', ['failed', 'rejected', 'invalid', 'unreachable']],
  ['other', ['unknown', 'skipped', 'do-not-call', 'cancelled']],
] as const)
  for (const [pattern, status] of statuses.entries()) knownLooks.set(status, { tone, pattern })

/** Returns the look of a status; that of an unknown one depends on its letters alone, so that it never changes. */
export function getLook(status: string): StatusLook {
  const sum = [...status].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0)
  return knownLooks.get(foldWord(status)) ?? { tone: 'other', pattern: sum % patterns }
}

/** A status with its part of all people. */
export interface Outcome extends StatusCount, StatusLook {
  /** `12 %` */
  readonly share: string
}

export function listOutcomes(counts: readonly StatusCount[]): Outcome[] {
  const total = sumPeople(counts)
  return counts.map(({ status, people }) => ({
    status,
    people,
    ...getLook(status),
    share: formatShare(people, total),
  }))
}

export function sumPeople(counts: readonly StatusCount[]): number {
  return counts.reduce((sum, { people }) => sum + people, 0)
}

/** `12 %`; `< 1 %` and `> 99 %` rather than a wrong 0 or 100. */
export function formatShare(part: number, total: number): string {
  if (total === 0 || part === 0) return '0 %'
  const percent = Math.round((100 * part) / total)
  if (percent === 0) return '< 1 %'
  return percent === 100 && part < total ? '> 99 %' : `${percent} %`
}

/** Returns the bar in words: `30 answered, 2 busy`. */
export function describeOutcomes(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter(({ people }) => people > 0)
    .map(({ status, people }) => `${formatCount(people)} ${status}`)
    .join(', ')
}

/** State of a run, for the line that a screen reader announces. */
export interface RunState {
  readonly state: 'running' | 'waiting' | 'paused' | 'ended'
  readonly text: string
  /** Reason that changes too often to be announced; empty if there is none. */
  readonly detail: string
}

/** Describes the state of a run. `now` is in milliseconds since the epoch. */
export function describeRun(pause: BatchPause | null, now: number): RunState {
  if (pause === null) return { state: 'running', text: 'Running', detail: '' }
  const { reason, text, until } = pause
  if (reason === 'rate' || reason === 'calls')
    return { state: 'running', text: 'Running', detail: sentence(text) }
  const state = reason === 'drain' ? 'paused' : reason === 'ended' || reason === 'paused' ? reason : 'waiting'
  const time = until === null ? '' : `, until ${formatCallTime(until, now)}`
  const isNamed = foldWord(text).startsWith(state)
  const words = text === '' ? sentence(state) : isNamed ? sentence(text) : `${sentence(state)}: ${text}`
  return { state, text: `${words}${time}`, detail: '' }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the time of day, or date and minute unless it is today. Both in milliseconds since the epoch. */
export function formatCallTime(at: number, now: number): string {
  return localDate(at) === localDate(now) ? timeOfDay(at) : localMinute(at)
}

/** Labels and values of the progress of a batch. */
export function listProgress(summary: BatchSummary): [label: string, value: string][] {
  const { done, people, calls, seconds, remainingMs, pause } = summary
  return [
    ['People done', `${formatCount(done)} of ${formatCount(people)}`],
    ['Calls', formatCount(calls)],
    ['Time talked', duration(seconds * 1000)],
    ...(pause?.reason === 'ended'
      ? []
      : [['Time left', formatRemaining(remainingMs)] satisfies [string, string]]),
  ]
}

/** `about 3 min`, `about 2 h 5 min`, `about 3 d 4 h`. */
export function formatRemaining(remainingMs: number | null): string {
  if (remainingMs === null) return 'unknown'
  const minutes = Math.ceil(remainingMs / 60_000)
  return minutes <= 1 ? 'less than 1 min' : `about ${roughDuration(60 * minutes)}`
}

/** `100,000` */
export function formatCount(number: number): string {
  return number.toLocaleString('en-US')
}

/** `1 call`, `1,200 calls` */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`
}

/** Returns the first number of a person, unless it is the id. */
export function formatPersonNumber(id: string, [first = '']: readonly string[]): string {
  return first === id ? '' : first
}

/** The state of a run that has ended, also if its last summary did not say so. */
export function endBatch<Summary extends BatchSummary>(batch: Summary): Summary {
  return batch.pause?.reason === 'ended'
    ? batch
    : { ...batch, pause: { reason: 'ended', text: '', until: null } }
}
