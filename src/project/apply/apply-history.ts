import { readFileSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Address } from '../../files/formats/address.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError } from '../../lib/error.ts'
import { whileLocked } from '../../lib/fs/file-lock.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { replaceFile } from '../../lib/fs/replace-file.ts'
import { appliedFolder } from '../../lib/fs/user-folders.ts'
import { digest } from '../../lib/hash.ts'
import { parseJson } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { type FileVersion, listFileVersions, readBlobs } from '../../lib/process/git.ts'
import { count } from '../../lib/text/count.ts'
import { localMinute } from '../../lib/text/date-time.ts'
import { quoteForShell } from '../../lib/text/escape.ts'
import { isSandboxTeam } from '../../service/api/index.ts'
import { type LockVersion, lockfileName, readVersions, type Section } from '../lockfile/index.ts'

interface HistoryDeps {
  readonly env: Environment
  readonly clock: Clock
}

/** A version of a target's section: in a commit, or as the last run of this machine wrote it. */
interface KnownVersion extends LockVersion {
  readonly commit?: string | undefined
  /** Folder of the project on this machine. */
  readonly folder?: string | undefined
}

const recordSchema = lazy(() =>
  z.object({
    folder: z.string(),
    target: z.string(),
    baseUrl: z.string(),
    teamId: z.optional(z.string()),
    salt: z.string(),
    serial: z.int(),
    applied: z.optional(z.string()),
    by: z.optional(z.string()),
    hash: z.optional(z.string()),
    isEmpty: z.optional(z.boolean()),
    ids: z.record(z.string(), z.string()),
  }),
)

/**
 * Remembers on this machine which version of a lockfile is the last one, outside of the project: there git, or a person who cleans up,
 * takes it back or deletes it. Kept once by the salt of the section, for other clones and worktrees, and once by the folder, for a
 * lockfile without the section. Never fails: git history is another witness.
 */
export function rememberApplies(folder: string, deps: HistoryDeps, witnesses?: Witnesses) {
  return async (version: LockVersion): Promise<void> => {
    if (witnesses === 'none') return
    for (const path of [recordPath(version.salt, deps.env), await byFolder(folder, version.target, deps.env)])
      if (path !== undefined) await keepNewest(path, { ...version, folder }, deps).catch(() => {})
  }
}

async function keepNewest(path: string, version: KnownVersion, { clock }: HistoryDeps): Promise<void> {
  await makeFolder(dirname(path), 0o700)
  const unavailable = () => new CallyardError('conflict', `${path} is in use`)
  await whileLocked(path, { clock, waitMs: 2000, inUse: unavailable, cannotLock: unavailable }, async () => {
    const before = readRecord(path)
    if (before !== undefined && before.salt === version.salt && before.serial > version.serial) return
    await replaceFile(path, `${JSON.stringify(version)}\n`, { mode: 0o600 })
  })
}

function readRecord(path: string | undefined): KnownVersion | undefined {
  const parsed = recordSchema().safeParse(parseJson(textOf(path)))
  return parsed.success ? parsed.data : undefined
}

function textOf(path: string | undefined): string {
  try {
    return path === undefined ? '' : readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A folder that was deleted and made again is another project. */
async function byFolder(folder: string, target: string, env: Environment): Promise<string | undefined> {
  try {
    const real = await realpath(folder)
    const { dev, ino, birthtimeNs } = await stat(real, { bigint: true })
    return recordPath([real, dev, ino, birthtimeNs, target].join('\n'), env)
  } catch {
    return undefined
  }
}

/** Undefined for a user without a home folder. */
function recordPath(key: string, env: Environment): string | undefined {
  try {
    return join(appliedFolder(env), `${digest(key)}.json`)
  } catch {
    return undefined
  }
}

/** Number of versions of a lockfile that are looked at, and their bytes together. */
const maxVersions = 100
const maxBytes = 64_000_000

/** Versions of a lockfile that git and this machine know, unread: equal ones are described by equal text. */
export interface LockHistory {
  readonly inputs: string
  /** Versions of a section; of a target that the lockfile does not have, those at the same base URL. */
  read(at: HistoryQuery): Promise<readonly KnownVersion[]>
}

interface HistoryQuery {
  readonly target: string
  readonly baseUrl: string | undefined
  /** Asks the sandbox at the base URL for its team. */
  team(): Promise<string | undefined>
  /** Undefined if the lockfile does not have the target. */
  readonly section: Section | undefined
}

/**
 * Witnesses of a lockfile; git only where something is sent or said to be up to date. `none`: an older version is used as it is, and
 * this one is not remembered.
 */
export type Witnesses = 'none' | 'machine' | 'machine and git'

/** `text` is the lockfile, and `own` its sections. */
export async function openHistory(
  folder: string,
  { text, own }: { readonly text: string; readonly own: readonly LockVersion[] },
  witnesses: Witnesses,
  { env }: HistoryDeps,
): Promise<LockHistory> {
  const count = Math.max(3, Math.min(maxVersions, Math.floor(maxBytes / (text.length + 1))))
  const isAsked = witnesses === 'machine and git'
  const files = isAsked ? await listFileVersions(join(folder, lockfileName), count, env) : []
  return {
    inputs: JSON.stringify([files, own.map(({ salt }) => textOf(recordPath(salt, env)))]),
    async read({ target, baseUrl, team, section }) {
      if (witnesses === 'none') return []
      const path = section === undefined ? await byFolder(folder, target, env) : recordPath(section.salt, env)
      const allVersions = [...(await readCommitted(folder, files, env)), readRecord(path) ?? []].flat()
      if (section !== undefined) return allVersions.filter(({ salt }) => salt === section.salt)
      const versions = allVersions.filter(
        version => version.target === target && version.baseUrl === baseUrl && version.isEmpty !== true,
      )
      const isSandbox = versions.some(({ teamId = '' }) => isSandboxTeam(teamId))
      const teamId = isSandbox ? await team() : undefined
      return versions.filter(version => !isSandboxTeam(version.teamId ?? '') || version.teamId === teamId)
    },
  }
}

async function readCommitted(
  folder: string,
  files: readonly FileVersion[],
  env: Environment,
): Promise<readonly KnownVersion[]> {
  if (files.length === 0) return []
  const blobs = files.map(({ blob }) => blob)
  const texts = (await readBlobs(folder, blobs, { maxBytes: maxBytes * 2, env })) ?? []
  return texts.flatMap((text, index) => {
    const commit = files[index]?.commit
    return readVersions(text).map(version => ({ ...version, commit }))
  })
}

/** Comparison of a section with its other versions. */
export type AppliedHistory = ReturnType<typeof compareVersions>

/** Compares the section of a lockfile with its other versions. `hash` is undefined while a run is at work. Pure. */
export function compareVersions(
  { serial = 0 }: Section,
  hash: string | undefined,
  versions: readonly KnownVersion[],
) {
  const latest = versions.toSorted((one, other) => other.serial - one.serial)
  const [newest] = latest
  const other = latest.find(
    version => version.serial === serial && version.hash !== hash && version.hash !== undefined,
  )
  const newer =
    newest !== undefined && newest.serial > serial ? newest : hash === undefined ? undefined : other
  return {
    serial,
    /** Greatest known serial. */
    highest: Math.max(serial, newest?.serial ?? 0),
    /** A later version, or another one of the same run; undefined if this is the last one. */
    newer: newer && { ...newer, commit: newer.commit ?? committed(latest, newer) },
    /** Returns the id under which another version has a resource, unless a section has it, or a person forgot it since. */
    findCreated(address: Address, { resources, forgotten = [] }: Section) {
      const recordedVersions = Object.values(resources).flatMap(({ id = '', replaced = [] }) => [
        id,
        ...replaced,
      ])
      for (const version of latest) {
        const id = Object.hasOwn(version.ids, address) ? version.ids[address] : undefined
        if (id !== undefined && !recordedVersions.includes(id) && !forgotten.includes(id))
          return { id, version }
      }
      return undefined
    },
  }
}

/** The commit with the version that this machine remembers. */
function committed(versions: readonly KnownVersion[], { serial, hash }: KnownVersion): string | undefined {
  return versions.find(version => version.serial === serial && version.hash === hash && version.commit)
    ?.commit
}

interface LockfileLocation {
  readonly lockfile: string
  readonly target: string
  readonly serial: number
}

/** @throws CallyardError `conflict` if another version of the lockfile has a resource that is about to be created */
export function assertNotCreated(
  address: Address,
  created: { readonly id: string; readonly version: KnownVersion } | undefined,
  at: LockfileLocation,
): void {
  if (created === undefined) return
  const { id, version } = created
  const details = { ...at, address, id, ...describe(version) }
  throw new CallyardError(
    'conflict',
    `${address} is ${id} at target ${at.target}, but ${at.lockfile} does not have it: ${appliedText(version)}; nothing was sent`,
    {
      code: 'created-before',
      hint: `to use it, adopt ${address}=${id}; to create another one, forget ${address}=${id}`,
      details,
    },
  )
}

function describe({ serial: newest, applied, by, commit, folder }: KnownVersion) {
  return { newest, applied, by, commit, folder }
}

/** @throws CallyardError `conflict` if a later version of the lockfile, or another one of the same apply, is known */
export function assertNewest(
  { newer, serial }: AppliedHistory,
  { isMissing, ...location }: Omit<LockfileLocation, 'serial'> & { readonly isMissing: boolean },
): void {
  if (newer === undefined) return
  const relation = newer.serial > serial ? 'lockfile-older' : 'lockfile-forked'
  const code = isMissing ? 'target-missing' : relation
  const details = { ...location, serial, ...describe(newer) }
  const { lockfile, target } = location
  const { commit } = newer
  const problem = {
    'lockfile-older': `is ${count(newer.serial - serial, 'apply', 'applies')} behind`,
    'lockfile-forked': 'is one of two versions after the same apply',
    'target-missing': `has no target ${target}, so everything would be created again`,
  }[code]
  const merge =
    code === 'lockfile-forked'
      ? `keep the resources of both versions and set serial to ${newer.serial + 1}; or `
      : ''
  const restore =
    commit === undefined
      ? 'restore the later lockfile and apply the old files'
      : `take the later lockfile and apply the old files: git checkout ${commit} -- ${quoteForShell(lockfile)}`
  throw new CallyardError('conflict', `${lockfile} ${problem}: ${appliedText(newer)}; nothing was sent`, {
    ...{ code, hint: `${merge}${restore}; or send every tool and entry again`, details },
  })
}

/** `apply 7 was on 2026-11-28 12:53 by ada@laptop (commit 54ca2c5c)`. */
function appliedText({ serial, applied, by, commit, folder }: KnownVersion): string {
  const when = Number.isNaN(Date.parse(applied ?? '')) ? '' : ` on ${localMinute(applied ?? '')}`
  const who = by === undefined ? '' : ` by ${by}`
  const where = commit !== undefined ? ` (commit ${commit})` : folder === undefined ? '' : ` (in ${folder})`
  return `apply ${serial} was${when}${who}${where}`
}
