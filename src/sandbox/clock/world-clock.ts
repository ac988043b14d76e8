import { sandboxError } from '../events.ts'
import type { CallTime } from './call-time.ts'

/** The time of one world: of its records, its calls, and all that waits in them. */
export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** How many times as fast as real time; 0 does not wait: each call runs ahead, as fast as it can. */
  readonly pace: number
  /** Time passes by `advance` alone. */
  readonly frozen: boolean
  /**
   * Lets this many milliseconds pass at once. What falls due in them happens in the order of its time, over all calls, and so
   * does what follows; time stands still during work for a call (a model, a tool, a webhook). Resolves when all of it has happened.
   * A tool's server or a receiver may call it while it is asked: a request that was under way before is waited for a second at most, and
   * within another advance nothing is that was under way. Each advance adds its time to the others.
   * @throws `bad-advance`
   */
  advance(milliseconds: number): Promise<void>
  freeze(on: boolean): void
  /** @throws `bad-pace` */
  setPace(pace: number): void
  /** The time of a new record: with pace 0 each is one second after the one before. */
  stamp(): number
  /** Goes on from another state, as of a snapshot: nothing of what waited happens any more, and an advance that goes on ends. */
  restore(state: ClockState): void
}

export interface ClockState {
  readonly now: number
  readonly pace: number
  readonly frozen: boolean
}

/** What the inside of a world goes by. */
export interface WorldClock extends SandboxClock {
  openCall(options: { readonly began: number; readonly onBreak: (error: unknown) => void }): CallTime
  /** A request to a receiver: an advance waits for it. */
  during(work: Promise<unknown>): void
  /** Rejects with the signal's reason when it aborts first. With pace 0 it takes no time. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Ends every advance that goes on, and waits for nothing any more. */
  close(): void
}

/** A higher one would lead beyond what a date can hold. */
export const maxPace = 1_000_000

/** @throws `bad-pace` */
export function checkPace(pace: number): number {
  if (pace >= 0 && pace <= maxPace) return pace
  throw sandboxError('usage', 'bad-pace', { pace })
}

/** The last that ISO 8601 writes with four digits of a year. The clock stays there. */
export const latestTime = Date.UTC(10_000, 0, 1) - 1

/** @throws `bad-advance` */
export function checkAdvance({ now }: Pick<SandboxClock, 'now'>, milliseconds: number): void {
  if (!(milliseconds >= 0 && now() + milliseconds <= latestTime))
    throw sandboxError('usage', 'bad-advance', { milliseconds })
}
