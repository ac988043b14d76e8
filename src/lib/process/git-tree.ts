import { mkdtemp, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Environment } from '../environment.ts'
import { withoutOurKeys } from './program.ts'

interface TreeOptions {
  /** Absolute. */
  readonly folder: string
  /** A commit, a branch, a tag: anything that git takes. */
  readonly version: string
  /** Absolute; the copy is a new folder in it. */
  readonly temporary: string
  readonly env: Environment
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
export async function copyOldTree({
  folder,
  version,
  temporary,
  env,
  signal,
}: TreeOptions): Promise<OldTree> {
  // git starts the filters that a repository names.
  const inherited = Object.fromEntries(
    Object.entries(withoutOurKeys(env)).filter(([name]) => !ofHooks.includes(name)),
  )
  const asked = ['rev-parse', '--show-toplevel', '--show-prefix']
  const around = await runGit(asked, { folder, env: inherited, signal })
  if (around.code === undefined) return { failure: 'no-git', message: around.errors }
  if (around.code !== 0) return { failure: 'no-repository', message: around.errors }
  const [root = '', prefix = ''] = around.output.split('\n')
  // In a folder below, git would take the paths of the index as of that folder.
  const git = (args: readonly string[], own: Environment = {}) =>
    runGit(args, { folder: root, env: { ...inherited, ...own }, signal })
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

/** `code` is undefined where git could not be started, or was ended. */
async function runGit(
  args: readonly string[],
  { folder, env, signal }: Pick<TreeOptions, 'folder' | 'env' | 'signal'>,
) {
  const { execa } = await import('execa')
  signal.throwIfAborted()
  const { exitCode, stdout, stderr, originalMessage } = await execa('git', args, {
    cwd: folder,
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    cancelSignal: signal,
    forceKillAfterDelay: shutdownTimeoutMs,
  })
  signal.throwIfAborted()
  return { code: exitCode, output: stdout.trim(), errors: stderr.trim() || (originalMessage ?? '') }
}
