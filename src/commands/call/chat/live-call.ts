import { createApi } from '../../../api/index.ts'
import type { Context } from '../../../cli/context.ts'
import {
  type CallerTurn,
  type CallObservation,
  type ControlCommand,
  type LlmServer,
  type Log,
  Problem,
  type RecordEntry,
  startSandbox,
} from '../../../sandbox/index.ts'
import type { PreparedCall } from './prepare.ts'

/** Reserved for examples: nobody has them. */
const numbers = { assistantNumber: '+12025550100', userNumber: '+12025550123' }

/** A call that goes on, seen by its caller. */
export interface LiveCall {
  /** Resolves when the caller has the floor, at once for an interruption: false when the call is over. */
  turnOf(turn: CallerTurn): Promise<boolean>
  /** Does it at once, or when the call is picked up. False when the call is over. */
  take(turn: CallerTurn): boolean
  readonly over: boolean
  /** Resolves when the last status is known. */
  readonly ended: Promise<void>
  /** Hangs up a call that goes on, sends its last webhooks, and ends the sandbox. */
  close(): Promise<void>
}

interface ChatCallDeps {
  readonly context: Context
  readonly llm: LlmServer | undefined
  /** 1 is real time, in which the caller types; 0 does not wait, and all that is said takes the time of speech. */
  readonly pace: number
  readonly newId: () => string
  /** Calls of before, which the assistant may remember. */
  readonly earlier: readonly RecordEntry[]
  observe(observation: CallObservation): void
  readonly log: Log
}

/**
 * Places a call on a sandbox of its own, as `call start` would on the service: by its HTTP API (interface.md 4.1). `first`
 * is what the caller does as soon as it is picked up.
 * @throws CliError of the API when the sandbox refuses it
 */
export async function startLiveCall(
  { body, entries }: PreparedCall,
  first: readonly CallerTurn[],
  deps: ChatCallDeps,
): Promise<LiveCall> {
  const { context, llm, pace, newId, earlier, log } = deps
  const { clock, options, output } = context
  const floor = createFloor()
  const held: CallerTurn[] = [...first]
  let callId: string | undefined
  let ongoing = false
  let over = false
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })

  const sandbox = await startSandbox({
    port: 0,
    pace,
    newId,
    clock,
    llm,
    log,
    modelTimeout: options.timeout,
    vocabulary: (await context.settings()).vocabulary.value,
    entries: [...entries, ...earlier],
    caller: pace === 0 ? 'live' : 'typed',
    observe(observation) {
      deps.observe(observation)
      callId = observation.callId
      if (observation.kind === 'listening') floor.free()
      else if (observation.kind === 'status' && observation.status === 'ongoing') {
        ongoing = true
        for (const turn of held.splice(0)) take(turn)
      } else if (observation.kind === 'status' && observation.status === 'finished') {
        over = true
        floor.end()
        end()
      }
    },
  })
  const take = (turn: CallerTurn): boolean => {
    if (over || callId === undefined) return false
    if (!ongoing && turn.type !== 'hang-up') {
      held.push(turn)
      return true
    }
    floor.given()
    return intervene(callId, toIntervention(turn))
  }
  const intervene = (id: string, intervention: ControlCommand): boolean => {
    try {
      sandbox.control(id, intervention)
      return true
    } catch (error) {
      // The call has just ended; its last status is being made.
      if (error instanceof Problem) return false
      throw error
    }
  }
  let closing: Promise<void> | undefined
  const api = createApi({
    connect: async () => sandbox,
    timeout: options.timeout ?? 30_000,
    clock,
    // The caller's signal hangs up; a request to this process need not be given up.
    signal: new AbortController().signal,
    env: {},
    debug: output.debug,
    note: output.note,
  })
  try {
    await api.startCall({ ...numbers, ...body })
  } catch (error) {
    await sandbox.close()
    throw error
  } finally {
    await api.close()
  }
  return {
    turnOf: async turn => (turn.type === 'interrupt' ? !over : floor.listening()),
    take,
    get over() {
      return over
    },
    ended,
    close() {
      closing ??= (async () => {
        take({ type: 'hang-up' })
        await ended
        await sandbox.close()
      })()
      return closing
    },
  }
}

function toIntervention(turn: CallerTurn): ControlCommand {
  switch (turn.type) {
    case 'say':
      return { type: 'say', role: 'user', text: turn.text }
    case 'hang-up':
      return { type: 'hang-up', by: 'user' }
    default:
      return turn
  }
}

interface Floor {
  free(): void
  given(): void
  end(): void
  /** Resolves with true when the caller has the floor, with false when the call is over. */
  listening(): Promise<boolean>
}

/** Whose turn it is, and who waits for it. */
function createFloor(): Floor {
  let state: 'nobody' | 'caller' | 'over' = 'nobody'
  let waiting: (() => void)[] = []
  const become = (next: typeof state) => {
    if (state === 'over') return
    state = next
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  return {
    free: () => become('caller'),
    given: () => become('nobody'),
    end: () => become('over'),
    async listening() {
      while (state === 'nobody') await new Promise<void>(resolve => waiting.push(resolve))
      return state === 'caller'
    },
  }
}
