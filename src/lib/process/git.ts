import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../environment.ts'
import { createProgramEnvironment } from './program-environment.ts'

/** A version of a file in git. */
export interface FileVersion {
  readonly commit: string
  readonly blob: string
}

const timeoutMs = 5000

/**
 * Lists the versions of a file in all branches, tags and stashes of its repository, newest first. Empty without git, without a
 * repository, or for one that git refuses to read or takes too long for. Runs no hook, pager or other program that a repository
 * names, and contacts no remote.
 */
export async function listFileVersions(
  path: string,
  maxCount: number,
  env: Environment,
): Promise<readonly FileVersion[]> {
  const folder = dirname(path)
  if (!isInRepository(folder)) return []
  // Full history: otherwise the side of a merge that it did not take is left out. With -m, merges list their files too.
  const args = [
    'log',
    '--all',
    '--full-history',
    '-m',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '--no-show-signature',
  ]
  const log = await run(folder, [...args, `-n${maxCount}`, '--format=commit %h', '--', basename(path)], env)
  const versions = new Map<string, FileVersion>()
  let commit = ''
  for (const line of (log ?? '').split('\n')) {
    commit = /^commit (\w+)$/.exec(line)?.[1] ?? commit
    const blob = /^:\d+ 100\d+ \w+ (\w+) [A-Z]/.exec(line)?.[1]
    if (blob !== undefined && !versions.has(blob)) versions.set(blob, { commit, blob })
  }
  return [...versions.values()]
}

/** Reads blobs of the repository that contains a folder, in their order; undefined if they cannot be read or are too long. */
export async function readBlobs(
  folder: string,
  blobs: readonly string[],
  { maxBytes, env }: { readonly maxBytes: number; readonly env: Environment },
): Promise<readonly string[] | undefined> {
  const output = await run(folder, ['cat-file', '--batch'], env, { input: `${blobs.join('\n')}\n`, maxBytes })
  if (output === undefined) return undefined
  const bytes = Buffer.from(output, 'latin1')
  const texts: string[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start)
    const size = Number(/^\w+ blob (\d+)$/.exec(bytes.toString('latin1', start, end))?.[1])
    if (Number.isNaN(size)) return undefined
    texts.push(bytes.toString('utf8', end + 1, end + 1 + size))
    start = end + size + 2
  }
  return texts
}

function isInRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || (folder !== dirname(folder) && isInRepository(dirname(folder)))
}

/** The settings of a repository may name programs, and a partial clone fetches what it lacks. */
const safeSettings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'log.showSignature=false',
]

async function run(
  folder: string,
  args: readonly string[],
  env: Environment,
  { input = '', maxBytes = 16_000_000 }: { readonly input?: string; readonly maxBytes?: number } = {},
): Promise<string | undefined> {
  const { execFile } = await import('node:child_process')
  const safe = {
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  }
  const words = ['--no-pager', ...safeSettings.flatMap(setting => ['-c', setting]), '-C', folder, ...args]
  // Windows looks for programs in the working folder first, and a project may contain a git.exe.
  const options = { cwd: homedir(), env: { ...createProgramEnvironment(env), ...safe } }
  return new Promise(resolve => {
    const limits = { timeout: timeoutMs, maxBuffer: maxBytes, encoding: 'latin1', windowsHide: true } as const
    const child = execFile('git', words, { ...options, ...limits }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
