import { idText } from '../../interface/fields.ts'
import type { LockStore } from '../lockfile/lock-store.ts'
import type { ServiceAnswer } from './job.ts'

/** Lets nothing be created side by side before it is known whose account the API key opens. */
interface TeamGate {
  /** Runs what creates something: alone, while no answer has shown the team that the lockfile names. */
  pass<Result>(work: () => Promise<Result>): Promise<Result>
  /** An answer that was compared with the lockfile. */
  answered(answer: ServiceAnswer | undefined): void
  readonly open: boolean
}

/** Where the lockfile names no team there is nothing to be compared, and the gate is open. */
export function createTeamGate({ section }: Pick<LockStore, 'section'>): TeamGate {
  let open = section.teamId === undefined
  let turn: Promise<unknown> = Promise.resolve()
  return {
    get open() {
      return open
    },
    answered(answer) {
      if (idText().safeParse(answer?.teamId).success) open = true
    },
    async pass(work) {
      if (open) return work()
      const mine = turn.then(work)
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}
