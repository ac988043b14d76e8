import {
  type AttemptOutcome,
  type BatchFile,
  type CallKind,
  defaultCallbacks,
  type PersonStatus,
  readWait,
} from '../../files/formats/batch.ts'
import type { Identity } from './refusals.ts'
import { type BatchState, type CallAttempt, outcomeOf } from './state.ts'

/** Rules for further calls to a person. */
export interface CallRules {
  readonly retryOn: ReadonlySet<string>
  /** Maximum number of calls to a person, without callbacks. */
  readonly attempts: number
  /** Milliseconds before the next attempt, by the number of attempts so far; the last one repeats. */
  readonly after: readonly number[]
  readonly callbacks: number
}

/** Settings of a batch about further calls. */
export interface RuleSettings {
  readonly retry?: BatchFile['retry']
  readonly callback?: BatchFile['callback']
}

/** Returns the rules of a batch. Without `retry` each person is called once, and without `callback` nobody is called back. */
export function rulesOf({ retry, callback }: RuleSettings): CallRules {
  const { on = ['no-answer', 'busy'], attempts = 1, after = '1h' } = retry ?? {}
  const callbacks = typeof callback === 'string' ? defaultCallbacks : (callback?.attempts ?? defaultCallbacks)
  return {
    retryOn: new Set(on),
    attempts,
    after: [after].flat().map(readWait),
    callbacks: callback === undefined ? 0 : callbacks,
  }
}

/** The next call to a person. */
export interface NextCall {
  /** Earliest time, milliseconds since the epoch; 0 for now. */
  readonly at: number
  readonly kind: CallKind
  readonly number: string
}

/**
 * Returns the next call to a person; undefined if there is none. The budget of attempts is that of the person for all lists, and
 * callbacks have their own. A person with several numbers is called on them in turn. A call whose outcome is unknown is never repeated
 * by itself, and neither is one with an unclear outcome.
 */
export function planNextCall(person: Identity, state: BatchState, rules: CallRules): NextCall | undefined {
  const { numbers } = person
  if (isExcluded(person, state)) return undefined
  const history = historyOf(person, state)
  // A rejected request is not a call.
  const attempts = history.filter(({ kind, outcome }) => kind !== 'callback' && outcome !== 'rejected')
  const last = history.at(-1)
  const number = numbers[attempts.length % numbers.length] ?? ''
  if (last === undefined) return { at: 0, kind: 'first', number }
  if (last.isRepeated) return { at: 0, kind: 'again', number: last.number }
  const callbacks = history.filter(({ kind }) => kind === 'callback').length
  const endedAt = last.endedAt === null ? 0 : Date.parse(last.endedAt)
  if (last.callbackAt !== null && callbacks < rules.callbacks)
    return { at: Date.parse(last.callbackAt), kind: 'callback', number: last.number }
  if (!rules.retryOn.has(last.outcome)) return undefined
  if (last.kind === 'callback' && callbacks < rules.callbacks)
    return { at: endedAt + waitAfter(rules, callbacks), kind: 'callback', number: last.number }
  if (last.kind === 'callback' || attempts.length >= rules.attempts) return undefined
  return { at: endedAt + waitAfter(rules, attempts.length), kind: 'retry', number }
}

function waitAfter({ after }: CallRules, attempts: number): number {
  return after[Math.min(attempts, after.length) - 1] ?? 0
}

/** Returns what became of a person. A person whose number was called under another id was called. */
export function statusOf(person: Identity, state: BatchState, rules: CallRules): PersonStatus {
  const keys = keysOf(person)
  if (keys.some(key => state.optedOut.has(key))) return 'opted-out'
  if (keys.some(key => state.removed.has(key))) return 'removed'
  if (keys.some(key => state.skipped.has(key))) return 'skipped'
  const next = planNextCall(person, state, rules)
  if (next !== undefined) return next.at > 0 ? 'waiting' : 'due'
  return lastOutcome(person, state) ?? 'due'
}

/** Returns the outcome of the last call to a person; undefined if there was none. */
export function lastOutcome(person: Identity, state: BatchState): AttemptOutcome | undefined {
  const last = historyOf(person, state).at(-1)
  return last === undefined ? undefined : outcomeOf(last)
}

/**
 * Returns the calls to a person, oldest first, without those that were not sent. The id of a person may change in a list: calls to their
 * numbers under another id are theirs, too.
 */
export function historyOf(person: Identity, { attempts, called }: BatchState): readonly CallAttempt[] {
  const { id, numbers } = person
  const own = attempts.get(id) ?? none
  const isUnderOwnId = numbers.every(number => isCalledOnlyAs(id, called.get(number)))
  if (isUnderOwnId && own.every(isSent)) return own
  const ids = new Set([id, ...numbers.flatMap(number => [...(called.get(number) ?? [])])])
  return [...ids]
    .flatMap(personId => attempts.get(personId) ?? [])
    .filter(isSent)
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

const none: readonly CallAttempt[] = []

function isCalledOnlyAs(id: string, ids: ReadonlySet<string> | undefined): boolean {
  return ids === undefined || ids.size === 0 || (ids.size === 1 && ids.has(id))
}

function isSent({ outcome }: CallAttempt): boolean {
  return outcome !== 'not-sent'
}

/** True for a person who opted out, was removed or is skipped, by id or by one of the numbers. */
function isExcluded(person: Identity, { removed, optedOut, skipped }: BatchState): boolean {
  return keysOf(person).some(key => removed.has(key) || optedOut.has(key) || skipped.has(key))
}

function keysOf({ id, numbers }: Identity): readonly string[] {
  return [id, ...numbers]
}
