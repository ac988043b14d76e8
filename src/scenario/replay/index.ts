/** Replays recorded calls on two versions of a project, and finds what differs and why. */

export { createDifferenceCollector, type DifferenceGroup } from './collect-differences.ts'
export { explainedConversations } from './explain.ts'
export { findCause } from './find-cause.ts'
export { affectsOnlyModel } from './model-fields.ts'
export { replayCalls, showsDifference } from './replay-calls.ts'
export type { PreparedReplay } from './replayed-call.ts'
export type { ConversationChanges } from './schema.ts'
export { prepareReplay } from './to-test-case.ts'
