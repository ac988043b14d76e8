/** The files of a project and what a target holds of them: checked, planned, applied. */
export type { ResourceOutcome, SkipReason } from './apply/apply-plan.ts'
export type { DoneSummary } from './apply/send-resource.ts'
export { checkPaths } from './check-paths.ts'
export {
  assertDeployed,
  type CheckedResource,
  type CheckResourceOptions,
  checkResource,
} from './check-resource.ts'
export { createAll, loadProjectIn } from './create-all.ts'
export type {
  ProjectErrors,
  ProjectFindings,
  Unanswered,
} from './errors.ts'
export { deployedId, findId, findNamed, listNames } from './find-named.ts'
export {
  checkNamesIn,
  type FindResource,
  findResources,
  type ProjectAround,
  projectsAround,
  type ResourceFile,
  resourceInProject,
} from './load/find-resources.ts'
export {
  knownUpToDate,
  type LockedProject,
  lockProject,
  type OpenOptions,
  type OpenProject,
  openProject,
  projectFile,
  settleKilledRun,
} from './open-project.ts'
export { chosenTarget, type ProjectDeps, recordedResource } from './open-target.ts'
export type { Overridden } from './overrides.ts'
export {
  type Action,
  type ChangeNote,
  type EntryChange,
  type FieldChange,
  isPending,
  type Plan,
  type Why,
} from './plan/actions.ts'
export { parseSavedPlan, type SavedPlan } from './plan/saved-plan.ts'
export { previewProjectFile, pushProjectFile } from './push-knowledge-base.ts'
export { createFromFile, type SendEvents, updateFromFile } from './send-file.ts'
