/** Receiving, recording, replaying and forwarding of webhook events (interface.md 4.8 and 6). What is heavy is loaded when it is called. */
export type { CallBuilder } from './conversation/call-builder.ts'
export { createCallBuilder } from './conversation/call-builder.ts'
export type {
  CallKey,
  CallOrigin,
  CallTranscript,
  Change,
  EditChange,
  EndedEvent,
  EventChange,
  Fact,
  MessageChange,
  StatusChange,
  UnreadPart,
} from './conversation/changes.ts'
export { callKeyOf } from './conversation/changes.ts'
export type { TakenEvent } from './conversation/summary-counter.ts'
export { conversationEventsOf, createSummaryCounter } from './conversation/summary-counter.ts'
export type { Clue, PlaceProblem, UnknownField, WebhookErrors } from './errors.ts'
export type { ReceivedDelivery } from './event-source.ts'
export type { Exec, ExecEvent, ExecTotals } from './exec.ts'
export type { Filter, FilterFinding } from './filter.ts'
export { callName, createFilter, namesOf } from './filter.ts'
export type {
  ForwardEvent,
  ForwardFailure,
  ForwardRetry,
  ForwardTarget,
} from './forward/forward-event.ts'
export { assertForwardsElsewhere, keyOf, targetsOf } from './forward/forward-event.ts'
export type { Forwarder, ForwardTotals } from './forward/forwarder.ts'
export type { TargetTotals } from './forward/target-sender.ts'
export type { RecordedLines, TranscribedEvent, Transcripts } from './log/read-recording.ts'
export { isRereadable, readRecording, readTranscripts } from './log/read-recording.ts'
export type { Recorder, RecorderEvent, RecorderTotals } from './log/recorder.ts'
export type { RecordingItem, SkippedLine } from './log/recording-file.ts'
export { type CallChoice, callKeysOf, selectCalls } from './log/select-calls.ts'
export type { SelectedEvent, TimeBound } from './log/select-events.ts'
export { playRecording, sendRecorded } from './log/select-events.ts'
export { brings, describeBody } from './receive/event-kinds.ts'
export { isEndingWord } from './receive/event-values.ts'
export type { Rejection, RequiredHeader } from './receive/guard.ts'
export { createDeliveryReader, isRejection } from './receive/read-body.ts'
export { acceptedAnswer, type Receiver, receiveOverHttp, startReceiver } from './receive/receiver.ts'
export type { EventAnswer, EventFailure } from './send/post-event.ts'
export { postEvent } from './send/post-event.ts'
export type { BodyFormEvent, RefusedEvent, SummaryEvent, Tail, TailEvent, Watcher } from './tail.ts'
export { endWithCall, openTail } from './tail.ts'
export type { Assignment } from './trigger/assign.ts'
export type { Path } from './trigger/field-path.ts'
export { parsePath } from './trigger/field-path.ts'
export type { OddShape, Trigger } from './trigger/odd-shapes.ts'
export { oddShapeNames, oddShapes, triggers } from './trigger/odd-shapes.ts'
export type { TriggeredDelivery, TriggeredEvent } from './trigger-events.ts'
export type { TunnelEvent } from './tunnel/tunnel.ts'

export const loadExec = () => import('./exec.ts')
export const loadForwarder = () => import('./forward/forwarder.ts')
export const loadRecorder = () => import('./log/recorder.ts')
export const loadTunnel = () => import('./tunnel/tunnel.ts')
export const loadTriggerEvents = () => import('./trigger-events.ts')
