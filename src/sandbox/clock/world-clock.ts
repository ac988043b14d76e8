import { CallyardError } from '../../lib/error.ts'
import type { CallTime } from './call-time.ts'

/** The time of one world: of its records, its calls, and all that waits in them. */
export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Factor over real time; 0 does not wait: each call runs as fast as it can. */
  readonly pace: number
  /** Time passes by `advance` alone. */
  readonly frozen: boolean
  /**
   * Advances time by this many milliseconds. Items that fall due happen in order of time over all calls, including those they cause; the
   * clock stops during work for a call (a model, a tool, a webhook). Resolves when everything has happened. A tool's server or a receiver
   * may call it during a request: earlier requests are awaited for at most a second, and not at all within another advance. Advances add
   * up.
   * @throws `bad-advance`
   */
  advance(milliseconds: number): Promise<void>
  freeze(on: boolean): void
  /** @throws `bad-pace` */
  setPace(pace: number): void
  /** The time of a new record: with pace 0 each is one second after the one before. */
  stamp(): number
}

/** Clock for the inside of a session of a world. */
export interface WorldClock extends SandboxClock {
  openCall(options: { readonly began: number; readonly onBreak: (error: unknown) => void }): CallTime
  /** A request to a receiver: an advance waits for it. */
  track(work: Promise<unknown>): void
  /** Rejects with the signal's reason when it aborts first. With pace 0 it takes no time. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Ends every advance in progress and drops pending items. */
  close(): void
}

/** A higher one would lead beyond what a date can hold. */
export const maxPace = 1_000_000

/** @throws `bad-pace` */
export function checkPace(pace: number): number {
  if (pace >= 0 && pace <= maxPace) return pace
  throw new CallyardError('usage', `invalid pace ${pace}`, {
    code: 'bad-pace',
    hint: `use a number up to ${maxPace}: 1 is real time, 10 is ten times as fast, 0 does not wait`,
    details: { pace },
  })
}

/** The last that ISO 8601 writes with four digits of a year. The clock stays there. */
export const latestTime = Date.UTC(10_000, 0, 1) - 1

/** @throws `bad-advance` */
export function checkAdvance(now: number, milliseconds: number): void {
  if (!(milliseconds >= 0 && now + milliseconds <= latestTime))
    throw new CallyardError('usage', `time cannot be advanced by ${milliseconds} milliseconds`, {
      code: 'bad-advance',
      hint: 'pass 0 or more, up to the year 9999; only a reset or restore moves time back',
      details: { milliseconds },
    })
}
