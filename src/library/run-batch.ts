import { resolve } from 'node:path'
import { type BatchEvent, type CallJob, runRows } from '../batch/index.ts'
import { settingsNeedingOutcomes } from '../interface/batch.ts'
import type { Clock } from '../lib/clock.ts'
import { CallyardError as CoreError, getErrorReason } from '../lib/error.ts'
import { isObject } from '../lib/json.ts'
import { count } from '../lib/text/count.ts'
import { followEvents } from '../outcomes/index.ts'
import { InvalidInput } from '../source/index.ts'
import { runSchema } from './batch-options.ts'
import { checkOptions, toPublicError } from './errors.ts'
import { type OpenedRows, toBatchFindings, toBatchPerson, toRowsBatch } from './plan-batch.ts'
import { createProcessHold } from './process-hold.ts'
import { processRules } from './process-rules.ts'
import type { BatchJob, BatchResult, BatchRunEvent, RunBatchOptions } from './public-batch.ts'
import { CallyardError } from './public-types.ts'

/** See `runBatch` of the entry. */
export async function runOptions(options: RunBatchOptions, clock: Clock): Promise<BatchResult> {
  checkOptions(runSchema(), options, 'runBatch')
  assertEvents(options)
  const opened = await toRowsBatch(options)
  return createProcessHold().during(() => run(options, opened, clock))
}

async function run(options: RunBatchOptions, opened: OpenedRows, clock: Clock): Promise<BatchResult> {
  const { events, outcomes, signal, service, resume = false, drainMs, outcomeTimeoutMs } = options
  const { resendUnknown = false } = options
  const stopped = new AbortController()
  /** First error of a callback of the options. */
  let failure: { readonly error: unknown } | undefined
  const fail = (error: unknown) => {
    failure ??= { error }
    stopped.abort()
  }
  const report = (event: BatchRunEvent) => {
    try {
      options.onEvent?.(event)
    } catch (error) {
      fail(error)
    }
  }
  const feed =
    events &&
    followEvents(withEnd(events), {
      ...{ clock, words: outcomes },
      onUnreadable: reason => report({ kind: 'unreadable', reason }),
    })
  const originals = new WeakMap<object, unknown>()
  try {
    const result = await runRows(opened, {
      ...{ clock, service, feed, drainMs, outcomeTimeoutMs, resumes: resume },
      resendUnknown,
      check: options.check && createCheckOf(options.check, opened),
      folder: resolve(processRules({}).cwd, options.folder),
      signal: signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]),
      async call(job) {
        try {
          return readPlaced(await options.call(toBatchJob(job, opened)))
        } catch (thrown) {
          const error = toCallError(thrown)
          originals.set(error, thrown)
          throw error
        }
      },
      onEvent: event => report(toRunEvent(event)),
      // The batch remembers the person also if this fails; the next run calls back again.
      async onOptOut(person, optOut) {
        try {
          await options.onOptOut?.({ person, ...optOut })
        } catch (error) {
          fail(error)
        }
      },
    })
    if (failure !== undefined) throw failure.error
    return toResult(result)
  } catch (error) {
    if (failure !== undefined) throw failure.error
    throw isObject(error) && originals.has(error) ? originals.get(error) : await toBatchError(error, opened)
  } finally {
    await feed?.close()
  }
}

/** Returns the check of the options. @throws its errors, which end the run, and CallyardError `wrong-verdicts` */
function createCheckOf(
  check: NonNullable<RunBatchOptions['check']>,
  opened: OpenedRows,
): Parameters<typeof runRows>[1]['check'] {
  return async people => {
    const verdicts: unknown = await check(
      people.map(({ person, attempts }) => ({ ...toBatchPerson(person, opened), attempts })),
    )
    if (Array.isArray(verdicts) && verdicts.length === people.length) return verdicts.map(toVerdict)
    const returned = Array.isArray(verdicts) ? count(verdicts.length, 'verdict') : 'no list'
    throw new CallyardError(
      'wrong-verdicts',
      `runBatch: check returned ${returned} for ${count(people.length, 'person', 'people')}`,
      { field: 'check', hint: 'return one verdict for each person, in their order' },
    )
  }
}

function toVerdict(verdict: unknown): string {
  if (verdict === true) return 'yes'
  return typeof verdict === 'string' ? verdict : 'no'
}

/** @throws CallyardError `no-outcomes` for a setting that needs events */
function assertEvents(options: RunBatchOptions): void {
  const [field] = options.events === undefined ? settingsNeedingOutcomes(options) : []
  if (field === undefined) return
  throw new CallyardError('no-outcomes', `runBatch: ${field} needs the outcomes of calls`, {
    field,
    hint: 'pass events',
  })
}

/** The same events; their end is an error, because a run that waits for outcomes would wait in vain. */
function withEnd(events: AsyncIterable<unknown>): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]()
      return {
        async next() {
          const { done, value } = await iterator.next()
          if (done !== true) return { done: false, value: toBody(value) }
          throw new CallyardError('events-ended', 'runBatch: events ended before the calls', {
            field: 'events',
            hint: 'keep your receiver open until the run has ended; the next run continues the batch',
          })
        },
        async return() {
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** The body of an event; a receiver has it beside the headers. */
function toBody(event: unknown): unknown {
  return isObject(event) && isObject(event.body) && isObject(event.headers) ? event.body : event
}

function readPlaced(placed: unknown): { readonly id: string | undefined } {
  // The call exists, whatever the function returns.
  return { id: isObject(placed) && typeof placed.id === 'string' ? placed.id : undefined }
}

/** Returns the error of a request with what it means for the person. */
function toCallError(thrown: unknown): CoreError {
  const { outcome, status } = isObject(thrown) ? thrown : {}
  const kind = outcome === 'rejected' ? 'refused' : 'unreachable'
  const known = { rejected: 'refused', 'not-sent': 'not-sent' }[String(outcome)] ?? 'unknown'
  return new CoreError(kind, getErrorReason(thrown), {
    details: { outcome: known, ...(typeof status === 'number' && known === 'not-sent' && { status }) },
    cause: thrown,
  })
}

function toBatchJob({ attempt, person, from, to, number }: CallJob, opened: OpenedRows): BatchJob {
  const metadata = { ...opened.batch.metadata, person: person.id, attempt: number }
  return { key: attempt, person: toBatchPerson(person, opened), from, to, attempt: number, metadata }
}

function toRunEvent(event: BatchEvent): BatchRunEvent {
  if (event.kind === 'ended') return { ...event, next: toIso(event.next) }
  return event.kind === 'waiting' ? { ...event, until: toIso(event.until) } : event
}

function toResult({
  end,
  reason,
  planned,
  counts,
  people,
}: Awaited<ReturnType<typeof runRows>>): BatchResult {
  return {
    ...{ end, reason, counts: { ...counts }, skipped: planned.skipped },
    people: people.map(({ person, status, nextAt, attempts }) => ({
      ...{ id: person.id, row: person.row, status, next: toIso(nextAt) },
      attempts: attempts.map(attempt => ({
        ...{ key: attempt.attempt, at: attempt.at, from: attempt.from, to: attempt.number },
        ...{ why: attempt.kind, call: attempt.call, outcome: attempt.outcome },
        ...{ seconds: attempt.seconds, endedBy: attempt.endedBy, reason: attempt.reason },
        analysis: attempt.analysis,
      })),
    })),
  }
}

function toIso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

const maxShown = 5

/** Returns the error of a batch whose people or settings cannot be used; others as `toPublicError` does. */
async function toBatchError(error: unknown, opened: OpenedRows): Promise<unknown> {
  if (error instanceof InvalidInput) {
    const problems = await toBatchFindings(error.diagnostics, opened)
    const [first] = problems
    const more = problems.length > maxShown ? `; and ${problems.length - maxShown} more problems` : ''
    const messages = problems.slice(0, maxShown).map(({ message }) => message)
    return new CallyardError(first?.code ?? 'invalid', `runBatch: ${messages.join('; ')}${more}`, {
      field: first?.field,
      hint: first?.hint,
    })
  }
  const known = await toPublicError(error)
  const field = error instanceof CoreError ? error.details.field : undefined
  if (!(known instanceof CallyardError) || typeof field !== 'string') return known
  return new CallyardError(known.code, error instanceof CoreError ? error.message : known.message, {
    field,
    hint: known.hint,
  })
}
