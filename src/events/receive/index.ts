/**
 * The tail: events from a source, such as the HTTP receiver (interface.md 4.8), and their handlers. Heavy parts are loaded on demand.
 */

export type { ExecEvent, ExecTotals } from '../exec/exec.ts'
export type { TunnelEvent } from '../tunnel/tunnel.ts'
export type { WebhookErrors } from './errors.ts'
export { summarySchema, tailEventSchemas } from './event-schemas.ts'
export type { EventSink, EventSource, RunningSource, SourceEvent, TailSink } from './event-source.ts'
export { createFilter, type Filter, type FilterFinding } from './filter.ts'
export type { RequiredHeader } from './guard.ts'
export { cannotListen, type Receiver, receiveOverHttp, startReceiver } from './receiver.ts'
export {
  type BodyFormEvent,
  endWithCall,
  openTail,
  type RefusedEvent,
  type SummaryEvent,
  type Tail,
  type TailEvent,
  type Watcher,
} from './tail.ts'

export const loadExec = () => import('../exec/exec.ts')
export const loadTunnel = () => import('../tunnel/tunnel.ts')
