import { mkdtemp, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
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
 * Copies a folder as a version of its git repository has it. Neither the repository, its index nor the folder itself is touched.
 * @throws the signal's reason, and errors of the file system
 */
export async function copyOldTree({ folder, version, temporary, ...options }: TreeOptions): Promise<OldTree> {
  const inherited = Object.fromEntries(
    Object.entries(options.env).filter(([name]) => !ofHooks.includes(name)),
  )
  const asked = ['rev-parse', '--show-toplevel', '--show-prefix']
  const around = await runGit(asked, { ...options, folder, env: inherited })
  if (around.code === undefined) return { failure: 'no-git', message: around.errors }
  if (around.code !== 0) return { failure: 'no-repository', message: around.errors }
  const [root = '', prefix = ''] = around.output.split('\n')
  // In a folder below, git would take the paths of the index as of that folder.
  const git = (args: readonly string[], own: Environment = {}) =>
    runGit(args, { ...options, folder: root, env: { ...inherited, ...own } })
  const commit = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${version}^{commit}`])
  if (commit.code !== 0) return { failure: 'no-version', message: commit.errors }
  // Of the root of the repository, the prefix is empty.
  const tree = `${commit.output}:${prefix.replace(/\/$/, '')}`
  if ((await git(['cat-file', '-e', tree])).code !== 0) return { failure: 'no-folder', message: '' }

  const place = await mkdtemp(join(temporary, 'callwright-'))
  const remove = () => rm(place, { recursive: true, force: true }).catch(() => undefined)
  try {
    const index = { GIT_INDEX_FILE: join(place, 'index') }
    const copy = join(place, 'tree') + sep
    for (const args of [
      ['read-tree', tree],
      ['checkout-index', '--all', `--prefix=${copy}`],
    ]) {
      const { code, errors } = await git(args, index)
      if (code === 0) continue
      await remove()
      return { failure: 'not-copied', message: errors }
    }
    return { folder: join(place, 'tree'), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** What a hook of git sets: it would have another repository asked than the one around the folder. */
const ofHooks = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'GIT_COMMON_DIR']

/** `code` is undefined where git could not be started, or was ended. It ends with the filters that it started. */
async function runGit(
  args: readonly string[],
  { folder, env, clock, signal }: Pick<TreeOptions, 'folder' | 'env' | 'clock' | 'signal'>,
) {
  signal.throwIfAborted()
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  const program = await startProgram({
    command: { file: 'git', arguments: [...args] },
    cwd: folder,
    env,
    clock,
    onOutput: (bytes, stream) => void chunks[stream].push(bytes),
  })
  const stop = () => program.end(shutdownTimeoutMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) void stop()
  const ending = await program.ended
  signal.removeEventListener('abort', stop)
  if (signal.aborted) await stop()
  signal.throwIfAborted()
  const text = (stream: keyof typeof chunks) => Buffer.concat(chunks[stream]).toString().trim()
  const failure = ending.kind === 'not-started' ? ending.message : ''
  return {
    code: ending.kind === 'exit' ? ending.code : undefined,
    output: text('stdout'),
    errors: text('stderr') || failure,
  }
}
