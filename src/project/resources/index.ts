/** Files of a project: found by kind and name, checked, ordered by their references, and created in a sandbox without a lockfile. */
export { checkPaths } from './check-paths.ts'
export { fieldsWithoutEffect, listFieldsWithoutEffect, withoutEffectNote } from './fields-without-effect.ts'
export {
  addressOf,
  checkFileInProject,
  checkNamesIn,
  type FindResource,
  findResources,
  listDependencies,
  type ProjectAround,
  projectsAround,
  type Resource,
  type ResourceFile,
  resourceInProject,
} from './find-resources.ts'
export type { LoadedProject } from './load-project.ts'
export {
  type CheckOptions,
  knowledgeBaseIdsIn,
  openProjectFiles,
  openProjects,
  type ProjectCheckOptions,
  type ProjectFiles,
  type ProjectOf,
} from './project-files.ts'
export { readSeeds, type Seed, type SeedOptions, seedFromProject, seedSandbox } from './seed-sandbox.ts'

/** A command that checks single files needs no whole project. */
export const loadProjectFiles = () => import('./load-project.ts')
