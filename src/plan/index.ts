/** Plans: the differences between the files of a project and the state of a target. Pure. */
export {
  type Action,
  type ChangeNote,
  type EntryChange,
  type FieldChange,
  isPending,
  type Plan,
  type Why,
} from './actions.ts'
export type { PlanErrors, Unanswered } from './errors.ts'
export { changedIdentity, readProjectEntries, withoutEntries } from './plan-knowledge-base.ts'
export { makePlan, stateOf } from './plan-project.ts'
export { changedFields, changesSince, fieldsOf, planTool, withUpdate } from './plan-resource.ts'
export { assertFresh, parseSavedPlan, type SavedPlan, toSavedPlan } from './saved-plan.ts'
export { type IdOf, idsOf, type SecretHash, secretHash, snapshotOf } from './snapshot.ts'
