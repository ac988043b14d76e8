import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBatchJournal, planBatch } from '../../../src/calls/batch/index.ts'
import { prepareRun } from '../../../src/calls/batch/run/index.ts'
import { resultsOf } from '../../../src/calls/batch/status/index.ts'
import { listenForCalls } from '../../../src/calls/outcomes/index.ts'
import { receiveOverHttp } from '../../../src/events/receive/index.ts'
import type { BatchFile } from '../../../src/files/formats/batch.ts'
import type { PhoneOutcome } from '../../../src/interface/phone-number.ts'
import { createProgramEnvironment } from '../../../src/lib/process/program-environment.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { createApi } from '../../../src/service/api/index.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { openList } from './open-list.ts'

/** A call as a test scripts it. */
export interface ScriptedPhone {
  readonly phone: PhoneOutcome
  /** Line of the caller. */
  readonly says?: string
  /** Fields of the analysis. */
  readonly callbackAt?: string
  readonly optOut?: boolean
}

export interface ScriptedPerson {
  /** E.164. */
  readonly number: string
  readonly zone: string
  /** Calls in order; the last one repeats. */
  readonly script: readonly ScriptedPhone[]
}

export interface PlacedCall {
  readonly number: string
  readonly id: string
  readonly at: number
  /** Undefined while it lasts. */
  endedAt?: number
}

export interface SandboxBatch {
  readonly startsAt: number
  readonly people: readonly ScriptedPerson[]
  readonly batch: Partial<BatchFile>
  /** Numbers on the do-not-call list of the batch. */
  readonly doNotCall: readonly string[]
  /** Numbers that another program adds to the project's list at a time. */
  readonly blocked: { readonly at: number; readonly numbers: readonly string[] }
}

/** Time between two looks at the world while calls last: a run learns of their events then. */
const stepMs = 15_000

/**
 * Runs a batch against a real sandbox, whose webhooks arrive over HTTP, on a clock that moves when the run waits. `onEnd` takes functions
 * that close what was opened; the last one is called first.
 */
export async function runAgainstSandbox(
  { startsAt, people, batch: fields, doNotCall, blocked }: SandboxBatch,
  onEnd: (close: () => Promise<void>) => void,
  parentFolder = tmpdir(),
) {
  const folder = await mkdtemp(join(parentFolder, 'callyard-batch-'))
  onEnd(() => rm(folder, { recursive: true, force: true }))
  const placed = new Map<string, PlacedCall>()
  let live = 0
  const sandbox = await startSandbox({
    ...{ port: 0, pace: 1, frozen: true, startsAt, clock: realClock },
    numbers: people.map(({ number, script }) => ({ number, outcome: outcomesOf(script) })),
    log(event) {
      if (event.kind !== 'call') return
      if (event.status === 'queued') live += 1
      else if (event.status === 'finished') {
        live -= 1
        const call = placed.get(event.callId)
        if (call !== undefined) call.endedAt = sandbox.first.clock.now()
      }
    },
  })
  onEnd(sandbox.close)
  const { now, advance } = sandbox.first.clock
  const list = join(folder, 'do-not-call.csv')
  let isBlocked = false
  const clock = {
    now,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      const until = now() + Math.max(1, milliseconds)
      while (now() < until) {
        signal?.throwIfAborted()
        await advance(Math.min(until - now(), live === 0 ? until - now() : stepMs))
        if (isBlocked || now() < blocked.at) continue
        isBlocked = true
        await appendFile(list, blocked.numbers.map(number => `${number},,,\n`).join(''))
      }
    },
  }
  const feed = await listenForCalls({
    ...{ clock, recorder: undefined, recorded: nothing(), onTailEvent: () => undefined },
    source: receiveOverHttp({ host: '127.0.0.1', port: 0, path: '/events', clock: realClock }),
  })
  onEnd(async () => feed.close())
  const assistant = {
    ...{ name: 'Desk', welcomeMessage: 'Hello', maxCallDuration: 1 },
    assistantServer: { url: feed.source.address },
    assistantAnalysis: {
      structuredData: {
        enabled: true,
        schema: {
          type: 'object',
          properties: { callbackAt: { type: 'string' }, optOut: { type: 'boolean' } },
        },
      },
    },
  }
  const api = createApi({
    ...{ timeoutMs: 30_000, clock: realClock, signal: new AbortController().signal, env: {} },
    connect: async () => sandbox,
  })
  onEnd(async () => api.close())
  const byNumber = new Map(people.map(person => [person.number, person]))
  const call = async ({ from, to, number }: { from: string; to: string; number: number }) => {
    const { script = [] } = byNumber.get(to) ?? {}
    const { says, phone, ...data } = script[Math.min(number, script.length) - 1] ?? { phone: 'answered' }
    const metadata = { ...data, ...(says !== undefined && { caller: [says, '/hangup'] }) }
    const at = now()
    // Messages matter only where somebody opts out, or a machine speaks.
    const isHeard = says !== undefined || phone === 'voicemail'
    const messages = ['status-update', ...(isHeard ? ['conversation-update'] : [])]
    const { sid: id } = await api.startCall({
      ...{ userNumber: to, assistantNumber: from, metadata },
      assistant: { ...assistant, assistantServer: { ...assistant.assistantServer, messages } },
    })
    if (id !== undefined) placed.set(id, { number: to, id, at })
    return { id }
  }

  const rows = [['phone', 'timezone'], ...people.map(({ number, zone }) => [number, zone])]
  await writeFile(join(folder, 'excluded.csv'), doNotCall.map(number => `${number}\n`).join(''))
  const open = () =>
    openList(folder, rows, {
      ...{ from: ['+12025550100', '+12025550101'], doNotCall: 'excluded.csv', ...fields },
    })
  const opened = await open()
  const planned = planBatch({ ...opened, now: now() })
  const journal = await openBatchJournal(opened.stateFolder, { clock: realClock })
  onEnd(async () => journal.close())
  const run = await prepareRun(opened, planned, {
    ...{ clock, call, feed, journal, cwd: folder, env: createProgramEnvironment({}), ignoresLists: false },
    ...{ eventUrl: feed.source.address, service: sandbox.baseUrl },
    signal: new AbortController().signal,
    onEvent: () => undefined,
    reread: async before => before,
    onResultsError(error) {
      throw error
    },
  })
  const end = await run.run()
  const read = await open()
  return {
    ...{ end, placed: [...placed.values()] },
    /** Status of each person by number, by the state and by one that is read from the journal. */
    statuses: [journal.state, read.state].map(
      state =>
        new Map(resultsOf({ ...opened, state }, planned).map(({ number, status }) => [number, status])),
    ),
    attempts: journal.state.attempts,
    /** Numbers of the project's do-not-call list. */
    listed: (await readFile(list, 'utf8'))
      .trim()
      .split('\n')
      .slice(1)
      .map(line => line.split(',')[0] ?? ''),
  }
}

/** Outcomes of calls to a number without repetitions at the end: for a list, the sandbox counts earlier calls. */
function outcomesOf(script: readonly ScriptedPhone[]): PhoneOutcome[] {
  const outcomes = script.map(({ phone }) => phone)
  while (outcomes.length > 1 && outcomes.at(-1) === outcomes.at(-2)) outcomes.pop()
  return outcomes
}

async function* nothing(): AsyncGenerator<never, undefined> {}
