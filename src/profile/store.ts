// `promises` is loaded by its first use, node:fs/promises at once.
import { promises } from 'node:fs'
import { homedir, platform } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Environment } from '../lib/environment.ts'
import { CallwrightError, codeOf } from '../lib/error.ts'
import { readSmallFile } from '../lib/fs/read-file.ts'
import { isObject } from '../lib/json.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import { profileError } from './errors.ts'
import type { Profile, ProfileStore } from './store-schema.ts'

export interface Profiles {
  /** The name of the profile in use. */
  readonly current: string | undefined
  readonly profiles: Readonly<Record<string, Profile>>
  /** What a person should know: a damaged file. */
  readonly warnings: readonly string[]
}

/** All profiles. A missing file has none; neither has a damaged one, which is a warning. */
export async function readProfiles(env: Environment): Promise<Profiles> {
  const { store, damage } = await read(configFile(env))
  const warnings = damage === undefined ? [] : [`${damage}; no profile is read from it`]
  return { current: store.current, profiles: store.profiles, warnings }
}

/** The profile of a name. Throws a usage error with a near name for one that is not there. */
export function findProfile(profiles: Profiles['profiles'], name: string): Profile {
  const found = ownProfile(profiles, name)
  if (found !== undefined) return found
  throw noSuchProfile(profiles, name)
}

/** The usage error of a name that no profile has. */
export function noSuchProfile(profiles: Profiles['profiles'], name: string): CallwrightError {
  const known = Object.keys(profiles)
  return profileError('usage', 'no-such-profile', { profile: name, near: didYouMean(name, known), known })
}

export interface Saved {
  /** The profile that had the name before, whether it was replaced or kept. */
  readonly before?: Profile | undefined
  /** Whether that one was kept, and nothing saved. */
  readonly kept?: boolean
  /** The profile in use after the change. */
  readonly current: string | undefined
  readonly warnings: readonly string[]
}

/** Saves a profile under a name, in place of one that has it. Where none is in use, it becomes the one in use. */
export async function saveProfile(env: Environment, name: string, profile: Profile): Promise<Saved> {
  checkName(name)
  return changeProfiles(env, store => {
    const before = ownProfile(store.profiles, name)
    if (!isAnyInUse(store)) store.current = name
    store.profiles[name] = profile
    return { before }
  })
}

/** Whether there is a profile of the name that is in use. */
export function isAnyInUse({ current, profiles }: ProfileStore): boolean {
  return current !== undefined && Object.hasOwn(profiles, current)
}

/** Puts a profile in use. Throws a usage error for one that is not there. */
export async function selectProfile(env: Environment, name: string): Promise<Saved> {
  return changeProfiles(env, store => {
    findProfile(store.profiles, name)
    store.current = name
    return {}
  })
}

/** Removes a profile; when it was the one in use, none is. Throws a usage error for one that is not there. */
export async function removeProfile(env: Environment, name: string): Promise<Saved> {
  return changeProfiles(env, store => {
    findProfile(store.profiles, name)
    delete store.profiles[name]
    if (store.current === name) delete store.current
    return {}
  })
}

/** A name that can be typed and completed in every shell. Throws a usage error otherwise. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return
  throw new CallwrightError('usage', `${JSON.stringify(name)} cannot be the name of a profile`, {
    hint: 'use letters, digits, dots, dashes and underscores, beginning with a letter or digit',
  })
}

async function read(file: string): Promise<{ store: ProfileStore; damage?: string }> {
  let content: string
  try {
    content = readSmallFile(file).toString('utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { store: { profiles: {} } }
    throw unusable(file, 'read', error)
  }
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return { store: { profiles: {} }, damage: `${file} is damaged (not JSON)` }
  }
  if (isPlainStore(value)) return { store: value }
  const { storeSchema } = await import('./store-schema.ts')
  const parsed = storeSchema.safeParse(value)
  if (parsed.success) return { store: parsed.data }
  const where = parsed.error.issues[0]?.path.map(String).join('.') || 'the document'
  return { store: { profiles: {} }, damage: `${file} is damaged (${where} is not as expected)` }
}

/** Whether the schema takes a store as it is, seen without loading zod, which takes longer than the rest of `profile list`. */
export function isPlainStore(value: unknown): value is ProfileStore {
  if (!isObject(value) || !isObject(value.profiles)) return false
  const { current, profiles } = value
  if (!['string', 'undefined'].includes(typeof current) || Object.hasOwn(profiles, '__proto__')) return false
  return Object.values(profiles).every(
    profile =>
      isObject(profile) &&
      typeof profile.baseUrl === 'string' &&
      typeof profile.apiKey === 'string' &&
      profile.vocabulary === undefined &&
      profile.controlToken === undefined,
  )
}

/** The profile of a name; undefined where none has it. */
export function ownProfile(profiles: Profiles['profiles'], name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

/** Reads, changes and writes under a lock. The file is replaced in one step and readable by its owner only. */
export async function changeProfiles(
  env: Environment,
  edit: (store: ProfileStore) => Pick<Saved, 'before' | 'kept'>,
): Promise<Saved> {
  const folder = configFolder(env)
  const file = configFile(env)
  try {
    await promises.mkdir(folder, { recursive: true, mode: 0o700 })
    await promises.chmod(folder, 0o700)
  } catch (error) {
    throw unusable(folder, 'write', error)
  }
  const [release, { replaceFile }] = await Promise.all([
    lockStore(folder, file),
    import('../lib/fs/replace-file.ts'),
  ])
  try {
    const { store, damage } = await read(file)
    const outcome = edit(store)
    const warnings = damage === undefined ? [] : [`${damage}; it is kept as ${await setAside(file)}`]
    await replaceFile(await placeOf(file), JSON.stringify(store, null, '\t'), {
      mode: 0o600,
      isLocked: true,
    })
    return { ...outcome, current: store.current, warnings }
  } catch (error) {
    throw error instanceof CallwrightError ? error : unusable(file, 'write', error)
  } finally {
    await release()
  }
}

/**
 * Locks the file by its name, and by the place where that leads: links in several folders may lead to one file. What it
 * returns releases both.
 */
async function lockStore(folder: string, file: string): Promise<() => Promise<void>> {
  const { lock } = await import('proper-lockfile')
  const take = (place: string) =>
    lock(place, { realpath: false, retries: { retries: 60, minTimeout: 10, maxTimeout: 200 } }).catch(
      error => {
        if (codeOf(error) !== 'ELOCKED') throw unusable(file, 'write', error)
        throw new CallwrightError('conflict', `another callwright is changing ${file}`, { hint: 'try again' })
      },
    )
  // The folder may have two names: they share one lock.
  const name = join(await placeOf(folder), basename(file))
  const release = await take(name)
  const place = await placeOf(name)
  if (place === name) return release
  const releasePlace = await take(place).catch(async error => {
    await release()
    throw error
  })
  return () => releasePlace().finally(release)
}

/** What a name stands for, where it is a link. */
function placeOf(path: string): Promise<string> {
  return promises.realpath(path).catch(() => path)
}

/** Renames a damaged file, so that nothing of it is lost, and tells its new name. */
async function setAside(file: string): Promise<string> {
  const { mtimeMs } = await promises.stat(file)
  const time = new Date(mtimeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (let number = 1; ; number += 1) {
    const aside = file.replace(
      /config\.json$/,
      `config.damaged-${time}${number === 1 ? '' : `-${number}`}.json`,
    )
    const there = await promises.stat(aside).catch(() => undefined)
    if (there !== undefined) continue
    await promises.rename(file, aside)
    await promises.chmod(aside, 0o600)
    return aside
  }
}

function unusable(path: string, what: 'read' | 'write', cause: unknown): CallwrightError {
  return new CallwrightError('usage', `cannot ${what} ${path}: ${codeOf(cause) ?? String(cause)}`, {
    hint: 'CALLWRIGHT_CONFIG_DIR names another folder',
    cause,
  })
}

/** Where profiles are kept: CALLWRIGHT_CONFIG_DIR, else the folder that the platform has for settings. */
export function configFolder(env: Environment): string {
  const { CALLWRIGHT_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: appData } = env
  if (own !== undefined && own !== '') return resolve(own)
  const home = homedir()
  if (platform() === 'darwin') return join(home, 'Library', 'Preferences', 'callwright')
  if (platform() === 'win32') return join(appData || join(home, 'AppData', 'Roaming'), 'callwright')
  return join(xdg || join(home, '.config'), 'callwright')
}

/** Where `sandbox start` keeps its records by default. */
export function sandboxJournal(env: Environment): string {
  return join(configFolder(env), 'sandbox.ndjson')
}

export function configFile(env: Environment): string {
  return join(configFolder(env), 'config.json')
}

/** Where `webhook tail --forward` keeps events until they are delivered. */
export function forwardFolder(env: Environment): string {
  return join(configFolder(env), 'forward')
}
