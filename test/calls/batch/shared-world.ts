import TinyQueue from 'tinyqueue'
import { openSharedJournal } from '../../../src/calls/batch/index.ts'
import type { BatchEvent, RunEnd } from '../../../src/calls/batch/run/index.ts'
import { createBatchRun } from '../../../src/calls/batch/run/run-batch.ts'
import { batchStepSchema, createBatchState } from '../../../src/calls/batch/state.ts'
import { resultsOf } from '../../../src/calls/batch/status/index.ts'
import type { CallUpdate } from '../../../src/calls/outcomes/index.ts'
import type { BatchFile } from '../../../src/files/formats/batch.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import type { LogResult, NewSharedEntry, SharedEntry, SharedLog } from '../../../src/lib/shared-log.ts'
import { planList } from './plan-list.ts'
import { answered, type ScriptedCall, updatesOf } from './scripted-call.ts'

export interface WorldCall {
  readonly to: string
  readonly from: string
  readonly at: number
  readonly runner: number
  readonly attempt: string
  /** Undefined while it lasts. */
  endedAt?: number
}

interface WorldOptions {
  readonly seed: number
  readonly start?: number
  readonly batch?: Partial<BatchFile>
  readonly zones: readonly string[]
  readonly scripts?: readonly (readonly ScriptedCall[])[]
  /** Highest latency of a message in milliseconds. */
  readonly maxDelayMs?: number
  /** True for a log that sometimes stores what it must not: after another decision. */
  readonly isFaulty?: boolean
}

/** Misfortune of a process. Times are milliseconds after the start. */
export interface Trouble {
  readonly runner: number
  readonly at: number
  readonly kind: 'kill' | 'stop' | 'partition'
  readonly ms: number
}

export type RunnerEnd = RunEnd | CallyardError | 'killed'

interface RunnerState {
  readonly index: number
  readonly clockOffsetMs: number
  isDead: boolean
  stoppedUntil: number
  partitionedUntil: number
}

const duplicateWindowMs = 15 * 60_000
const timeoutMs = 2000
const maxTurns = 100_000

/**
 * Several runners of one batch on a virtual clock: a log, a service, its events and processes that are killed, stopped and cut off. Every
 * message takes a random time, so that runners interleave between any two awaits.
 */
export function createWorld({
  seed,
  start = Date.parse('2026-11-23T08:00:00Z'),
  batch: fields = {},
  zones,
  scripts = [],
  maxDelayMs = 40,
  isFaulty = false,
}: WorldOptions) {
  const random = randomOf(seed)
  const batch: BatchFile = { list: 'list.csv', from: '+12025550100', ...fields }
  const timers = new TinyQueue<{ readonly at: number; readonly order: number; readonly run: () => void }>(
    [],
    (one, other) => one.at - other.at || one.order - other.order,
  )
  let now = start
  let order = 0
  const at = (time: number, run: () => void) => {
    order += 1
    timers.push({ at: Math.max(time, now), order, run })
  }
  const delay = () => 1 + Math.floor(random() * maxDelayMs)

  const entries: SharedEntry[] = []
  let lastDecision = 0
  const times = new Map<string, { readonly sequence: number; readonly at: number }>()
  const newEntries = new Set<() => void>()
  let onStored: ((entry: NewSharedEntry) => void) | undefined
  const store = (entry: NewSharedEntry): LogResult => {
    const duplicate = times.get(entry.id)
    if (duplicate !== undefined && now - duplicate.at < duplicateWindowMs)
      return { sequence: duplicate.sequence }
    const isStale = entry.after !== undefined && entry.after !== lastDecision
    if (isStale && !(isFaulty && random() < 0.2)) return { sequence: lastDecision }
    const sequence = entries.length + 1
    entries.push({ ...entry, sequence, at: now })
    times.set(entry.id, { sequence, at: now })
    if (entry.topic === 'decisions') lastDecision = sequence
    onStored?.(entry)
    for (const wake of newEntries) wake()
    return { sequence }
  }

  const updates: CallUpdate[] = []
  const newUpdates = new Set<() => void>()
  const placed: WorldCall[] = []
  const requests: { readonly to: string; readonly at: number }[] = []
  const optOuts: { readonly runner: number; readonly numbers: readonly string[] }[] = []
  const numberOf = (person: number) => `+1202555${String(1000 + person).padStart(4, '0')}`
  const personOf = (number: string) => Number(number.slice(-4)) % 1000
  const receive = (
    to: string,
    from: string,
    attempt: string,
    runner: number,
  ): ScriptedCall & { id: string } => {
    const person = personOf(to)
    const script = scripts[person] ?? [answered]
    const index = placed.filter(placedCall => placedCall.to === to).length
    const scripted = script[Math.min(index, script.length - 1)] ?? answered
    requests.push({ to, at: now })
    if (scripted.isRejected === true) return { ...scripted, id: '' }
    const call: WorldCall = { to, from, at: now, runner, attempt }
    placed.push(call)
    const id = `CC-${placed.length}`
    if (scripted.isSilent !== true)
      for (const update of updatesOf(call, id, scripted))
        at(update.at, () => {
          if (update.ended !== undefined) call.endedAt = now
          updates.push(update)
          for (const wake of newUpdates) wake()
        })
    else at(now + (scripted.seconds ?? 60) * 1000, () => Object.assign(call, { endedAt: now }))
    return { ...scripted, id }
  }

  const runners: RunnerState[] = []
  /** Calls a process back unless it is dead; later if it is stopped. */
  const callBack = (runner: RunnerState, time: number, run: () => void) =>
    at(time, () => {
      if (runner.isDead) return
      if (now < runner.stoppedUntil) callBack(runner, runner.stoppedUntil + delay(), run)
      else run()
    })
  const isCutOff = ({ partitionedUntil }: RunnerState) => now < partitionedUntil
  /** Hands over what is new in a list, in order. */
  const follow = <Item>(
    runner: RunnerState,
    list: readonly Item[],
    wakers: Set<() => void>,
    onItem: (item: Item) => void,
  ) => {
    let next = 0
    let isPlanned = false
    const deliver = () => {
      isPlanned = false
      if (isCutOff(runner)) return plan(runner.partitionedUntil)
      for (let item = list[next]; item !== undefined; item = list[next]) {
        next += 1
        onItem(item)
      }
    }
    const plan = (from = now) => {
      if (isPlanned) return
      isPlanned = true
      callBack(runner, from + delay(), deliver)
    }
    wakers.add(() => plan())
    plan()
    return { deliver }
  }
  const logOf = (runner: RunnerState): SharedLog => ({
    append: entry =>
      new Promise((resolve, reject) => {
        const lose = () => callBack(runner, now + timeoutMs, () => reject(new Error('timeout')))
        if (isCutOff(runner) || random() < 0.02) return lose()
        at(now + delay(), () => {
          const result = store(entry)
          if (isCutOff(runner) || random() < 0.02) lose()
          else callBack(runner, now + delay(), () => resolve(result))
        })
      }),
    follow: async onEntry => follow(runner, entries, newEntries, onEntry).deliver(),
    clockAheadMs: runner.clockOffsetMs,
    failed: new Promise<never>(() => undefined),
    close: async () => undefined,
  })
  const plan = () => {
    const cells = zones.map((zone, person) => [numberOf(person), zone])
    return planList(batch, { columns: ['to', 'timezone'], cells }, { now, isRunning: true })
  }
  const facts = { people: zones.length, settings: {}, rows: '' }
  const runOne = async (runner: RunnerState, onEvent: (event: BatchEvent) => void, signal: AbortSignal) => {
    const clock = {
      now: () => now + runner.clockOffsetMs,
      sleep: (milliseconds: number, aborted?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          if (aborted?.aborted === true) return reject(aborted.reason)
          aborted?.addEventListener('abort', () => reject(aborted.reason), { once: true })
          if (Number.isFinite(milliseconds)) callBack(runner, now + Math.max(1, milliseconds), resolve)
        }),
    }
    const journal = await openSharedJournal(logOf(runner), { clock, signal })
    return createBatchRun(...([plan(), batch, 'list.csv'] as const), {
      ...{ clock, monotonicMs: () => now, signal, journal, onEvent, shared: facts },
      ...{ service: 'https://api.example.com', maxCallMs: 10 * 60_000 },
      call: ({ from, to, attempt }) =>
        new Promise((resolve, reject) => {
          at(now + delay(), () => {
            const { id, isRejected, isLost } = receive(to, from, attempt, runner.index)
            callBack(runner, now + delay(), () => {
              if (isRejected === true) reject(serviceError('refused', { outcome: 'refused', status: 422 }))
              else if (isLost === true) reject(serviceError('unreachable', { outcome: 'unknown' }))
              else resolve({ id })
            })
          })
        }),
      feed: {
        async start(onUpdate) {
          follow(runner, updates, newUpdates, onUpdate)
        },
        failed: new Promise<never>(() => undefined),
        close: async () => undefined,
      },
      optOut: async ({ numbers }) => void optOuts.push({ runner: runner.index, numbers }),
      reread: async before => before,
    }).run()
  }
  /** Runs a number of runners until each has ended or was killed. A killed one starts again after `ms`, unless that is 0. */
  const run = async (
    count: number,
    {
      troubles = [],
      onEvent = () => undefined,
      signals = [],
      clockOffsets = [],
    }: {
      readonly troubles?: readonly Trouble[]
      readonly onEvent?: (runner: number, event: BatchEvent) => void
      readonly signals?: readonly (AbortSignal | undefined)[]
      readonly clockOffsets?: readonly number[]
    } = {},
  ): Promise<readonly RunnerEnd[]> => {
    const ends: RunnerEnd[] = []
    let running = 0
    const startWorker = (index: number) => {
      const runner: RunnerState = {
        ...{
          index,
          clockOffsetMs: clockOffsets[index] ?? 0,
          isDead: false,
          stoppedUntil: 0,
          partitionedUntil: 0,
        },
      }
      runners[index] = runner
      running += 1
      const signal = signals[index] ?? new AbortController().signal
      runOne(runner, event => onEvent(index, event), signal)
        .catch((error: unknown) => {
          if (error instanceof CallyardError) return error
          throw error
        })
        .then(end => {
          ends[index] = end
          running -= 1
        }, fail)
    }
    let failure: unknown
    const fail = (error: unknown) => {
      failure ??= error
    }
    for (let index = 0; index < count; index += 1) at(now + index * delay(), () => startWorker(index))
    for (const { runner: index, at: after, kind, ms } of troubles)
      at(now + after, () => {
        const runner = runners[index]
        if (runner === undefined || runner.isDead || ends[index] !== undefined) return
        if (kind === 'stop') runner.stoppedUntil = now + ms
        else if (kind === 'partition') runner.partitionedUntil = now + ms
        else {
          runner.isDead = true
          ends[index] = 'killed'
          running -= 1
          if (ms > 0) at(now + ms, () => startWorker(index))
        }
      })
    for (let turns = 0; timers.length > 0; turns += 1) {
      // About as many as a long batch takes; a runner that does not wait takes a turn each millisecond.
      if (turns === maxTurns) throw new Error('a runner does not wait')
      const next = timers.pop()
      if (next === undefined) break
      now = next.at
      next.run()
      // Everything that follows without a message or a wait.
      await new Promise<void>(resolve => setImmediate(resolve))
      if (failure !== undefined) throw failure
      if (running === 0 && runners.length === count) break
    }
    if (running > 0) throw new Error(`${running} runners wait forever`)
    return ends
  }
  const state = () =>
    createBatchState(
      // The same rule as that of a runner: a step that follows another decision than it names does not count.
      validEntries(entries).map(({ text }) => batchStepSchema.parse(JSON.parse(text))),
    )
  return {
    ...{ batch, entries, placed, requests, optOuts, run, state, personOf },
    now: () => now,
    append: store,
    /** Stops a process now. */
    stop(index: number, ms: number) {
      const runner = runners[index]
      if (runner !== undefined) runner.stoppedUntil = now + ms
    },
    /** Calls back when an entry was stored, before anybody learns of it. */
    onStored(listener: (entry: NewSharedEntry) => void) {
      onStored = listener
    },
    callsTo: (person: number) => placed.filter(placedCall => personOf(placedCall.to) === person),
    statuses: () => resultsOf({ state: state(), batch }, plan()).map(({ status }) => status),
  }
}

function validEntries(entries: readonly SharedEntry[]): readonly SharedEntry[] {
  let last = 0
  const ids = new Set<string>()
  return entries.filter(({ topic, after, sequence, id }) => {
    const isValid = (after === undefined || after === last) && !ids.has(id)
    if (topic === 'decisions') last = sequence
    ids.add(id)
    return isValid
  })
}

function serviceError(kind: 'refused' | 'unreachable', details: Record<string, unknown>) {
  return new CallyardError(kind, JSON.stringify(details), { details })
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
