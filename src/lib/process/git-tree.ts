import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import { makeFolder } from '../fs/make-folder.ts'
import { startProgram } from './program.ts'

interface TreeOptions {
  /** Absolute. */
  readonly folder: string
  /** A commit, a branch, a tag: anything that git takes. */
  readonly version: string
  /** Absolute; the copy is a new folder in it. */
  readonly temporary: string
  readonly env: Environment
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
}

/** A folder as it was in a version of its repository. */
export type OldTree =
  | { readonly folder: string /** Never rejects. */; remove(): Promise<void> }
  | {
      /** `message`: what git says. */
      readonly failure: 'no-git' | 'no-repository' | 'no-version' | 'no-folder' | 'not-copied'
      readonly message: string
    }

const shutdownTimeoutMs = 2000

/**
 * Copies a folder as a version of its git repository has it. Neither the repository, its index nor the folder itself is touched. The
 * repository may be hostile: git only lists and prints objects, and runs no hook, filter, monitor or transport from the configuration
 * of the repository. Git LFS files are therefore copied as pointers. Skips submodules and links that lead out of the folder.
 * @throws the signal's reason, and errors of the file system
 */
export async function copyOldTree({ folder, version, temporary, ...options }: TreeOptions): Promise<OldTree> {
  const env = minimalEnvironment(options.env)
  const git = (args: readonly string[], input?: string) => runGit(args, { ...options, folder, env, input })
  const inside = await git(['rev-parse', '--is-inside-work-tree'])
  if (inside.code === undefined) return { failure: 'no-git', message: inside.errors }
  if (inside.code !== 0 || inside.output.toString().trim() !== 'true')
    return { failure: 'no-repository', message: inside.errors }
  const resolve = (name: string) => git(['rev-parse', '--verify', '--quiet', '--end-of-options', name])
  const commit = await resolve(`${version}^{commit}`)
  if (commit.code !== 0) return { failure: 'no-version', message: commit.errors }
  const tree = await resolve(`${commit.output.toString().trim()}:./`)
  if (tree.code !== 0) return { failure: 'no-folder', message: '' }

  const listed = await git(['ls-tree', '-r', '-z', '--long', '--full-tree', tree.output.toString().trim()])
  if (listed.code !== 0) return { failure: 'not-copied', message: listed.errors || tooLarge }
  const entries = parseEntries(listed.output.toString())
  if (entries === undefined) return { failure: 'not-copied', message: 'unsafe path in its tree' }
  if (entries.reduce((sum, { size }) => sum + size, 0) > maxTreeBytes)
    return { failure: 'not-copied', message: tooLarge }
  const ids = new Set(entries.map(({ id }) => id))
  const printed = await git(['cat-file', '--batch'], Array.from(ids, id => `${id}\n`).join(''))
  const blobs = printed.code === 0 ? parseBlobs(printed.output) : undefined
  if (blobs === undefined) return { failure: 'not-copied', message: printed.errors || 'it lacks objects' }

  const copy = await mkdtemp(join(temporary, 'callyard-'))
  const remove = () => rm(copy, { recursive: true, force: true }).catch(() => undefined)
  try {
    await writeTree(entries, blobs, join(await realpath(copy), 'tree'))
    options.signal.throwIfAborted()
    return { folder: join(copy, 'tree'), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Larger than any project; all of it is held in memory. */
const maxTreeBytes = 256 * 1024 * 1024
/** A small tree that repeats a subtree many times has a huge listing. */
const maxOutputBytes = 400 * 1024 * 1024
const tooLarge = `its files are larger than ${maxTreeBytes / 1024 / 1024} MB`

interface Entry {
  /** Relative path with slashes. */
  readonly path: string
  /** Id of the blob. */
  readonly id: string
  readonly size: number
  readonly isLink: boolean
}

/** Parses `git ls-tree`; undefined if a path would lead out of the folder. */
function parseEntries(list: string): Entry[] | undefined {
  const entries: Entry[] = []
  for (const line of list.split('\0').slice(0, -1)) {
    const [, mode, type, id, size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(line) ?? []
    if (id === undefined || path === undefined || !isSafePath(path)) return undefined
    if (type === 'blob') entries.push({ path, id, size: Number(size), isLink: mode === '120000' })
  }
  return entries
}

/** Hand-made trees may contain any name. On Windows a backslash separates names, and a colon marks a drive or a stream. */
function isSafePath(path: string): boolean {
  return path
    .split('/')
    .every(
      name => !['', '.', '..', '.git'].includes(name.toLowerCase()) && (sep === '/' || !/[\\:]/.test(name)),
    )
}

/** Parses a sequence of `<id> blob <size>\n<content>\n`; undefined if one is missing. */
function parseBlobs(output: Buffer): ReadonlyMap<string, Buffer> | undefined {
  const blobs = new Map<string, Buffer>()
  for (let offset = 0; offset < output.length; ) {
    const end = output.indexOf('\n', offset)
    const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(output.toString('latin1', offset, end)) ?? []
    if (id === undefined) return undefined
    const start = end + 1
    blobs.set(id, output.subarray(start, start + Number(size)))
    offset = start + Number(size) + 1
  }
  return blobs
}

/** Creates links last, so that no file is written through one. */
async function writeTree(entries: readonly Entry[], blobs: ReadonlyMap<string, Buffer>, root: string) {
  await mkdir(root)
  for (const { path, id, isLink } of entries) {
    await makeFolder(join(root, dirname(path)))
    if (!isLink) await writeFile(join(root, path), blobs.get(id) ?? '', { flag: 'wx' })
  }
  const links = entries.filter(({ isLink }) => isLink)
  // Windows may not allow symbolic links.
  for (const { path, id } of links)
    await symlink(blobs.get(id)?.toString() ?? '', join(root, path)).catch(() => undefined)
  for (const { path } of links) {
    const target = await realpath(join(root, path)).catch(() => undefined)
    if (target === undefined || !`${target}${sep}`.startsWith(root + sep))
      await rm(join(root, path), { force: true })
  }
}

/** Prevents git from running programs from the repository's configuration, and from using a bare repository among its files. */
const safeConfiguration = ['safe.bareRepository=explicit', 'core.fsmonitor=false', 'core.hooksPath=/dev/null']

/** Variables that git needs to start and to find the user's configuration. */
const inheritedVariables = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CEILING_DIRECTORIES'],
  ...['PATHEXT', 'SYSTEMROOT', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'TEMP', 'TMP'],
]

function minimalEnvironment(env: Environment): Environment {
  const inherited = Object.entries(env).filter(([name]) => inheritedVariables.includes(name.toUpperCase()))
  return {
    ...Object.fromEntries(inherited),
    // Never fetch missing objects: the repository's configuration names the program for it.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
  }
}

/** `code` is undefined if git could not be started or was killed. */
async function runGit(
  args: readonly string[],
  options: Pick<TreeOptions, 'folder' | 'env' | 'clock' | 'signal'> & { readonly input: string | undefined },
) {
  const { folder, env, clock, signal, input } = options
  signal.throwIfAborted()
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  let size = 0
  const program = await startProgram({
    command: {
      file: 'git',
      arguments: ['--no-pager', ...safeConfiguration.flatMap(setting => ['-c', setting]), ...args],
    },
    cwd: folder,
    env,
    clock,
    ...(input === undefined ? {} : { input }),
    onOutput(bytes, stream) {
      size += bytes.length
      if (size > maxOutputBytes) void stop()
      else chunks[stream].push(bytes)
    },
  })
  const stop = () => program.end(shutdownTimeoutMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) void stop()
  const ending = await program.ended
  signal.removeEventListener('abort', stop)
  if (signal.aborted) await stop()
  signal.throwIfAborted()
  const failure = ending.kind === 'not-started' ? ending.message : ''
  return {
    code: ending.kind === 'exit' ? ending.code : undefined,
    output: Buffer.concat(chunks.stdout),
    errors: Buffer.concat(chunks.stderr).toString().trim() || failure,
  }
}
