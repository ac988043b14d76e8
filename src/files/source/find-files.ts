// `promises` loads lazily, unlike node:fs/promises; one synchronous stat is faster than a thread and a promise.
import { type Dirent, lstatSync, promises, readdir, type Stats, statSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path'
import { valueError } from '../../interface/finding.ts'
import { type KindName, kindNames } from '../../interface/words.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError } from '../../lib/error.ts'
import { extensionOf, fieldExtensions, hasExtension, withoutExtension } from '../../lib/fs/extension.ts'
import { homeFolder } from '../../lib/fs/user-folders.ts'
import { count } from '../../lib/text/count.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { type Kind, kinds, moveOrGiveKind } from '../formats/kinds.ts'
import type { Diagnostic } from './diagnostic.ts'
import { fileHints } from './file-hints.ts'
import { displayName } from './read-source.ts'
import { describeReadFailure, type UnreadablePath, walkFolder } from './walk-folder.ts'

interface FoundFile {
  /** Absolute. */
  readonly path: string
  readonly kind: KindName
}

/**
 * Finds resource files by path: files, folders (recursively) and glob patterns. The kind comes from `kind`, or from each file's
 * name and folder. A file of unknown kind is an error if it was named explicitly, and is skipped if it was found in a folder;
 * in a project it is reported as skipped only if its folder looks like a misspelled resource folder. Never throws.
 */
export async function findFiles(
  paths: readonly string[],
  { cwd, kind }: { readonly cwd: string; readonly kind?: KindName | undefined },
) {
  const files = new Map<string, FoundFile>()
  const skipped = new Set<string>()
  const completeProjects = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const pattern of paths) {
    const path = resolve(cwd, pattern)
    const status = statOf(path)
    if (status?.isDirectory() === true || (status === undefined && /[*?[\]{}()!]/.test(pattern))) {
      const { files: filePaths, unreadable } =
        status === undefined ? await expandPattern(pattern, cwd) : listBelow(path)
      const reportedPaths = unreadable.filter(
        unreadablePath => kind !== undefined || mayContainResources(unreadablePath.path, path, cwd),
      )
      diagnostics.push(...reportedPaths.map(unreadablePath => unreadableDiagnostic(unreadablePath, cwd)))
      const fits = (file: string) => kind === undefined || matchesSuffix(file, kind) !== false
      const knownFiles = filePaths.flatMap(file =>
        fits(file) ? withKind(file, kind ?? inferKind(file, cwd)) : [],
      )
      for (const file of knownFiles) files.set(file.path, file)
      const projectFiles = knownFiles.filter(file => file.kind === 'project').map(file => file.path)
      const projects = projectFiles.map(file => dirname(file))
      if (status !== undefined) for (const file of projectFiles) completeProjects.add(file)
      for (const file of filePaths) {
        if (!files.has(file) && mayBeResource(file, projects, cwd)) skipped.add(displayName(file, cwd))
      }
      if (knownFiles.length === 0 && reportedPaths.length === 0)
        diagnostics.push(noFilesFound(pattern, filePaths.length))
      continue
    }
    const fileKind = kind ?? inferKind(path, cwd)
    // A missing file gets its error from the reader, whatever its kind.
    const effectiveKind = status === undefined ? (fileKind ?? 'project') : fileKind
    for (const file of withKind(path, effectiveKind)) files.set(path, file)
    if (effectiveKind === undefined) diagnostics.push(unknownKind(displayName(path, cwd)))
  }
  return {
    /** In the order of the arguments, without duplicates; sorted within a folder or pattern. */
    files: [...files.values()],
    /** Display names of files of unknown kind; in a project only likely resources. */
    skipped: [...skipped],
    /** Absolute path of each callyard.yaml in a folder argument, whose whole project is therefore included. */
    projects: [...completeProjects],
    diagnostics,
  }
}

/**
 * Infers the kind from the file name or the nearest resource folder: `assistants/`, `tools/`, `knowledge-bases/`… A file such as
 * `hours.test.yaml` is a test in `tests/` and outside of resource folders.
 */
export function inferKind(path: string, cwd: string): KindName | undefined {
  const named = kindNames.find(kind => 'fileName' in kinds[kind] && kinds[kind].fileName === basename(path))
  if (named !== undefined) return named
  const folderKinds = parentFolders(path, cwd)
    .map(kindOfFolder)
    .filter(kind => kind !== undefined)
  const bySuffix = kindNames.find(kind => matchesSuffix(path, kind) === true)
  if (bySuffix !== undefined && (folderKinds.length === 0 || folderKinds.includes(bySuffix))) return bySuffix
  const [kind] = folderKinds
  return kind === undefined || matchesSuffix(path, kind) === false || isData(path, kind) ? undefined : kind
}

/** True for a file in the folder of a kind that has other extensions: a list of people beside its batch. */
function isData(path: string, kind: KindName): boolean {
  const { extensions }: Kind = kinds[kind]
  return extensions !== undefined && !hasExtension(path, extensions)
}

/** Nearest first. Stops at the working folder, but always includes the file's own folder. */
function parentFolders(path: string, cwd: string): string[] {
  return [basename(dirname(path)), ...dirname(displayName(path, cwd)).split(sep).reverse()]
}

/** True if the name has the suffix of the kind; undefined for a kind without one. */
function matchesSuffix(path: string, kind: KindName): boolean | undefined {
  const { suffix }: Kind = kinds[kind]
  if (suffix === undefined) return undefined
  return hasExtension(path, fieldExtensions) && withoutExtension(path).toLowerCase().endsWith(suffix)
}

const resourceFolders = Object.values<Kind>(kinds).flatMap(({ folder }) => folder ?? [])

function kindOfFolder(folder: string): KindName | undefined {
  return kindNames.find(name => 'folder' in kinds[name] && kinds[name].folder === folder)
}

/** Folders that contain other files as well: data of tests, lists of batches, commands of guards. */
const mixedFolders = Object.values<Kind>(kinds).flatMap(({ folder, suffix, extensions }) =>
  folder !== undefined && (suffix ?? extensions) !== undefined ? [folder] : [],
)

/** True if a user may expect the file to be a resource: not a project's package.json or schemas/, nor a file that resources use. */
function mayBeResource(path: string, projects: readonly string[], cwd: string): boolean {
  const folders = parentFolders(path, cwd)
  if (mixedFolders.some(folder => folders.includes(folder))) return false
  const inside = projects.filter(project => path.startsWith(`${project}${sep}`))
  return inside.every(project =>
    dirname(relative(project, path))
      .split(sep)
      .some(folder => didYouMean(folder, resourceFolders) !== undefined),
  )
}

function withKind(path: string, kind: KindName | undefined): FoundFile[] {
  return kind === undefined ? [] : [{ path, kind }]
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

async function expandPattern(pattern: string, cwd: string) {
  const { glob } = await import('tinyglobby')
  const unreadable: UnreadablePath[] = []
  const fs = {
    // tinyglobby calls only this signature, and ignores errors.
    readdir: ((
      folder: string,
      options: { withFileTypes: true },
      callback: (error: unknown, entries: Dirent[]) => void,
    ) =>
      readdir(folder, options, (error, entries) => {
        const path = resolve(cwd, folder)
        // The folder has been removed since.
        if (error !== null && error.code !== 'ENOENT')
          unreadable.push({ path, problem: describeReadFailure(error) })
        callback(error, entries)
      })) as typeof readdir,
  }
  const options = { cwd, absolute: true, ignore: ['**/node_modules/**'], onlyFiles: true, fs }
  const matches = await glob(sep === '/' ? pattern : pattern.replaceAll(sep, '/'), options)
  return { files: matches.map(path => resolve(path)).sort(), unreadable }
}

function listBelow(folder: string) {
  const { files, unreadable } = walkFolder(folder)
  return { files: files.sort(), unreadable }
}

/**
 * True if an unreadable path was given explicitly or may contain resources. Other folders of a project, such as those of a
 * database, are ignored.
 */
function mayContainResources(path: string, pattern: string, cwd: string): boolean {
  if (path === pattern || inferKind(path, cwd) !== undefined) return true
  return (
    extensionOf(path) === '' &&
    parentFolders(join(path, 'file'), cwd).some(folder => kindOfFolder(folder) !== undefined)
  )
}

function unreadableDiagnostic({ path, problem }: UnreadablePath, cwd: string): Diagnostic {
  return { file: displayName(path, cwd), ...valueError([], 'unreadable', problem) }
}

function unknownKind(file: string): Diagnostic {
  return { file, ...valueError([], 'unknown-kind', 'unknown kind of file', moveOrGiveKind()) }
}

function noFilesFound(pattern: string, skipped: number): Diagnostic {
  const message =
    skipped === 0
      ? 'no resource files found: the folder is empty, or the pattern matches nothing'
      : `no resource files found: ${count(skipped, 'file')} of unknown kind`
  const hint = skipped === 0 ? undefined : fileHints.giveKind
  return { file: pattern, ...valueError([], 'no-files', message, hint) }
}

export const projectFileName = 'callyard.yaml'

/**
 * Finds the nearest callyard.yaml in a folder or its parents, up to the repository or home folder.
 * @throws CallyardError `invalid` if another user owns it, who could choose where callyard sends data
 */
export async function findProjectFile(folder: string, rules: OwnerRules): Promise<string | undefined> {
  const { env } = rules
  const file = join(folder, projectFileName)
  const stats = statOf(file)
  if (stats?.isFile() === true) {
    // A link's owner can point it at any file, so both owners count.
    const owners = [lstatSync(file).uid, stats.uid]
    const stranger = owners.find(owner => !isTrustedOwner(owner, rules))
    if (stranger !== undefined) await assertTrusted(folder, stranger, rules)
    return file
  }
  const parent = dirname(folder)
  if (parent === folder || [env.HOME, env.USERPROFILE, homeFolder()].includes(folder)) return undefined
  // `.git` is a file in worktrees and submodules.
  const isRepository = statOf(join(folder, '.git')) !== undefined
  return isRepository ? undefined : findProjectFile(parent, rules)
}

/** True, as in git, if the user is the owner, or root runs under sudo for the owner. */
function isTrustedOwner(owner: number, { env, uid }: OwnerRules): boolean {
  if (uid === undefined || owner === uid) return true
  return (
    uid === 0 && env.SUDO_UID !== undefined && /^\d+$/.test(env.SUDO_UID) && Number(env.SUDO_UID) === owner
  )
}

/** Trusted folders of other users, separated as in PATH; `*` trusts all. */
const safeVariable = 'CALLYARD_SAFE_DIRECTORY'

async function assertTrusted(folder: string, owner: number, { env, uid }: OwnerRules): Promise<void> {
  const safe = (env[safeVariable] ?? '').split(delimiter).filter(safeFolder => safeFolder !== '')
  const real = (path: string) => promises.realpath(path).catch(() => undefined)
  const own = await real(folder)
  for (const safeFolder of safe)
    if (safeFolder === '*' || (own !== undefined && (await real(safeFolder)) === own)) return
  throw new CallyardError(
    'invalid',
    `${join(folder, projectFileName)} belongs to another user (uid ${owner}; you are ${uid})`,
    { hint: `to trust it, set ${safeVariable}=${folder}` },
  )
}

/** Variables available to `${env:NAME}`. */
export function templateVariables({ env, envFromFiles }: FileRules): Environment {
  return envFromFiles === undefined ? env : { ...envFromFiles, ...env }
}

interface OwnerRules {
  /** First source of `${env:NAME}`. */
  readonly env: Environment
  /** User id of the process; undefined, as on Windows, disables ownership checks. */
  readonly uid?: number | undefined
}

/** Rules for reading files: environment, ownership and paths. */
export interface FileRules extends OwnerRules {
  readonly cwd: string
  /** Variables from --env-file, for `${env:NAME}` only. */
  readonly envFromFiles?: Environment | undefined
  /** True in `mcp`: a project file is as an agent wrote it, so it directs no key to an address of this machine. */
  readonly isForAgent?: boolean | undefined
  /** Allows `${file:…}` to read files outside the project. */
  readonly allowOutsideFiles?: boolean | undefined
}
