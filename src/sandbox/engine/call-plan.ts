import type { CallerTurn } from './caller-script.ts'
import type { TurnTaking } from './turn-taking.ts'

/** What is fixed about a call when it is placed. Times are milliseconds. */
export interface CallPlan {
  readonly callId: string
  readonly welcome: {
    /** Empty: nothing is said. */
    readonly message: string
    /** welcomeMessageMode `assistant-waits-for-user`. */
    readonly callerFirst: boolean
    /** welcomeMessageInterruptionsEnabled. */
    readonly interruptible: boolean
  }
  /** After its last turn the caller hangs up. Undefined: a live caller, whose lines come from outside. */
  readonly script: readonly CallerTurn[] | undefined
  readonly turnTaking: TurnTaking
  /** Undefined: the end-call tool is off. */
  readonly endCall: { readonly phrases: readonly string[]; readonly message: string } | undefined
  /** What is said into silence, and how many times in a row; undefined: without end. */
  readonly idle: { readonly after: number; readonly most: number | undefined; readonly message: string }
  /** The call is cut off after it. */
  readonly maxDuration: number
  /** dtmfInputEnabled: the keys that the caller presses are a line of the caller. */
  readonly keysHeard: boolean
}
