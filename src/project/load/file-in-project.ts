import { dirname, resolve } from 'node:path'
import type { KindName } from '../../interface/words.ts'
import type { FileRules, FoundResource, ResourceReference } from '../../source/index.ts'
import { type CheckedFile, type CheckFileOptions, checkFile, findProjectFile } from '../../source/index.ts'
import { type Address, addressOf } from '../address.ts'
import { amongResources, findResources, type ResourceFile } from './find-resources.ts'

/** The project around a file, as far as its file names tell. */
export interface ProjectAround {
  /** Absolute. */
  readonly folder: string
  readonly files: ReadonlyMap<Address, ResourceFile>
}

/** What a reference to a file that is there stands for. */
export type FindResource = (file: ResourceFile, project: ProjectAround) => Promise<FoundResource>

/** Finds the project around a file; each folder is looked at once. */
export function projectsAround(files: FileRules) {
  const { cwd } = files
  const known = new Map<string, Promise<ProjectAround | undefined>>()
  const look = async (folder: string): Promise<ProjectAround | undefined> => {
    const file = await findProjectFile(folder, files)
    if (file === undefined) return undefined
    const found = dirname(file)
    // All folders of a project share one look at it.
    if (found !== folder) return around(found)
    const { files: resources } = await findResources(found, cwd)
    return { folder: found, files: new Map(resources.map(each => [each.address, each])) }
  }
  function around(folder: string): Promise<ProjectAround | undefined> {
    const project = known.get(folder) ?? look(folder)
    known.set(folder, project)
    return project
  }
  return (file: string) => around(dirname(resolve(cwd, file)))
}

/** A file that is a resource of a project. */
export interface ResourceInProject extends ResourceFile {
  /** Of the project, absolute. */
  readonly folder: string
}

/** What a file is in the project around it; undefined for one that is no resource of any. */
export async function resourceInProject(
  file: string,
  options: FileRules,
): Promise<ResourceInProject | undefined> {
  const path = resolve(options.cwd, file)
  const project = await projectsAround(options)(path)
  const resource = [...(project?.files.values() ?? [])].find(each => each.path === path)
  return project === undefined || resource === undefined ? undefined : { ...resource, folder: project.folder }
}

/** Checks a file alone: its references need only be names of files of its project. */
export async function checkNamesIn(
  project: ProjectAround | undefined,
  file: string,
  kind: KindName,
  options: CheckFileOptions,
): Promise<CheckedFile> {
  if (project === undefined) return checkFile(file, kind, options)
  const resource = amongResources(new Set(project.files.keys()))
  return checkFile(file, kind, { ...options, folder: project.folder, resource })
}

/** Checks a file that is to be sent by itself: what its references stand for is asked of `find`. */
export async function checkFileInProject(
  file: string,
  kind: KindName,
  options: CheckFileOptions,
  find: FindResource,
): Promise<CheckedFile> {
  const asked = new Map<Address, ResourceReference>()
  const first = await checkFile(file, kind, {
    ...options,
    resource: reference => {
      asked.set(addressOf(reference.kind, reference.name), reference)
      return { text: '' }
    },
  })
  if (asked.size === 0) return first
  const project = await projectsAround(options)(first.source.path)
  if (project === undefined) return checkFile(file, kind, options)
  const among = amongResources(new Set(project.files.keys()))
  const found = new Map<Address, FoundResource>()
  for (const [address, reference] of asked) {
    const there = project.files.get(address)
    found.set(address, there === undefined ? among(reference) : await find(there, project))
  }
  return checkFile(file, kind, {
    ...options,
    resource: reference => found.get(addressOf(reference.kind, reference.name)) ?? among(reference),
  })
}
