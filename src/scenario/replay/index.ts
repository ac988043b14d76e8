/** Replays recorded calls on two versions of a project, and finds what differs and why. */

export type { CallOutline } from './call-outline.ts'
export { createDifferenceCollector, type DifferenceGroup, type ReplaySummary } from './collect-differences.ts'
export type { DifferenceKind } from './compare-outlines.ts'
export { findCause } from './find-cause.ts'
export { affectsOnlyModel } from './model-fields.ts'
export { replayCalls, showsDifference } from './replay-calls.ts'
export type { FailedReplay, NotReplayed, PreparedReplay } from './replayed-call.ts'
export { prepareReplay } from './to-test-case.ts'
