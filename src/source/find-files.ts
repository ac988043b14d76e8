// `promises` is loaded by its first use, node:fs/promises at once: a thread and a promise take longer than a look at one file.
import { type Dirent, lstatSync, promises, readdir, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { valueError } from '../interface/finding.ts'
import { type Kind, kinds } from '../interface/kinds.ts'
import { type KindName, kindNames } from '../interface/words.ts'
import type { Environment } from '../lib/environment.ts'
import { CallwrightError } from '../lib/error.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import type { Diagnostic, SourceHint } from './diagnostic.ts'
import { displayName } from './read-source.ts'
import { problemOf, type Unusable, walkFolder } from './walk-folder.ts'

interface FoundFile {
  /** Absolute. */
  readonly path: string
  readonly kind: KindName
}

/**
 * The resource files that paths name: files, folders (with all below them) and glob patterns. A file that is named
 * itself must have a kind; one that was only found in a folder is skipped. What lies in a project beside the folders of
 * its resources is not reported, except in a folder whose name is nearly one of theirs. `kind`: of all files; default: the kind that
 * each file's folder stands for. Never throws.
 */
export async function findFiles(
  paths: readonly string[],
  { cwd, kind }: { readonly cwd: string; readonly kind?: KindName | undefined },
) {
  const files = new Map<string, FoundFile>()
  const skipped = new Set<string>()
  const whole = new Set<string>()
  const diagnostics: Diagnostic[] = []
  for (const given of paths) {
    const path = resolve(cwd, given)
    const status = statOf(path)
    if (status?.isDirectory() === true || (status === undefined && isPattern(given))) {
      const { files: found, unusable } =
        status === undefined ? await expandPattern(given, cwd) : listBelow(path)
      const meant = unusable.filter(each => kind !== undefined || mayHoldFiles(each.path, path, cwd))
      diagnostics.push(...meant.map(each => unusableIn(each, cwd)))
      const fits = (file: string) => kind === undefined || hasSuffix(file, kind) !== false
      const known = found.flatMap(file => (fits(file) ? withKind(file, kind ?? kindOf(file, cwd)) : []))
      for (const file of known) files.set(file.path, file)
      const projectFiles = known.filter(file => file.kind === 'project').map(file => file.path)
      const projects = projectFiles.map(file => dirname(file))
      if (status !== undefined) for (const file of projectFiles) whole.add(file)
      for (const file of found) {
        if (!files.has(file) && mayBeMeant(file, projects, cwd)) skipped.add(displayName(file, cwd))
      }
      if (known.length === 0 && meant.length === 0) diagnostics.push(nothingFound(given, found.length))
      continue
    }
    const known = kind ?? kindOf(path, cwd)
    // Reading a file that is not there says what is wrong, of any kind.
    const read = status === undefined ? (known ?? 'project') : known
    for (const file of withKind(path, read)) files.set(path, file)
    if (read === undefined) diagnostics.push(unknownKind(displayName(path, cwd)))
  }
  return {
    /** In the order of the arguments, each file once; those of a folder or pattern by name. */
    files: [...files.values()],
    /** Files in folders that stand for no kind, by the names that people see; of a project only those that may be meant. */
    skipped: [...skipped],
    /** Every callwright.yaml that a folder among the arguments holds, with all of its project, absolute. */
    projects: [...whole],
    diagnostics,
  }
}

/**
 * The kind that a file's name or its nearest telling folder says: `assistants/`, `tools/`, `knowledge-bases/`… `hours.test.yaml` is
 * a test below `tests/`, and in a folder that says nothing.
 */
export function kindOf(path: string, cwd: string): KindName | undefined {
  const named = kindNames.find(kind => 'fileName' in kinds[kind] && kinds[kind].fileName === basename(path))
  if (named !== undefined) return named
  const telling = foldersOf(path, cwd)
    .map(kindOfFolder)
    .filter(kind => kind !== undefined)
  const bySuffix = kindNames.find(kind => hasSuffix(path, kind) === true)
  if (bySuffix !== undefined && (telling.length === 0 || telling.includes(bySuffix))) return bySuffix
  const [kind] = telling
  return kind === undefined || hasSuffix(path, kind) === false ? undefined : kind
}

/** The nearest first. Folders above the working folder say nothing, but for the one that directly holds the file. */
function foldersOf(path: string, cwd: string): string[] {
  return [basename(dirname(path)), ...dirname(displayName(path, cwd)).split(sep).reverse()]
}

/** Whether a file's name ends as those of its kind do; undefined for a kind whose files have any names. */
function hasSuffix(path: string, kind: KindName): boolean | undefined {
  const { suffix }: Kind = kinds[kind]
  if (suffix === undefined) return undefined
  return ['.yaml', '.yml', '.json'].some(extension => path.toLowerCase().endsWith(suffix + extension))
}

const resourceFolders = Object.values<Kind>(kinds).flatMap(({ folder }) => folder ?? [])

function kindOfFolder(folder: string): KindName | undefined {
  return kindNames.find(name => 'folder' in kinds[name] && kinds[name].folder === folder)
}

/**
 * Whether a person may take the file for a resource: not a project's package.json or what lies in schemas/, nor the rows and turns
 * that tests read.
 */
function mayBeMeant(path: string, projects: readonly string[], cwd: string): boolean {
  if (foldersOf(path, cwd).includes(kinds.test.folder)) return false
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

function isPattern(path: string): boolean {
  return /[*?[\]{}()!]/.test(path)
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

async function expandPattern(given: string, cwd: string) {
  const { glob } = await import('tinyglobby')
  const unusable: Unusable[] = []
  const fs = {
    // tinyglobby reads folders with this signature only, and ignores the error.
    readdir: ((
      folder: string,
      options: { withFileTypes: true },
      done: (error: unknown, entries: Dirent[]) => void,
    ) =>
      readdir(folder, options, (error, entries) => {
        const path = resolve(cwd, folder)
        // Folders that are removed meanwhile are like those that never existed.
        if (error !== null && error.code !== 'ENOENT') unusable.push({ path, problem: problemOf(error) })
        done(error, entries)
      })) as typeof readdir,
  }
  const options = { cwd, absolute: true, ignore: ['**/node_modules/**'], onlyFiles: true, fs }
  const found = await glob(sep === '/' ? given : given.replaceAll(sep, '/'), options)
  return { files: found.map(path => resolve(path)).sort(), unusable }
}

function listBelow(folder: string) {
  const { files, unusable } = walkFolder(folder)
  return { files: files.sort(), unusable }
}

/**
 * True if an unreadable path was given explicitly or may contain resources. Other folders of a project, such as those of a
 * database, are ignored.
 */
function mayHoldFiles(path: string, given: string, cwd: string): boolean {
  if (path === given || kindOf(path, cwd) !== undefined) return true
  return (
    extname(path) === '' && foldersOf(join(path, 'file'), cwd).some(each => kindOfFolder(each) !== undefined)
  )
}

function unusableIn({ path, problem }: Unusable, cwd: string): Diagnostic {
  return { file: displayName(path, cwd), ...valueError([], 'unreadable', problem) }
}

function unknownKind(file: string): Diagnostic {
  const hint = 'name-kind-or-folder' satisfies SourceHint
  return { file, ...valueError([], 'unknown-kind', 'unknown kind of file', hint) }
}

function nothingFound(given: string, skipped: number): Diagnostic {
  const message =
    skipped === 0
      ? 'there is no file of a known kind: the folder is empty, or the pattern matches nothing'
      : `none of its ${skipped} ${skipped === 1 ? 'file is' : 'files is'} of a known kind`
  const hint = skipped === 0 ? undefined : ('name-kind' satisfies SourceHint)
  return { file: given, ...valueError([], 'no-files', message, hint) }
}

/** The file that makes a folder a project. */
export const projectFileName = 'callwright.yaml'

type Rules = Pick<FileRules, 'env' | 'uid'>

/**
 * The nearest callwright.yaml, from a folder upwards to that of the repository or the home folder; undefined without one.
 * @throws CallwrightError `invalid` for one that belongs to another user: its author would choose where callwright sends things
 */
export async function findProjectFile(folder: string, rules: Rules): Promise<string | undefined> {
  const { env } = rules
  const file = join(folder, projectFileName)
  const found = statOf(file)
  if (found?.isFile() === true) {
    // A link has an owner of its own, who may let it lead to any file.
    const owners = [lstatSync(file).uid, found.uid]
    const stranger = owners.find(owner => !isOwn(owner, rules))
    if (stranger !== undefined) await assertSafe(folder, stranger, rules)
    return file
  }
  const parent = dirname(folder)
  if (parent === folder || [env.HOME, env.USERPROFILE, homedir()].includes(folder)) return undefined
  // A folder, or a file in a worktree and a submodule.
  const isRepository = statOf(join(folder, '.git')) !== undefined
  return isRepository ? undefined : findProjectFile(parent, rules)
}

/** As git decides it: the user's own, and for root by sudo also what belongs to the user who called sudo. */
function isOwn(owner: number, { env, uid }: Rules): boolean {
  if (uid === undefined || owner === uid) return true
  return (
    uid === 0 && env.SUDO_UID !== undefined && /^\d+$/.test(env.SUDO_UID) && Number(env.SUDO_UID) === owner
  )
}

/** The variable that names folders of other users which are trusted, as PATH names folders; `*` trusts all. */
const safeVariable = 'CALLWRIGHT_SAFE_DIRECTORY'

async function assertSafe(folder: string, owner: number, { env, uid }: Rules): Promise<void> {
  const safe = (env[safeVariable] ?? '').split(delimiter).filter(each => each !== '')
  const real = (path: string) => promises.realpath(path).catch(() => undefined)
  const own = await real(folder)
  for (const each of safe) if (each === '*' || (own !== undefined && (await real(each)) === own)) return
  throw new CallwrightError(
    'invalid',
    `${join(folder, projectFileName)} belongs to another user (uid ${owner}; you are ${uid}); callwright does not read it`,
    { hint: `if you trust it, set ${safeVariable}=${folder}` },
  )
}

/** Variables available to `${env:NAME}`. */
export function variablesOf({ env, envFromFiles }: Pick<FileRules, 'env' | 'envFromFiles'>): Environment {
  return envFromFiles === undefined ? env : { ...envFromFiles, ...env }
}

/** Whose files are read, and which: what every check of a file is given. */
export interface FileRules {
  readonly cwd: string
  /** First source of `${env:NAME}`. */
  readonly env: Environment
  /** Variables of --env-file, used by `${env:NAME}` only. */
  readonly envFromFiles?: Environment | undefined
  /** User id of the process. Without one, as on Windows, owners of files are not compared. */
  readonly uid?: number | undefined
  /** `${file:…}` may lead out of the project. */
  readonly allowOutside?: boolean | undefined
}
