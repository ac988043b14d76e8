import type { Clock } from '../../../lib/clock.ts'
import type { CallFeed } from '../../outcomes/index.ts'
import type { CallJob } from '../call-request.ts'
import type { Person } from '../contacts.ts'
import type { ControlRequest } from '../control.ts'
import type { CheckPeople } from '../eligibility.ts'
import type { BatchJournal } from '../journal.ts'
import type { SharedFacts } from '../state.ts'
import type { OptOut } from './do-not-call-list.ts'
import type { BatchEvent } from './run-events.ts'

export interface RunDeps {
  readonly clock: Clock
  /** Milliseconds that never go backwards. Default: those of the clock. */
  readonly monotonicMs?: (() => number) | undefined
  /** Pauses the run: the request in progress is awaited, and then calls in progress for `drainMs`. */
  readonly signal: AbortSignal
  readonly journal: BatchJournal
  /** Base URL of the service. */
  readonly service: string
  /** Places a call. @throws CallyardError of the service or the network */
  call(job: CallJob): Promise<{ readonly id: string | undefined }>
  onEvent(event: BatchEvent): void
  /** Outcomes of calls. Without it calls stay `placed`. */
  readonly feed?: CallFeed | undefined
  /** URL that events of the calls are sent to; undefined if another program receives them. */
  readonly eventUrl?: string | undefined
  /** Returns the bytes of the recording of events: those of a new call come after them. */
  recordedBytes?: (() => number) | undefined
  /** Decides who is called. */
  readonly check?: CheckPeople | undefined
  /** Adds a person to the do-not-call list. */
  optOut(optOut: OptOut): Promise<void>
  /** Returns why one of the numbers is not called now. */
  findBlocked?(numbers: readonly string[]): Promise<string | undefined>
  /** Reads requests of other processes. */
  requests?(offset: number): Promise<readonly ControlRequest[]>
  /** Reads the people again after a list was added. */
  reread(before: readonly Person[]): Promise<readonly Person[]>
  /** Facts that all runners of a shared batch must have in common. */
  readonly shared?: SharedFacts | undefined
  /** Milliseconds that a call may last: without an outcome, a shared batch counts it as in progress for so long. */
  readonly maxCallMs?: number | undefined
  /** Milliseconds to wait for calls in progress after a pause. Default: 30 s. */
  readonly drainMs?: number | undefined
  /** Ends this wait. */
  readonly leave?: AbortSignal | undefined
  /** Milliseconds without an event after which the outcome of a call is unclear. Default: 30 min. */
  readonly outcomeTimeoutMs?: number | undefined
  /** Milliseconds that a call may be queued before it is reported. Default: 5 min. */
  readonly queuedAfterMs?: number | undefined
}
