import * as z from 'zod/mini'
import {
  type AttemptOutcome,
  callKinds,
  type PauseTrigger,
  pauseTriggers,
  retriedOutcomes,
} from '../../files/formats/batch.ts'
import { callOutcomes } from '../../interface/words.ts'
import { addToGroup } from '../../lib/group-by.ts'

/** Request of a person from another terminal (control.ts). */
export const requestSchema = z.discriminatedUnion('request', [
  z.object({ request: z.literal('pause') }),
  z.object({ request: z.literal('resume') }),
  z.object({ request: z.literal('cancel') }),
  /** Path of a list within the folder of the batch; its content and number of people if other machines need them. */
  z.object({
    request: z.literal('add'),
    list: z.string(),
    content: z.optional(z.string()),
    people: z.optional(z.number()),
  }),
  /** Ids and numbers. */
  z.object({ request: z.literal('remove'), people: z.array(z.string()) }),
  z.object({ request: z.literal('retry'), outcome: z.enum(retriedOutcomes) }),
])
export type BatchRequest = z.infer<typeof requestSchema>

const analysisSchema = z.object({
  summary: z.nullable(z.string()),
  success: z.nullable(z.string()),
  structuredData: z.nullable(z.record(z.string(), z.unknown())),
})

const sharedFactsSchema = z.object({
  people: z.number(),
  /** Settings that decide about calls, without values from the environment. */
  settings: z.record(z.string(), z.unknown()),
  /** Hash of the lists. */
  rows: z.string(),
})
export type SharedFacts = z.infer<typeof sharedFactsSchema>

const common = { at: z.string() }
const attempt = { ...common, attempt: z.string() }

/** Lines of a batch's journal. Each call begins with a `calling` line, written before its request is sent. */
export const batchStepSchema = z.discriminatedUnion('step', [
  z.object({
    step: z.literal('begun'),
    ...common,
    version: z.literal(1),
    service: z.string(),
    file: z.string(),
    /** Facts that runners on several machines must have in common. */
    shared: z.optional(sharedFactsSchema),
  }),
  /** Events of calls from here on are sent to this URL. */
  z.object({ step: z.literal('listening'), ...common, url: z.string() }),
  z.object({
    step: z.literal('calling'),
    ...attempt,
    person: z.string(),
    number: z.string(),
    from: z.string(),
    kind: z.enum(callKinds),
    /** Bytes of the recorded events before the call. */
    events: z.optional(z.number()),
  }),
  z.object({ step: z.literal('placed'), ...attempt, call: z.nullable(z.string()) }),
  z.object({
    step: z.literal('failed'),
    ...attempt,
    outcome: z.enum(['not-sent', 'rejected', 'unknown']),
    reason: z.string(),
  }),
  /** A later one of the same call has more: an analysis may arrive after the end. */
  z.object({
    step: z.literal('ended'),
    ...attempt,
    outcome: z.enum(callOutcomes),
    seconds: z.nullable(z.number()),
    endedBy: z.nullable(z.string()),
    reason: z.nullable(z.string()),
    analysis: z.nullable(analysisSchema),
    /** When the person asked to be called back, ISO 8601. */
    callbackAt: z.nullable(z.string()),
  }),
  z.object({
    step: z.literal('skipped'),
    ...common,
    person: z.string(),
    numbers: z.array(z.string()),
    reason: z.string(),
  }),
  z.object({
    step: z.literal('opted-out'),
    ...attempt,
    person: z.string(),
    numbers: z.array(z.string()),
    words: z.string(),
  }),
  z.object({ step: z.literal('paused'), ...common, by: z.enum(pauseTriggers), reason: z.string() }),
  /** A request of the control file, which ends at this byte. */
  z.object({ step: z.literal('requested'), ...common, offset: z.number(), request: requestSchema }),
])
export type BatchStep = z.infer<typeof batchStepSchema>

export type CallingStep = Extract<BatchStep, { step: 'calling' }>
type PlacedStep = Extract<BatchStep, { step: 'placed' }>
type FailedStep = Extract<BatchStep, { step: 'failed' }>
type EndedStep = Extract<BatchStep, { step: 'ended' }>

/** One call to a person; `calling` if its request may have been sent, and nothing more is known. It changes with the state. */
export interface CallAttempt
  extends Omit<CallingStep, 'step' | 'events'>,
    Pick<EndedStep, 'seconds' | 'endedBy' | 'analysis' | 'callbackAt' | 'reason'> {
  readonly outcome: 'calling' | 'placed' | FailedStep['outcome'] | EndedStep['outcome']
  readonly call: string | null
  /** When its outcome was known, ISO 8601; null before. */
  readonly endedAt: string | null
  /** URL that its events are sent to; null if another program receives them. */
  readonly url: string | null
  /** Bytes of the recorded events before the call; 0 if another program recorded them. */
  readonly events: number
  /** True if a person decided that the call is repeated. */
  readonly isRepeated: boolean
}

export interface PauseState {
  readonly by: PauseTrigger | 'person'
  readonly reason: string | null
}

/** Calls of a batch so far. */
export type BatchState = Readonly<Omit<ReturnType<typeof createBatchState>, 'apply'>>

/** Ended calls whose events are read again, because an analysis may arrive later. The tracker of calls forgets earlier ones, too. */
const maxLastEnded = 1000

/** Outcomes that `stopWhen` looks back at. */
const maxRecent = 9999

function timeOf(at: string | null): number {
  return at === null ? 0 : Date.parse(at)
}

/** Creates the state of a batch from the steps of its journal; later steps are added with `apply`. */
export function createBatchState(steps: Iterable<BatchStep>) {
  const attempts = new Map<string, MutableAttempt[]>()
  const called = new Map<string, Set<string>>()
  const senders = new Map<string, number>()
  const byKey = new Map<string, MutableAttempt>()
  const calls = new Map<string, string>()
  const optedOut = new Map<string, string>()
  const skipped = new Map<string, string>()
  const skippedPeople = new Map<string, readonly string[]>()
  const removed = new Set<string>()
  const lists: string[] = []
  const contents = new Map<string, string>()
  let people = 0
  const recent: AttemptOutcome[] = []
  const lastEnded: CallAttempt[] = []
  let begun: Extract<BatchStep, { step: 'begun' }> | undefined
  let url: string | null = null
  let paused: PauseState | undefined
  let isCancelled = false
  let isResumed = false
  let offset = 0
  let finished = 0
  let seconds = 0

  const add = (number: string, change: 1 | -1) => senders.set(number, (senders.get(number) ?? 0) + change)
  const finish = (outcome: AttemptOutcome) => {
    finished += 1
    recent.push(outcome)
    if (recent.length > maxRecent) recent.shift()
  }
  const start = (line: CallingStep) => {
    const started = newAttempt(line, url)
    addToGroup(attempts, line.person, started)
    byKey.set(line.attempt, started)
    called.set(line.number, (called.get(line.number) ?? new Set()).add(line.person))
    add(line.from, 1)
  }
  const markPlaced = ({ attempt: key, call }: PlacedStep) => {
    const attempt = byKey.get(key)
    // An event has told that the call exists although the response to its request was lost.
    if (attempt?.outcome === 'unknown') finished -= 1
    if (attempt !== undefined) {
      // Another runner may have recorded the end before.
      if (attempt.outcome === 'calling' || attempt.outcome === 'unknown') attempt.outcome = 'placed'
      attempt.call = call ?? attempt.call
    }
    if (call !== null) calls.set(call, key)
  }
  const fail = ({ attempt: key, outcome, reason, at }: FailedStep) => {
    const attempt = byKey.get(key)
    if (attempt === undefined || isFailed(attempt)) return
    if (outcome === 'unknown') {
      // Otherwise an event has told more.
      if (attempt.outcome !== 'calling') return
      Object.assign(attempt, { outcome, reason, endedAt: at })
      return finish(outcome)
    }
    // Its outcome was unclear to another runner, which waited for events.
    if (attempt.endedAt !== null) finished -= 1
    Object.assign(attempt, { outcome, reason, endedAt: at })
    const { person, number, from } = attempt
    // A rejected request is not a call.
    add(from, -1)
    if (outcome === 'rejected') return finish(outcome)
    const isCalled = attempts
      .get(person)
      ?.some(other => other.number === number && other.outcome !== 'not-sent')
    if (isCalled !== true) called.get(number)?.delete(person)
  }
  const end = ({ attempt: key, at: endedAt, ...details }: EndedStep) => {
    const attempt = byKey.get(key)
    if (attempt === undefined || attempt.outcome === 'not-sent' || attempt.outcome === 'rejected') return
    const { outcome, endedBy, reason, analysis, callbackAt } = details
    const isFirst = attempt.outcome === 'calling' || attempt.outcome === 'placed'
    seconds += (details.seconds ?? 0) - (attempt.seconds ?? 0)
    const { seconds: length } = details
    Object.assign(attempt, { outcome, seconds: length, endedBy, reason, analysis, callbackAt, endedAt })
    if (!isFirst) return
    // A person cannot have asked to repeat a call that had not ended.
    attempt.isRepeated = false
    lastEnded.push(attempt)
    if (lastEnded.length > maxLastEnded) lastEnded.shift()
    finish(outcome)
  }
  const request = (batchRequest: BatchRequest) => {
    if (batchRequest.request === 'pause') paused = { by: 'person', reason: null }
    else if (batchRequest.request === 'resume') {
      paused = undefined
      isResumed = true
      recent.length = 0
    } else if (batchRequest.request === 'cancel') isCancelled = true
    else if (batchRequest.request === 'add') {
      lists.push(batchRequest.list)
      people += batchRequest.people ?? 0
      if (batchRequest.content !== undefined) contents.set(batchRequest.list, batchRequest.content)
    } else if (batchRequest.request === 'remove')
      for (const person of batchRequest.people) removed.add(person)
    else if (batchRequest.outcome === 'skipped') {
      skipped.clear()
      skippedPeople.clear()
    } else
      for (const ofPerson of attempts.values()) {
        const last = ofPerson.at(-1)
        if (last !== undefined && outcomeOf(last) === batchRequest.outcome) last.isRepeated = true
      }
  }
  const apply = (line: BatchStep) => {
    if (line.step === 'begun') {
      begun = line
      people = line.shared?.people ?? 0
    } else if (line.step === 'listening') url = line.url
    else if (line.step === 'calling') start(line)
    else if (line.step === 'placed') markPlaced(line)
    else if (line.step === 'failed') fail(line)
    else if (line.step === 'ended') end(line)
    else if (line.step === 'skipped') {
      skippedPeople.set(line.person, line.numbers)
      for (const key of [line.person, ...line.numbers]) skipped.set(key, line.reason)
    } else if (line.step === 'opted-out')
      for (const key of [line.person, ...line.numbers]) optedOut.set(key, line.words)
    else if (line.step === 'paused') paused = { by: line.by, reason: line.reason }
    else {
      offset = line.offset
      request(line.request)
    }
  }
  for (const step of steps) apply(step)
  return {
    /** Latest end of a call, milliseconds since the epoch; 0 before the first one. */
    lastEndedAt: () => [...byKey.values()].reduce((last, { endedAt }) => Math.max(last, timeOf(endedAt)), 0),
    /** Shifts the ends of calls after the clock was set back: what follows them is a time after them, and not a time of day. */
    shiftEnds(milliseconds: number): void {
      for (const attempt of byKey.values())
        if (attempt.endedAt !== null)
          attempt.endedAt = new Date(timeOf(attempt.endedAt) - milliseconds).toISOString()
    },
    /** When, where and from which file the batch was begun; undefined before. */
    get begun() {
      return begun
    },
    /** URL that events of new calls are sent to. */
    get url() {
      return url
    },
    get isCancelled() {
      return isCancelled
    },
    /** Undefined unless a person must resume the batch. */
    get paused() {
      return paused
    },
    /** True once a person has resumed the batch: `first` no longer applies. */
    get isResumed() {
      return isResumed
    },
    /** Bytes of the control file whose requests were applied. */
    get offset() {
      return offset
    },
    /** Number of calls whose outcome is known. */
    get finished() {
      return finished
    },
    /** Duration of all ended calls. */
    get seconds() {
      return seconds
    },
    /** Outcomes of the latest calls since the batch was resumed, oldest first. */
    recent: recent as readonly AttemptOutcome[],
    /** Attempts of each person by id, oldest first. */
    attempts: attempts as ReadonlyMap<string, readonly CallAttempt[]>,
    /** Ids under which a number was called, or may have been: an id may change in a list. */
    called: called as ReadonlyMap<string, ReadonlySet<string>>,
    /** Attempt of each call by its id. */
    calls: calls as ReadonlyMap<string, string>,
    /** Number of calls from each number. */
    senders: senders as ReadonlyMap<string, number>,
    /** Words with which a person opted out, by id and by number. */
    optedOut: optedOut as ReadonlyMap<string, string>,
    /** Reason that a person is not called, by id and by number. */
    skipped: skipped as ReadonlyMap<string, string>,
    /** Numbers of the people who are skipped, by id. */
    skippedPeople: skippedPeople as ReadonlyMap<string, readonly string[]>,
    /** Ids and numbers. */
    removed: removed as ReadonlySet<string>,
    /** Lists that were added, in the folder of the batch. */
    lists: lists as readonly string[],
    /**
     * Returns the offset of the first recorded event that may still matter: of a call without an outcome, or of one that ended lately. The
     * outcomes of all others are in the journal.
     */
    firstEventOffset(): number {
      let first = lastEnded.length === 0 ? 0 : Number.POSITIVE_INFINITY
      for (const { events } of lastEnded) first = Math.min(first, events)
      for (const { outcome, events } of byKey.values())
        if (outcome === 'calling' || outcome === 'placed' || outcome === 'unknown')
          first = Math.min(first, events)
      return first
    },
    /** Contents of added lists that came from other machines. */
    contents: contents as ReadonlyMap<string, string>,
    /** Number of people of a shared batch. */
    get people() {
      return people
    },
    attempt: (key: string): CallAttempt | undefined => byKey.get(key),
    apply,
  }
}

type MutableAttempt = { -readonly [Field in keyof CallAttempt]: CallAttempt[Field] }

function isFailed({ outcome }: MutableAttempt): boolean {
  return outcome === 'not-sent' || outcome === 'rejected' || outcome === 'unknown'
}

/** Creates an attempt with its fields in one order, so that all attempts share a hidden class. */
function newAttempt(
  { at, attempt, person, number, from, kind, events = 0 }: CallingStep,
  url: string | null,
): MutableAttempt {
  return {
    at,
    attempt,
    person,
    number,
    from,
    kind,
    url,
    outcome: 'calling',
    call: null,
    reason: null,
    seconds: null,
    endedBy: null,
    analysis: null,
    callbackAt: null,
    endedAt: null,
    events,
    isRepeated: false,
  }
}

/** Returns the outcome of an attempt; undefined if nothing was sent. A request that may have been sent is `unknown`. */
export function outcomeOf({ outcome }: CallAttempt): AttemptOutcome | undefined {
  if (outcome === 'not-sent') return undefined
  return outcome === 'calling' ? 'unknown' : outcome
}
