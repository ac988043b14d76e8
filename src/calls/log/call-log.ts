import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod/mini'
import { type Decision, decisionFields } from '../../files/formats/approval.ts'
import { optional, required } from '../../interface/fields.ts'
import { callOutcomes } from '../../interface/words.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { type FileLock, whileLocked } from '../../lib/fs/file-lock.ts'
import { appendOnce, openLog, streamLines, toLines } from '../../lib/fs/log.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { callLogFile, storeUnusable } from '../../lib/fs/user-folders.ts'
import { type Immutable, isObject, parseJson } from '../../lib/json.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import { readDateTime } from '../../lib/text/date-time.ts'
import { hasKnownOutcome } from '../../service/api/index.ts'
import type { CallEnd } from '../outcomes/index.ts'
import type { PlacedCall } from '../place/index.ts'

/** Statuses of a logged call; a call with `unknown` may have been placed. */
export const callLogStatuses = ['unknown', 'not-placed', 'placed', ...callOutcomes] as const

/** Fields of a call as it is about to be placed. */
const requestedCall = () => ({
  profile: required(z.nullable(z.string()), 'Profile of the service, if it was chosen by one'),
  service: required(z.string(), 'Base URL of the service'),
  from: required(z.string(), 'Number, or id of the phone number, that the call came from'),
  to: required(z.string(), 'Number that was called'),
  assistant: required(z.nullable(z.string()), 'null for the default assistant of the number'),
  batch: optional(z.string(), 'Name of the batch that placed it'),
  variables: required(z.array(z.string()), 'Names of the variables'),
  values: optional(z.record(z.string(), z.unknown()), 'Their values; only with `log: values`'),
  recording: required(z.nullable(z.string()), 'Absolute path of the recording of its events'),
})

/** A call of the log. Created on first use: placing a call needs no schema. */
export const loggedCallSchema = lazy(() =>
  z.object({
    key: required(z.string(), 'Id within the log'),
    at: required(z.string(), 'When it was placed, ISO 8601'),
    id: required(z.nullable(z.string()), 'Id of the call; null if none is known'),
    ...requestedCall(),
    status: required(z.enum(callLogStatuses), 'Last known status; unknown if the call may have been placed'),
    reason: required(z.nullable(z.string()), 'Why it was not placed, or may not have been'),
    seconds: required(z.nullable(z.number()), 'Duration by the times of the service'),
    endedBy: required(z.nullable(z.string()), 'callEndTriggerBy'),
    controlUrl: required(z.nullable(z.string()), 'monitor.controlUrl'),
  }),
)
export type LoggedCall = Immutable<Infer<typeof loggedCallSchema>>

/** Lines of the log. Each call begins with a `placing` line, written before its request is sent. */
const stepSchema = lazy(() => {
  const step = { key: z.string(), at: z.string() }
  return z.discriminatedUnion('step', [
    z.object({ step: z.literal('decided'), ...step, ...decisionFields() }),
    z.object({ step: z.literal('placing'), ...step, ...requestedCall() }),
    z.object({
      step: z.literal('placed'),
      ...step,
      id: z.nullable(z.string()),
      controlUrl: z.nullable(z.string()),
    }),
    z.object({
      step: z.literal('failed'),
      ...step,
      status: z.enum(['unknown', 'not-placed']),
      reason: z.string(),
    }),
    z.object({
      step: z.literal('ended'),
      ...step,
      status: z.enum(callLogStatuses),
      seconds: z.nullable(z.number()),
      endedBy: z.nullable(z.string()),
    }),
  ])
})
type Step = Infer<typeof stepSchema>
type StepKey = 'key' | 'at'

export type RequestedCall = Omit<Extract<Step, { step: 'placing' }>, 'step' | StepKey>

interface LogDeps {
  readonly env: Environment
  readonly clock: Clock
}

/**
 * Records a call in the log of this machine (mode 0600), before its request is sent, and then its outcome. Each line is on the disk
 * when its function resolves.
 * @throws CallyardError `usage` if the log cannot be written
 */
export async function logCall(call: RequestedCall, deps: LogDeps) {
  const add = createWriter(deps)
  await add({ step: 'placing', ...call })
  return {
    placed: ({ id, response }: PlacedCall) =>
      add({ step: 'placed', id: id ?? null, controlUrl: controlUrlOf(response) }),
    /** The request failed; its call may have been placed anyway. */
    failed(error: unknown) {
      const status = hasKnownOutcome(error) ? 'not-placed' : 'unknown'
      return add({ step: 'failed', status, reason: getErrorReason(error) })
    },
    /** The outcome of the call is known. */
    ended: ({ outcome, seconds, endedBy }: CallEnd) =>
      add({ step: 'ended', status: outcome, seconds, endedBy }),
  }
}

/**
 * Records the decision of a person about a request for approval.
 * @throws CallyardError `usage` if the log cannot be written
 */
export async function logDecision(decision: Omit<Decision, 'at'>, deps: LogDeps): Promise<void> {
  await createWriter(deps)({ step: 'decided', ...decision })
}

/** Returns a function that appends lines of one entry. */
function createWriter(deps: LogDeps) {
  const key = randomUUID()
  return async (line: DistributiveOmit<Step, StepKey>) => {
    const at = new Date(deps.clock.now()).toISOString()
    await changeLog(deps, (path, lock) => appendOnce(path, toLines([{ ...line, key, at }]), lock))
  }
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never

interface CallLog {
  /** Oldest first. */
  readonly calls: readonly LoggedCall[]
  /** Decisions about requests for approval, oldest first. */
  readonly decisions: readonly Decision[]
  /** Lines that are damaged, or of a newer version. */
  readonly unreadable: number
}

/**
 * Reads the calls placed from this machine, and the decisions about requests for approval. Without a log there are none.
 * @throws CallyardError `usage` for a log that cannot be read
 */
export async function readCallLog(env: Environment): Promise<CallLog> {
  const calls = new Map<string, LoggedCall>()
  const decisions: Decision[] = []
  let unreadable = 0
  for await (const text of linesOf(env)) {
    const parsed = stepSchema().safeParse(parseJson(text))
    if (!parsed.success) unreadable += 1
    else if (parsed.data.step === 'decided') {
      const { step: _, key: __, ...decision } = parsed.data
      decisions.push(decision)
    } else apply(parsed.data, calls)
  }
  return { calls: [...calls.values()], decisions, unreadable }
}

interface LoggedRequest {
  readonly service: string
  readonly to: string
  readonly batch?: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * Finds calls of the log that were placed, or may have been, without keeping the others in memory. Returns their numbers and the time of
 * the last one.
 * @throws CallyardError `usage` for a log that cannot be read
 */
export async function findLoggedNumbers(
  env: Environment,
  isWanted: (call: LoggedRequest) => boolean,
): Promise<{ readonly numbers: ReadonlySet<string>; readonly last: number | undefined }> {
  const callsByKey = new Map<string, { readonly to: string; readonly at: number }>()
  for await (const text of linesOf(env)) {
    const line = parseJson(text)
    if (!isObject(line) || typeof line.key !== 'string') continue
    const { step, key, service, to, batch, at } = line
    if (step === 'failed' && line.status === 'not-placed') callsByKey.delete(key)
    if (step !== 'placing' || typeof service !== 'string' || typeof to !== 'string') continue
    const call = { service, to, at: readDateTime(String(at)) ?? 0 }
    if (isWanted({ ...call, ...(typeof batch === 'string' && { batch }) })) callsByKey.set(key, call)
  }
  const calls = [...callsByKey.values()]
  return {
    numbers: new Set(calls.map(({ to }) => to)),
    last: calls.length === 0 ? undefined : calls.reduce((last, { at }) => Math.max(last, at), 0),
  }
}

/**
 * Removes calls that were placed before a time, and damaged lines.
 * @throws CallyardError `usage` if the log cannot be read or replaced
 */
export async function pruneCallLog(
  before: number,
  deps: LogDeps,
): Promise<{ readonly removed: number; readonly kept: number }> {
  const removed = new Set<string>()
  const keptKeys = new Set<string>()
  async function* keptLines() {
    for await (const text of linesOf(deps.env)) {
      const line = parseJson(text)
      if (!isObject(line) || typeof line.key !== 'string') continue
      const { key, at } = line
      if (!keptKeys.has(key) && !removed.has(key)) {
        const placedAt = typeof at === 'string' ? readDateTime(at) : undefined
        const isOld = placedAt === undefined || placedAt < before
        ;(isOld ? removed : keptKeys).add(key)
      }
      if (keptKeys.has(key)) yield `${text}\n`
    }
  }
  if (existsSync(callLogFile(deps.env)))
    await changeLog(deps, (path, lock) => openLog(path, { lock }).replace(keptLines))
  return { removed: removed.size, kept: keptKeys.size }
}

function apply(line: Exclude<Step, { step: 'decided' }>, calls: Map<string, LoggedCall>): void {
  const { step: kind, key, at, ...fields } = line
  if (line.step === 'placing') {
    const { step: _, ...requested } = line
    calls.set(key, { ...requested, id: null, ...unsettled })
    return
  }
  const call = calls.get(key)
  // The first line of a call is gone if the log was pruned since.
  if (call !== undefined) calls.set(key, { ...call, ...(kind === 'placed' && { status: kind }), ...fields })
}

const unsettled = {
  status: 'unknown',
  reason: null,
  seconds: null,
  endedBy: null,
  controlUrl: null,
} as const satisfies Partial<LoggedCall>

/** Lines that are not empty. */
async function* linesOf(env: Environment): AsyncGenerator<string> {
  const path = callLogFile(env)
  try {
    for await (const { bytes } of await streamLines(path))
      if (bytes !== undefined && bytes.length > 0) yield bytes.toString()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'ENOTDIR') return
    throw storeUnusable(path, 'read', error)
  }
}

/** Another callyard may place a call, or prune the log, at the same time. */
async function changeLog(
  { env, clock }: LogDeps,
  change: (path: string, lock: FileLock) => Promise<void>,
): Promise<void> {
  const path = callLogFile(env)
  const cannotLock = (error: unknown) => storeUnusable(path, 'write', error)
  const inUse = () =>
    new CallyardError('conflict', `another callyard is writing ${path}`, { hint: 'try again' })
  try {
    await makeFolder(dirname(path), 0o700)
    await whileLocked(path, { clock, inUse, cannotLock }, lock => change(path, lock))
  } catch (error) {
    throw error instanceof CallyardError ? error : cannotLock(error)
  }
}

function controlUrlOf({ monitor }: PlacedCall['response']): string | null {
  return isObject(monitor) && typeof monitor.controlUrl === 'string' ? monitor.controlUrl : null
}
