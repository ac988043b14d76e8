import { lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Address, kindOfAddress, nameOf, toAddress } from '../../files/formats/address.ts'
import { fileKinds, kinds } from '../../files/formats/kinds.ts'
import {
  type CheckedFile,
  type CheckFileOptions,
  checkFile,
  type Diagnostic,
  displayName,
  entriesPath,
  type FileRules,
  findFiles,
  findProjectFile,
  inferKind,
  type ResourceLookup,
  type ResourceReference,
  readSource,
} from '../../files/source/index.ts'
import { type Finding, valueError } from '../../interface/finding.ts'
import { type KindName, type ResourceKind, resourceKinds } from '../../interface/words.ts'
import { getErrorCode } from '../../lib/error.ts'
import { fieldExtensions, hasExtension, withoutExtension } from '../../lib/fs/extension.ts'
import { listed } from '../../lib/text/count.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'

/** A file of a project's folders, and what it is called. */
export interface ResourceFile {
  readonly address: Address
  readonly kind: ResourceKind
  /** Absolute. */
  readonly path: string
  /** Absolute path of the project. */
  readonly folder: string
}

/** A project by its file names. */
export interface ProjectAround {
  /** Absolute. */
  readonly folder: string
  readonly files: ReadonlyMap<Address, ResourceFile>
  /** Findings about names of files and folders. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Every file below `tools/`, `knowledge-bases/` and `assistants/` of a project, by kind and name. Its name is its path
 * there without extension: `assistants/sales/desk.yaml` is assistant/sales/desk.
 */
export async function findResources(folder: string, cwd: string): Promise<ProjectAround> {
  const files = new Map<Address, ResourceFile>()
  const diagnostics: Diagnostic[] = []
  const resourceFiles: ResourceFile[] = []
  const add = (path: string, finding: Finding) =>
    diagnostics.push({ file: displayName(path, cwd), ...finding })
  for (const kind of resourceKinds) {
    const path = join(folder, kinds[fileKinds[kind]].folder)
    const isThere = isFolder(path)
    if (isThere === true) {
      const { files: those, diagnostics: unusable } = await filesOf(kind, folder, cwd)
      resourceFiles.push(...(kind === 'kb' ? await withoutEntryTables(those, cwd) : those))
      diagnostics.push(...unusable)
    }
    if (typeof isThere === 'string') add(path, unusableFolder(kind, isThere))
  }
  for (const file of resourceFiles) {
    const { address, kind, path } = file
    const nearest = inferKind(path, folder)
    if (nearest !== fileKinds[kind])
      add(path, otherKind(kind, nearest, basename(dirname(relative(folder, path)))))
    const same = files.get(address)
    if (same === undefined) files.set(address, file)
    else add(path, nameTaken(address, displayName(same.path, cwd)))
  }
  return { folder, files, diagnostics }
}

/**
 * A folder that exists and cannot be read must not pass for an empty one: then a text says why. Synchronous, because loading
 * node:fs/promises takes longer.
 */
function isFolder(path: string): boolean | string {
  try {
    readdirSync(path)
    return true
  } catch (error) {
    return exists(path) ? (getErrorCode(error) ?? String(error)) : false
  }
}

/** True for a link whose target is missing as well. */
function exists(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

async function filesOf(kind: ResourceKind, folder: string, cwd: string) {
  const own = join(folder, kinds[fileKinds[kind]].folder)
  const { files, diagnostics } = await findFiles([own], { cwd, kind: fileKinds[kind] })
  return {
    files: files.map(
      ({ path }): ResourceFile => ({ address: addressOf(kind, path, folder), kind, path, folder }),
    ),
    diagnostics: diagnostics.filter(({ code }) => code === 'unreadable'),
  }
}

/** Leaves out tables whose entries belong to another file of the folder, which names them with `entries:`. */
async function withoutEntryTables(
  files: readonly ResourceFile[],
  cwd: string,
): Promise<readonly ResourceFile[]> {
  const isTable = ({ path }: ResourceFile) => !hasExtension(path, fieldExtensions)
  if (!files.some(isTable)) return files
  const tables = new Set<string>()
  for (const file of files) {
    // A file that names a table has hardly anything else.
    if (isTable(file) || (statSync(file.path, { throwIfNoEntry: false })?.size ?? 0) > maxLinkBytes) continue
    const table = entriesPath(await readSource(file.path, { cwd }))
    if (table !== undefined) tables.add(resolve(dirname(file.path), table))
  }
  return files.filter(({ path }) => !tables.has(path))
}

const maxLinkBytes = 1 << 14

/** Returns `assistant/sales/desk` for assistants/sales/desk.yaml of the project in a folder. */
export function addressOf(kind: ResourceKind, path: string, folder: string): Address {
  const inside = relative(join(folder, kinds[fileKinds[kind]].folder), path)
  return toAddress(kind, withoutExtension(inside).replaceAll(sep, '/'))
}

interface NameOptions {
  /** Returns the text of a reference while ids are unknown; default: as it is written. */
  readonly referenceText?: (reference: ResourceReference) => string
}

/** Checks that a reference names a file of the project. */
export function amongResources(
  files: ProjectAround['files'],
  referenceText: NameOptions['referenceText'] = ({ kind, name }) => `\${${kind}:${name}}`,
): (reference: ResourceReference) => ResourceLookup {
  return ({ kind, name }) => {
    if (files.has(toAddress(kind, name))) return { text: referenceText({ kind, name }) }
    return {
      problem: `${folderOf(kind)}/ has no such file`,
      hint: availableHint(kind, name, [...files.keys()]),
    }
  }
}

function availableHint(kind: ResourceKind, name: string, addresses: readonly Address[]): string {
  const namesOf = (other: ResourceKind) =>
    addresses.filter(candidate => kindOfAddress(candidate) === other).map(nameOf)
  const written = (other: ResourceKind, resourceName: string) => `\${${other}:${resourceName}}`
  const names = namesOf(kind)
  const suggestion = didYouMean(name, names)
  const elsewhere = resourceKinds.find(other => namesOf(other).includes(name))
  const near = suggestion === undefined ? elsewhere && written(elsewhere, name) : written(kind, suggestion)
  if (near !== undefined) return `did you mean ${near}?`
  return names.length === 0
    ? `${folderOf(kind)}/ is empty`
    : `available: ${listed(names.map(candidate => written(kind, candidate)))}`
}

/** A file of a project that passed its check. */
export interface Resource extends ResourceFile {
  readonly checked: CheckedFile
  /** The resources that it refers to, each once. */
  readonly needs: readonly Address[]
}

/** The resources that a file refers to, each once. */
export function listDependencies({ references }: CheckedFile): Address[] {
  return [...new Set(references.resources.map(({ kind, name }) => toAddress(kind, name)))]
}

/** Resolves a reference to an existing file. */
export type FindResource = (file: ResourceFile) => Promise<ResourceLookup>

/** Finds the project around a file; each folder is looked at once. */
export function projectsAround(files: FileRules) {
  const { cwd } = files
  const projectByFolder = new Map<string, Promise<ProjectAround | undefined>>()
  const look = async (folder: string): Promise<ProjectAround | undefined> => {
    const file = await findProjectFile(folder, files)
    if (file === undefined) return undefined
    const projectFolder = dirname(file)
    // All folders of a project share one look at it.
    return projectFolder === folder ? findResources(projectFolder, cwd) : around(projectFolder)
  }
  function around(folder: string): Promise<ProjectAround | undefined> {
    const project = projectByFolder.get(folder) ?? look(folder)
    projectByFolder.set(folder, project)
    return project
  }
  return (file: string) => around(dirname(resolve(cwd, file)))
}

/** Returns the resource of a file in the surrounding project; undefined if it is not a resource. */
export async function resourceInProject(file: string, options: FileRules): Promise<ResourceFile | undefined> {
  const path = resolve(options.cwd, file)
  const project = await projectsAround(options)(path)
  return [...(project?.files.values() ?? [])].find(candidate => candidate.path === path)
}

/** Reasons by the code of the system. */
const unusableReasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'this is not a folder',
  ENOENT: 'this is a broken link',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
}

function unusableFolder(kind: ResourceKind, code: string): Finding {
  const message = unusableReasons[code] ?? `this folder cannot be read: ${code}`
  const hint = `it should contain the ${kinds[fileKinds[kind]].title} files of the project`
  return valueError([], 'unreadable', message, hint)
}

function otherKind(kind: ResourceKind, nearest: KindName | undefined, folder: string): Finding {
  const message = `this file is in ${folderOf(kind)}/, but in a subfolder for ${nearest ?? 'other'} files`
  const hint = `rename the folder ${folder}/; its name means another kind`
  return valueError([], 'unclear-kind', message, hint)
}

function nameTaken(address: Address, other: string): Finding {
  const message = `${other} is already ${address}; a resource is named after its file, without the extension`
  return valueError([], 'duplicate', message, 'rename one of the files')
}

function folderOf(kind: ResourceKind): string {
  return kinds[fileKinds[kind]].folder
}

/** Checks a single file: its references only need to be names of files of its project. */
export async function checkNamesIn(
  project: ProjectAround | undefined,
  file: string,
  kind: KindName,
  { referenceText, ...options }: CheckFileOptions & NameOptions,
): Promise<CheckedFile> {
  if (project === undefined) return checkFile(file, kind, options)
  const resource = amongResources(project.files, referenceText)
  return checkFile(file, kind, { ...options, folder: project.folder, resource })
}

/** Checks a file that is sent by itself; `find` resolves its references. */
export async function checkFileInProject(
  file: string,
  kind: KindName,
  options: CheckFileOptions,
  find: FindResource,
): Promise<CheckedFile> {
  const references = new Map<Address, ResourceReference>()
  const first = await checkFile(file, kind, {
    ...options,
    resource: reference => {
      references.set(toAddress(reference.kind, reference.name), reference)
      return { text: '' }
    },
  })
  if (references.size === 0) return first
  const project = await projectsAround(options)(first.source.path)
  if (project === undefined) return checkFile(file, kind, options)
  const among = amongResources(project.files)
  const lookups = new Map<Address, ResourceLookup>()
  for (const [address, reference] of references) {
    const resourceFile = project.files.get(address)
    lookups.set(address, resourceFile === undefined ? among(reference) : await find(resourceFile))
  }
  return checkFile(file, kind, {
    ...options,
    resource: reference => lookups.get(toAddress(reference.kind, reference.name)) ?? among(reference),
  })
}
