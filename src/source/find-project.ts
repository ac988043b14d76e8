import { lstat, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Environment } from '../lib/environment.ts'
import { CallwrightError } from '../lib/error.ts'

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
  const found = await stat(file).then(
    stats => stats.isFile() && stats,
    () => false as const,
  )
  if (found !== false) {
    // A link has an owner of its own, who may let it lead to any file.
    const owners = [(await lstat(file)).uid, found.uid]
    const stranger = owners.find(owner => !isOwn(owner, rules))
    if (stranger !== undefined) await assertSafe(folder, stranger, rules)
    return file
  }
  const parent = dirname(folder)
  if (parent === folder || [env.HOME, env.USERPROFILE, homedir()].includes(folder)) return undefined
  // A folder, or a file in a worktree and a submodule.
  const isRepository = await stat(join(folder, '.git')).then(
    () => true,
    () => false,
  )
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
  const real = (path: string) => realpath(path).catch(() => undefined)
  const own = await real(folder)
  for (const each of safe) if (each === '*' || (own !== undefined && (await real(each)) === own)) return
  throw new CallwrightError(
    'invalid',
    `${join(folder, projectFileName)} belongs to another user (uid ${owner}; you are ${uid}); callwright does not read it`,
    { hint: `if you trust it, set ${safeVariable}=${folder}` },
  )
}

/** Whose files are read, and which: what every check of a file is given. */
export interface FileRules {
  readonly cwd: string
  /** Where `${env:NAME}` looks. */
  readonly env: Environment
  /** User id of the process. Without one, as on Windows, owners of files are not compared. */
  readonly uid?: number | undefined
  /** `${file:…}` may lead out of the project. */
  readonly allowOutside?: boolean | undefined
}
