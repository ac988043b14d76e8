import type { CallObservation } from '../files/formats/call-observation.ts'
import type { CallerTurn } from '../files/formats/caller-script.ts'
import { CallyardError } from '../lib/error.ts'
import { lazy } from '../lib/lazy.ts'
import { createDeferred } from '../lib/queue.ts'
import { exampleNumber } from './engine/phone-outcome.ts'
import { placeCheckedCall } from './http/place-call.ts'
import { type SandboxOptions, startSandbox } from './http/start-sandbox.ts'
import { Problem } from './records/problem.ts'

/** Reserved for examples: no person has them. */
const numbers = { assistantNumber: exampleNumber, userNumber: '+12025550123' }

/** Call in progress, seen by its caller. */
export type LiveCall = Awaited<ReturnType<typeof startLiveCall>>

type Body = Readonly<Record<string, unknown>>

interface LiveCallOptions extends Omit<SandboxOptions, 'port' | 'pace' | 'caller'> {
  readonly observe: (observation: CallObservation) => void
  /** The caller reads the words as they are made, and can stop them. */
  readonly reads: boolean
  /** Body of Create call (interface.md 4.1) without the numbers. */
  readonly body: Body
  /** Turns of the caller right after the call is picked up. */
  readonly first: readonly CallerTurn[]
}

/**
 * Places a call on a new sandbox. Nothing waits, and the clock stops while the caller thinks or types: speech takes the same time as in
 * a scripted call.
 * @throws CallyardError `refused` for a call that the service would reject
 */
export async function startLiveCall({ body, first, reads, ...options }: LiveCallOptions) {
  const floor = createFloor()
  const earlyTurns: CallerTurn[] = [...first]
  const { promise: ended, resolve: end } = createDeferred()
  let callId: string | undefined
  let ongoing = false
  let over = false

  const sandbox = await startSandbox({
    ...options,
    port: 0,
    pace: 0,
    caller: reads ? 'typed' : 'live',
    observe(observation) {
      options.observe(observation)
      callId = observation.callId
      if (observation.kind === 'listening') floor.free()
      else if (observation.kind === 'status' && observation.status === 'ongoing') {
        ongoing = true
        for (const turn of earlyTurns.splice(0)) send(turn)
      } else if (observation.kind === 'status' && observation.status === 'finished') {
        over = true
        floor.end()
        end()
      }
    },
  })
  const send = (turn: CallerTurn): boolean => {
    if (over || callId === undefined) return false
    if (!ongoing && turn.type !== 'hang-up') {
      earlyTurns.push(turn)
      return true
    }
    floor.given()
    try {
      sandbox.act(callId, turn)
      return true
    } catch (error) {
      // The call has just ended; its last status is being made.
      if (error instanceof Problem) return false
      throw error
    }
  }
  try {
    await placeCheckedCall(sandbox.first, { ...numbers, ...body })
  } catch (error) {
    await sandbox.close()
    if (!(error instanceof Problem)) throw error
    const { hint } = error.options
    throw new CallyardError('refused', `the sandbox rejected the call: ${error.message}`, {
      hint,
      cause: error,
    })
  }
  return {
    /** Resolves when the caller has the floor, at once for an interruption: false when the call is over. */
    turnOf: async (turn: CallerTurn) => (turn.type === 'interrupt' ? !over : floor.listening()),
    /** Does it at once, or when the call is picked up. False when the call is over. */
    send,
    isOver: () => over,
    /** Resolves when the last status is known. */
    ended,
    /** Hangs up the call, sends its last webhooks, and closes the sandbox. */
    close: lazy(async () => {
      send({ type: 'hang-up' })
      await ended
      await sandbox.close()
    }),
  }
}

/** Whose turn it is. */
function createFloor() {
  let turn: 'assistant' | 'caller' | 'over' = 'assistant'
  let change = createDeferred()
  const become = (next: typeof turn) => () => {
    if (turn === 'over') return
    turn = next
    change.resolve()
    change = createDeferred()
  }
  return {
    free: become('caller'),
    given: become('assistant'),
    end: become('over'),
    /** Resolves with true when the caller has the floor, with false when the call is over. */
    async listening() {
      while (turn === 'assistant') await change.promise
      return turn === 'caller'
    },
  }
}
