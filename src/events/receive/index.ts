/** Receives webhooks over HTTP (paths, hosts, headers), filters them, and passes them to handlers: the tail. */

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
  type TailOptions,
  type Watcher,
} from './tail.ts'
