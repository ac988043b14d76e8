import { join } from 'node:path'
import { type Diagnostic, InvalidInput } from '../../../src/files/source/index.ts'
import {
  type LoadedProject,
  loadProjectFiles,
  type ProjectCheckOptions,
  type Resource,
} from '../../../src/project/resources/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const { loadProject } = await loadProjectFiles()

type Settings = Partial<Pick<LoadedProject, 'settings'> & Omit<ProjectCheckOptions, 'cwd'>>

/** A folder with these files, and an empty callyard.yaml. */
export function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  return temporaryFolder({ 'callyard.yaml': '', ...files })
}

/** The current project in a folder. */
export async function projectIn(
  folder: string,
  { settings = {}, ...options }: Settings = {},
): Promise<LoadedProject> {
  const file = join(folder, 'callyard.yaml')
  return loadProject(file, settings, { cwd: folder, env: {}, vocabulary: {}, ...options })
}

/** A project of these files. */
export async function projectOf(
  files: Readonly<Record<string, string>>,
  settings?: Settings,
): Promise<LoadedProject> {
  return projectIn(await folderOf(files), settings)
}

/** The findings of a project that does not pass. */
export async function findingsOf(
  files: Readonly<Record<string, string>>,
  settings?: Settings,
): Promise<readonly Diagnostic[]> {
  const error: unknown = await projectOf(files, settings).catch(caught => caught)
  if (error instanceof InvalidInput) return error.diagnostics
  throw error instanceof Error ? error : new Error('the project passes')
}

/** One resource of a project. */
export function resourceAt({ resources }: Pick<LoadedProject, 'resources'>, address: string): Resource {
  const resource = resources.find(candidate => candidate.address === address)
  if (resource === undefined) throw new Error(`the project has no ${address}`)
  return resource
}
