import type { Clock } from '../lib/clock.ts'
import { sandboxError } from './events.ts'

/** The time of one world: of its records, its calls, and all that waits in them. */
export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** How many times as fast as real time; 0 does not wait: each call runs ahead, as fast as it can. */
  readonly pace: number
  /** Time passes by `advance` alone. */
  readonly frozen: boolean
  /**
   * Lets this many milliseconds pass at once. What falls due in them happens in the order of its time, with what follows from it; time
   * stands still during work for a call (a model, a tool, a webhook). Resolves when all of it has happened.
   * @throws `bad-advance`
   */
  advance(milliseconds: number): Promise<void>
  freeze(on: boolean): void
  /** @throws `bad-pace` */
  setPace(pace: number): void
  /** The time of a new record: with pace 0 each is one second after the one before. */
  stamp(): number
  /** Goes on from another state, as of a snapshot; calls that run must have been dropped. */
  restore(state: ClockState): void
}

export interface ClockState {
  readonly now: number
  readonly pace: number
  readonly frozen: boolean
}

const secondsApart = 1000
/** Where a world begins that waits for nothing: no time is read from the machine. */
const beginning = Date.UTC(2026, 0, 1)
/** The last that ISO 8601 writes with four digits of a year. */
const latestTime = Date.UTC(9999, 11, 31)

export interface SandboxClockOptions {
  /** Of the machine. */
  readonly clock: Clock
  readonly pace: number
  readonly frozen?: boolean | undefined
  /** Of the records that are there, ISO 8601. */
  readonly latest: string | undefined
}

export function createSandboxClock(options: SandboxClockOptions): SandboxClock {
  const { clock, latest } = options
  let { pace, frozen = false } = options
  const after = latest === undefined ? 0 : Date.parse(latest) + secondsApart
  let base = Math.max(pace === 0 ? beginning : clock.now(), after)
  let since = clock.now()

  const isMoving = () => !frozen && pace > 0
  const now = () => base + (isMoving() ? Math.floor((clock.now() - since) * pace) : 0)
  /** From here on time passes in another way. */
  const settle = () => {
    base = now()
    since = clock.now()
  }
  return {
    now,
    get pace() {
      return pace
    },
    get frozen() {
      return frozen
    },
    async advance(milliseconds) {
      if (!(milliseconds >= 0 && now() + milliseconds <= latestTime))
        throw sandboxError('usage', 'bad-advance', { milliseconds })
      settle()
      base += milliseconds
    },
    freeze(on) {
      settle()
      frozen = on
    },
    setPace(next) {
      if (!(next >= 0 && Number.isFinite(next))) throw sandboxError('usage', 'bad-pace', { pace: next })
      settle()
      pace = next
    },
    stamp() {
      const at = now()
      if (pace === 0 && !frozen) base += secondsApart
      return at
    },
    restore(state) {
      base = state.now
      since = clock.now()
      pace = state.pace
      frozen = state.frozen
    },
  }
}
