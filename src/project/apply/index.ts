/** Applies a project: opens files and target, plans, sends resources, pushes knowledge bases, resumes after a kill. */
export { appliedDocument } from './applied-document.ts'
export {
  assertDeployed,
  type CheckedResource,
  type CheckResourceOptions,
  checkResource,
} from './check-resource.ts'
export { deployedId, findId, findNamed, listNames, type ResourceQuery } from './find-named.ts'
export {
  knownUpToDate,
  type LockedProject,
  lockProject,
  type OpenProject,
  openProject,
  projectFile,
  settleKilledRun,
} from './open-project.ts'
export { assertLastLockfile } from './open-target.ts'
export type { OutcomeDocument, ResourceOutcome } from './outcome-schema.ts'
export { previewFile, pushFile } from './push-knowledge-base.ts'
export {
  type BaseChecker,
  chosenTarget,
  createBaseChecker,
  type ProjectDeps,
  recordedResource,
} from './read-target.ts'
export { createFromFile, updateFromFile } from './send-file.ts'
