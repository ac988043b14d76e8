/** Creates tests from recorded calls, and finds questions that got no reply. */
export {
  type DraftNote,
  draftTest,
  expectationKinds,
  type Proposal,
  selectActive,
  splitTurns,
  type TestDraft,
} from './draft-test.ts'
export { createFallbackTest, findGaps, listQuestions, type UnansweredQuestion } from './find-gaps.ts'
export type { Gap, QuestionGroup } from './gap-schema.ts'
export { groupQuestions } from './group-questions.ts'
export { findAssistant, type ProjectNames, readProjectNames } from './project-names.ts'
export type { RecordedTest } from './recorded-test-schema.ts'
export { redactCalls } from './redact.ts'
export { renderGaps, renderTest } from './render-test.ts'
export {
  findInterrupted,
  getEndedBy,
  parseEndedBy,
  type ReplayableCall,
  toReplayableCall,
} from './replayable-call.ts'
