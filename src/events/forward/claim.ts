import type { LogEntry } from './event-log.ts'

/** An event of a source that keeps it until everything is done with it, and delivers it again otherwise. */
export interface Claim {
  /** Called once at most. */
  done(): void
  /** True if another process has the event now: nothing more must be done with it. A promise while that is not known. */
  isLost(): boolean | Promise<boolean>
}

/** Splits a claim into equal ones; it is done when `parts` of them are. */
export function splitClaim(claim: Claim, parts: number): Claim {
  let left = parts
  return {
    done() {
      left--
      if (left === 0) claim.done()
    },
    isLost: claim.isLost,
  }
}

/** Log entry of an event that is not on disk, because its source has it. */
export function claimedEntry({ done, isLost }: Claim): LogEntry {
  return {
    read() {
      throw new Error('the event is done with')
    },
    done,
    isTaken: isLost,
  }
}
