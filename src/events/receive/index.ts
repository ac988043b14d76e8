/** The receiver of webhooks (HTTP listener, allowed hosts and headers, interface.md 4.8), and the tail: events from a source, filtered, to handlers. */

export type { ReceiverErrors } from './errors.ts'
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
