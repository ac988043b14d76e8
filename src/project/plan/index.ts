/** Plans: the differences between the files of a project and the lockfile, as actions; saved plans; versions. Pure. */
export { isPending, pendingActions } from './actions.ts'
export { changedIdentity, withoutEntries } from './plan-knowledge-base.ts'
export { makePlan } from './plan-project.ts'
export { changedFields, changesSince, listFields, planTool, withUpdate } from './plan-resource.ts'
export type {
  Action,
  ActionDocument,
  Plan,
  PlanDocument,
  Why,
} from './plan-schema.ts'
export { assertFresh, parseSavedPlan, type SavedPlan, toSavedPlan } from './saved-plan.ts'
export type { UnknownValue, VersionChange } from './version-change.ts'
export { readVersions } from './versions.ts'
