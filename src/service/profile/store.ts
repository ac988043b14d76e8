import { parseJsonBytes } from '../../files/text/index.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError, getErrorCode } from '../../lib/error.ts'
import { readSmallFile } from '../../lib/fs/read-file.ts'
import { configFile, storeUnusable } from '../../lib/fs/user-folders.ts'
import { isObject } from '../../lib/json.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import type { Profile, ProfileStore } from './store-schema.ts'

export interface Profiles {
  readonly current: string | undefined
  readonly profiles: Readonly<Record<string, Profile>>
  /** Warnings for the user, such as a damaged file. */
  readonly warnings: readonly string[]
  /** Description of the damage, if the file is damaged. */
  readonly damage?: string | undefined
}

/** Reads all profiles. Without a file there are none; a damaged file is reported as a warning. */
export async function readProfiles(env: Environment): Promise<Profiles> {
  const { store, damage } = await readStore(configFile(env))
  const warnings = damage === undefined ? [] : [`${damage}; no profile is read from it`]
  return { current: store.current, profiles: store.profiles, warnings, damage }
}

/** Returns a profile by name. @throws CallyardError `usage` with a suggestion for a missing one. */
export function findProfile(profiles: Profiles['profiles'], name: string): Profile {
  const profile = getProfile(profiles, name)
  if (profile !== undefined) return profile
  throw noSuchProfile(profiles, name)
}

/** The usage error of a name that no profile has. */
export function noSuchProfile(profiles: Profiles['profiles'], name: string): CallyardError {
  const names = Object.keys(profiles)
  const near = didYouMean(name, names)
  return new CallyardError('usage', `profile ${name} not found`, {
    code: 'no-such-profile',
    hint:
      meantHint(near) ??
      (names.length === 0 ? 'add this profile' : `available: ${names.slice(0, 10).join(', ')}`),
    details: { profile: name, near, known: names },
  })
}

/** True if the current profile exists. */
export function hasCurrent({ current, profiles }: ProfileStore): boolean {
  return current !== undefined && Object.hasOwn(profiles, current)
}

/** A name that can be typed and completed in every shell. Throws a usage error otherwise. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return
  throw new CallyardError('usage', `invalid profile name ${JSON.stringify(name)}`, {
    hint: 'use letters, digits, dots, dashes and underscores, starting with a letter or digit',
  })
}

/** Reads the file and lists its damaged parts. @throws CallyardError `usage` when it cannot be read. */
export async function readStore(file: string): Promise<{ store: ProfileStore; damage?: string }> {
  let content: Buffer
  try {
    content = readSmallFile(file)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'ENOTDIR')
      return { store: { profiles: {} } }
    throw storeUnusable(file, 'read', error)
  }
  const value = parseJsonBytes(content)
  if (value === undefined) return { store: { profiles: {} }, damage: `${file} is damaged (not JSON)` }
  if (isPlainStore(value)) return { store: value }
  const { storeSchema } = await import('./store-schema.ts')
  const parsed = storeSchema.safeParse(value)
  if (parsed.success) return { store: parsed.data }
  const where = parsed.error.issues[0]?.path.map(String).join('.') || 'the document'
  return { store: { profiles: {} }, damage: `${file} is damaged (${where} is not as expected)` }
}

/** True if the schema accepts a store unchanged. Checked without zod, which takes longer to load than the rest of `profile list`. */
function isPlainStore(value: unknown): value is ProfileStore {
  if (!isObject(value) || !isObject(value.profiles)) return false
  const { current, profiles } = value
  if (!['string', 'undefined'].includes(typeof current) || Object.hasOwn(profiles, '__proto__')) return false
  return Object.values(profiles).every(
    profile =>
      isObject(profile) &&
      typeof profile.baseUrl === 'string' &&
      typeof profile.apiKey === 'string' &&
      profile.vocabulary === undefined &&
      profile.approval === undefined &&
      profile.limits === undefined &&
      profile.controlToken === undefined,
  )
}

/** Returns a profile by name; undefined if missing. */
export function getProfile(profiles: Profiles['profiles'], name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}
