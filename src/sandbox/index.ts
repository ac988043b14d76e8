/** The whole calling service on this machine, and the parts of it that a chat at the terminal drives (interface.md 4 to 6). */

export { findObject } from './analysis/by-model.ts'
export { idleMessage } from './call/call-config.ts'
export { commandOf } from './call/call-runner.ts'
export { defaultStart } from './clock/sandbox-clock.ts'
export { createIds } from './deterministic.ts'
export { type CallerTurn, callerLine, parseCallerLine } from './engine/caller-script.ts'
export type { PhoneOutcome } from './engine/phone-outcome.ts'
export type { SandboxEvent } from './event-schemas.ts'
export {
  type CallTrace,
  type HttpFaults,
  httpFaultNames,
  type SandboxErrors,
  type WebhookFaults,
  webhookFaultNames,
} from './events.ts'
export { placeCheckedCall } from './http/place-call.ts'
export { type Sandbox, startSandbox } from './http/start-sandbox.ts'
export { type LiveCall, startLiveCall } from './live-call.ts'
export { headersTo } from './outgoing/json-sender.ts'
export { recordsOf } from './records/journal-lines.ts'
export { type PhoneNumber, phoneNumbersSchema, readNumbers } from './records/phone-numbers.ts'
export { Problem } from './records/problem.ts'
export { isSnapshot, type SandboxSnapshot } from './records/snapshot.ts'
export { createStore, type RecordEntry, type RecordStore } from './records/store.ts'
export { askKnowledge, fallbackLines, openKnowledge } from './reply/offline-responder.ts'
export { predefinedToolNames } from './tools/call-tool.ts'
export type { ToolAnswer } from './tools/function-tool.ts'
export type { KnowledgeSearch } from './tools/knowledge.ts'
export { openTool, type TriedTool } from './try-tool.ts'
export type { SentWebhook } from './webhooks/delivery.ts'
export { openWorld, type World } from './world.ts'
export type { LlmServer, WorldOptions } from './world-options.ts'
