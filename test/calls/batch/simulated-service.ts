import { join } from 'node:path'
import { type CallJob, openBatchJournal, planBatch } from '../../../src/calls/batch/index.ts'
import { type BatchEvent, type BatchRun, prepareRun } from '../../../src/calls/batch/run/index.ts'
import { resultsOf } from '../../../src/calls/batch/status/index.ts'
import type { CallUpdate } from '../../../src/calls/outcomes/index.ts'
import type { BatchFile } from '../../../src/files/formats/batch.ts'
import { CallyardError } from '../../../src/lib/error.ts'
import { createProgramEnvironment } from '../../../src/lib/process/program-environment.ts'
import { contentOf, temporaryFolder } from '../../helpers/folders.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { failingAppend } from './failing-append.ts'
import { openList } from './open-list.ts'
import { answered, type ScriptedCall, updatesOf } from './scripted-call.ts'

interface SimulatedCall {
  readonly to: string
  readonly from: string
  readonly at: number
  readonly kind: string
  /** Undefined while it lasts. */
  endedAt?: number
}

interface SimulationOptions {
  readonly start?: number
  readonly batch?: Partial<BatchFile>
  /** Time zone of each person; numbers and ids are made. */
  readonly zones: readonly string[]
  /** Calls to each person, in order; the last one repeats. By default all are taken. */
  readonly scripts?: readonly (readonly ScriptedCall[])[]
  readonly numbers?: number
}

export interface SimulatedRun {
  /** Line of the journal before or after which the process is killed. */
  readonly killAt?: number
  readonly isAfter?: boolean
  /** Line that cannot be written. */
  readonly failAt?: number
  /** True if other runners may call people of the batch, too. */
  readonly isShared?: boolean
  readonly signal?: AbortSignal
  readonly onEvent?: (event: BatchEvent, now: number) => void
  readonly onPrepared?: (run: Pick<BatchRun, 'live' | 'queue'>) => void
  readonly deps?: Partial<Parameters<typeof prepareRun>[2]>
}

/** A service, its calls and their events on a clock that moves when everybody waits. */
export async function simulate({
  start = Date.parse('2026-11-23T08:00:00Z'),
  batch: fields = {},
  zones,
  scripts = [],
  numbers = 1,
}: SimulationOptions) {
  const folder = await temporaryFolder()
  const numberOf = (person: number, index: number) =>
    `+1202555${String(1000 * (index + 1) + person).padStart(4, '0')}`
  /** Put before the number of each person to make an id; empty for ids that are numbers. */
  let idPrefix = ''
  const to = Array.from({ length: numbers }, (_, index) => `to${index}`)
  const columns = [...to, 'timezone', 'id']
  const open = () => {
    const people = zones.map((zone, person) => [
      ...to.map((_, index) => numberOf(person, index)),
      ...[zone, idPrefix && `${idPrefix}${person}`],
    ])
    return openList(folder, [columns, ...people], { ...fields, columns: { to } })
  }

  const { stateFolder } = await open()
  let now = start
  let handleUpdate: ((update: CallUpdate) => void) | undefined
  /** Updates that have been sent; a listener that starts again reads the recorded ones. */
  const recorded: CallUpdate[] = []
  const due: { readonly at: number; readonly update: CallUpdate; readonly call: SimulatedCall }[] = []
  const placed: SimulatedCall[] = []
  const deliver = () => {
    const event = due.shift()
    if (event === undefined) return
    now = Math.max(now, event.at)
    if (event.update.ended !== undefined) event.call.endedAt = now
    recorded.push(event.update)
    handleUpdate?.(event.update)
  }
  const clock = {
    now: () => now,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      const until = now + Math.max(milliseconds, 1)
      while (due[0] !== undefined && due[0].at <= until) {
        deliver()
        if (signal?.aborted === true) throw signal.reason
      }
      now = until
    },
  }
  const personOf = (number: string) => Number(number.slice(-4)) % 1000
  const counts = new Map<number, number>()
  const call = async ({ from, to: number }: CallJob & { readonly kind?: string }) => {
    const person = personOf(number)
    const script = scripts[person] ?? [answered]
    const index = counts.get(person) ?? 0
    const scripted = script[Math.min(index, script.length - 1)] ?? answered
    now += 100
    if (scripted.isRejected === true)
      throw new CallyardError('refused', 'rejected', { details: { outcome: 'refused', status: 422 } })
    counts.set(person, index + 1)
    const made: SimulatedCall = { to: number, from, at: now, kind: '' }
    placed.push(made)
    const id = `CC-${placed.length}`
    if (scripted.isSilent !== true) schedule(made, id, scripted)
    if (scripted.isLost === true)
      throw new CallyardError('unreachable', 'no response', { details: { outcome: 'unknown' } })
    return { id }
  }
  const schedule = (made: SimulatedCall, id: string, scripted: ScriptedCall) => {
    due.push(...updatesOf(made, id, scripted).map(update => ({ at: update.at, update, call: made })))
    due.sort((one, other) => one.at - other.at)
  }
  const feed = {
    async start(onUpdate: (update: CallUpdate) => void) {
      for (const update of recorded) onUpdate(update)
      handleUpdate = onUpdate
    },
    failed: new Promise<never>(() => undefined),
    close: async () => undefined,
  }
  const events: BatchEvent[] = []
  const run = async ({
    killAt,
    isAfter = false,
    failAt,
    isShared = false,
    signal = new AbortController().signal,
    onEvent,
    onPrepared,
    deps = {},
  }: SimulatedRun = {}) => {
    const opened = await open()
    const planned = planBatch({ ...opened, now, isRunning: true })
    const journal = await openBatchJournal(stateFolder, { clock: realClock })
    try {
      const prepared = await prepareRun(opened, planned, {
        ...{ clock, signal, call, feed, cwd: folder, env: createProgramEnvironment({}), ignoresLists: false },
        service: 'https://api.example.com',
        journal: Object.assign(journal, {
          isShared,
          append: failingAppend(journal, { killAt, isAfter, failAt }),
        }),
        onEvent(event) {
          events.push(event)
          onEvent?.(event, now)
        },
        reread: async before => before,
        onResultsError(error) {
          throw error
        },
        ...deps,
      })
      onPrepared?.(prepared)
      return await prepared.run()
    } finally {
      handleUpdate = undefined
      await journal.close()
    }
  }
  return {
    ...{ folder, stateFolder, clock, events, placed, open, run, personOf },
    /** Gives all people other ids. */
    rename(prefix: string) {
      idPrefix = prefix
    },
    callsTo: (person: number) => placed.filter(placedCall => personOf(placedCall.to) === person),
    /** Rows of the do-not-call list. */
    async optOuts() {
      const [, ...rows] = (await contentOf(join(folder, 'do-not-call.csv')))?.trim().split('\n') ?? []
      return rows
    },
    state: async () => (await open()).state,
    /** Status of each person, also of those on the do-not-call list. */
    async statuses() {
      const opened = await open()
      const planned = planBatch({ ...opened, doNotCall: new Map(), now, isRunning: true })
      return resultsOf(opened, planned).map(({ status }) => status)
    },
  }
}
