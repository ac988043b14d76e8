import * as z from 'zod/mini'
import type { Person } from './contacts.ts'

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
  }),
  z.object({
    step: z.literal('calling'),
    ...attempt,
    person: z.string(),
    number: z.string(),
    from: z.string(),
  }),
  z.object({ step: z.literal('placed'), ...attempt, call: z.nullable(z.string()) }),
  z.object({
    step: z.literal('failed'),
    ...attempt,
    outcome: z.enum(['not-sent', 'rejected', 'unknown']),
    reason: z.string(),
  }),
  /** The user decided that people with this status are called again. */
  z.object({ step: z.literal('resend'), ...common, status: z.enum(['unknown', 'rejected']) }),
  z.object({ step: z.literal('cancelled'), ...common }),
])
export type BatchStep = z.infer<typeof batchStepSchema>

export type CallingStep = Extract<BatchStep, { step: 'calling' }>
type FailedStep = Extract<BatchStep, { step: 'failed' }>

/** One call to a person; `calling` if its request may have been sent, and nothing more is known. */
export interface CallAttempt extends Omit<CallingStep, 'step'> {
  readonly outcome: 'calling' | 'placed' | FailedStep['outcome']
  readonly call: string | null
  readonly reason: string | null
  /** True if the person is called again although the call was rejected, or its outcome is unknown. */
  readonly isResent: boolean
}

/** Calls of a batch so far. */
export interface BatchState {
  /** When, where and from which file the batch was begun; undefined before. */
  readonly begun: Extract<BatchStep, { step: 'begun' }> | undefined
  readonly isCancelled: boolean
  /** Attempts of each person by id, oldest first. */
  readonly attempts: ReadonlyMap<string, readonly CallAttempt[]>
  /** Numbers that were called or may have been, by the id of the person: an id may change in a list. */
  readonly called: ReadonlyMap<string, string>
  /** Number of calls from each number. */
  readonly senders: ReadonlyMap<string, number>
}

export type MutableBatchState = ReturnType<typeof createBatchState>

/** Creates the state of a batch from the steps of its journal; later steps are added with `apply`. */
export function createBatchState(steps: Iterable<BatchStep>) {
  const attempts = new Map<string, CallAttempt[]>()
  const called = new Map<string, string>()
  const senders = new Map<string, number>()
  /** The person of an attempt. */
  const people = new Map<string, string>()
  let begun: Extract<BatchStep, { step: 'begun' }> | undefined
  let isCancelled = false
  const update = (key: string, change: Partial<CallAttempt>) => {
    const ofPerson = attempts.get(people.get(key) ?? '')
    const index = ofPerson?.findIndex(({ attempt }) => attempt === key) ?? -1
    const before = ofPerson?.[index]
    if (ofPerson !== undefined && before !== undefined) ofPerson[index] = { ...before, ...change }
    return before
  }
  const add = (number: string, change: 1 | -1) => senders.set(number, (senders.get(number) ?? 0) + change)
  const apply = (line: BatchStep) => {
    if (line.step === 'begun') begun = line
    else if (line.step === 'cancelled') isCancelled = true
    else if (line.step === 'resend') {
      for (const each of attempts.values())
        for (const [index, attempt] of each.entries())
          if (index === each.length - 1 && statusOfAttempt(attempt) === line.status)
            each[index] = { ...attempt, isResent: true }
    } else if (line.step === 'calling') {
      const { step: _, ...fields } = line
      const started: CallAttempt = {
        ...fields,
        outcome: 'calling',
        call: null,
        reason: null,
        isResent: false,
      }
      const before = attempts.get(line.person)
      if (before === undefined) attempts.set(line.person, [started])
      else before.push(started)
      people.set(line.attempt, line.person)
      called.set(line.number, line.person)
      add(line.from, 1)
    } else if (line.step === 'placed') update(line.attempt, { outcome: 'placed', call: line.call })
    else {
      const before = update(line.attempt, { outcome: line.outcome, reason: line.reason })
      if (line.outcome !== 'not-sent' || before === undefined) return
      add(before.from, -1)
      const { person, number } = before
      const isCalled = attempts
        .get(person)
        ?.some(each => each.number === number && each.outcome !== 'not-sent')
      if (isCalled !== true) called.delete(number)
    }
  }
  for (const step of steps) apply(step)
  return {
    get begun() {
      return begun
    },
    get isCancelled() {
      return isCancelled
    },
    attempts,
    called,
    senders,
    apply,
  }
}

/** State of a person in a batch. */
export type PersonStatus = 'due' | 'placed' | 'rejected' | 'unknown'

/**
 * Returns what became of a person. A call whose outcome is unknown is never repeated by itself. A person whose number was called
 * under another id was called.
 */
export function statusOf(
  { id, numbers }: Pick<Person, 'id' | 'numbers'>,
  { attempts, called }: BatchState,
): PersonStatus {
  const other = numbers.map(number => called.get(number)).find(person => person !== undefined)
  const last = (attempts.get(id) ?? attempts.get(other ?? ''))?.findLast(
    ({ outcome }) => outcome !== 'not-sent',
  )
  return last === undefined || last.isResent ? 'due' : (statusOfAttempt(last) ?? 'due')
}

function statusOfAttempt({ outcome }: CallAttempt): Exclude<PersonStatus, 'due'> | undefined {
  if (outcome === 'not-sent') return undefined
  return outcome === 'calling' ? 'unknown' : outcome
}
