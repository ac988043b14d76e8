import { chmod, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError, getErrorCode } from '../../lib/error.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { putIfFree, replaceFile, syncFolder } from '../../lib/fs/replace-file.ts'
import { configFile, configFolder, storeUnusable } from '../../lib/fs/user-folders.ts'
import type { Agreement } from './agreements.ts'
import { checkName, findProfile, getProfile, hasCurrent, readStore } from './store.ts'
import type { Profile, ProfileStore } from './store-schema.ts'

interface ProfileChange {
  /** Earlier profile with this name, replaced or kept. */
  readonly before?: Profile | undefined
  /** True if the earlier profile was kept and nothing was saved. */
  readonly kept?: boolean
}

export interface Saved extends ProfileChange {
  readonly current: string | undefined
  readonly warnings: readonly string[]
}

/** Saves a profile, replacing any with the same name. It becomes the current profile if there is none. */
export async function saveProfile(env: Environment, name: string, profile: Profile): Promise<Saved> {
  checkName(name)
  return changeProfiles(env, store => {
    const before = getProfile(store.profiles, name)
    if (!hasCurrent(store)) store.current = name
    store.profiles[name] = { ...rulesOf(before), ...profile }
    return { before }
  })
}

/** The rules that a profile keeps when it is replaced. */
function rulesOf({ approval, limits }: Partial<Profile> = {}): Partial<Profile> {
  return { ...(approval !== undefined && { approval }), ...(limits !== undefined && { limits }) }
}

/**
 * Replaces a profile with one that may have another key or other rules. Its service requires approval in a second file too (see rules.ts).
 * @throws CallyardError `usage` for an unknown profile, `conflict` if it is not `before` any more
 */
export async function replaceProfile(
  env: Environment,
  name: string,
  { before: expected, after }: { readonly before: Profile; readonly after: Profile },
): Promise<Saved> {
  const { protectedServicesFile, readProtectedServices, serviceOf } = await import('./rules.ts')
  let isRequired = false
  const saved = await changeProfiles(env, store => {
    const before = findProfile(store.profiles, name)
    if (!isDeepStrictEqual(before, expected))
      throw new CallyardError('conflict', `profile ${name} was changed meanwhile`, { hint: 'try again' })
    store.profiles[name] = after
    isRequired = Object.values(store.profiles).some(
      ({ baseUrl, approval }) => approval === 'required' && serviceOf(baseUrl) === serviceOf(before.baseUrl),
    )
    return { before }
  })
  const service = serviceOf(saved.before?.baseUrl ?? '')
  const file = protectedServicesFile(env)
  await whileLocked(env, async () => {
    const protectedServices = readProtectedServices(env)
    const others = protectedServices.filter(other => other !== service)
    // A requirement that this profile did not have, such as that of a profile that was removed, stays.
    const isLifted = saved.before?.approval === 'required' && !isRequired
    const services = isRequired ? [...others, service] : isLifted ? others : protectedServices
    await makeFolder(dirname(file), 0o700)
    await write(file, { services })
  })
  if (typeof expected.apiKey === 'string' && typeof after.apiKey !== 'string')
    await removeFromBackups(env, expected.apiKey)
  return saved
}

/** Removes a key from the damaged settings that were set aside. */
async function removeFromBackups(env: Environment, apiKey: string): Promise<void> {
  const folder = configFolder(env)
  const keyText = JSON.stringify(apiKey).slice(1, -1)
  for (const name of await readdir(folder)) {
    if (!/^config\.damaged-.*\.json$/.test(name)) continue
    const file = join(folder, name)
    const text = await readFile(file, 'utf8')
    if (text.includes(keyText))
      await replaceFile(file, text.replaceAll(keyText, '[removed]'), { mode: 0o600 })
  }
}

/** Makes a profile the current one. @throws CallyardError `usage` for an unknown one */
export async function selectProfile(env: Environment, name: string): Promise<Saved> {
  return changeProfiles(env, store => {
    findProfile(store.profiles, name)
    store.current = name
    return {}
  })
}

/** Removes a profile. If it was the current one, no profile is current. @throws CallyardError `usage` for an unknown one */
export async function removeProfile(env: Environment, name: string): Promise<Saved> {
  return changeProfiles(env, store => {
    findProfile(store.profiles, name)
    delete store.profiles[name]
    if (store.current === name) delete store.current
    return {}
  })
}

/** Reads, changes and writes the profiles under a lock. The file is replaced atomically and has mode 0600. */
export async function changeProfiles(
  env: Environment,
  edit: (store: ProfileStore) => ProfileChange,
): Promise<Saved> {
  const file = configFile(env)
  return whileLocked(env, async () => {
    const { store, damage } = await readStore(file)
    const outcome = edit(store)
    const warnings = damage === undefined ? [] : [`${damage}; it is kept as ${await setAside(file)}`]
    await write(file, store)
    return { ...outcome, current: store.current, warnings }
  })
}

/** Replaces the agreement for a project or file. */
export async function saveAgreement(env: Environment, agreement: Agreement): Promise<void> {
  const { agreementFile } = await import('./agreements.ts')
  const file = agreementFile(env, agreement.place)
  await whileLocked(env, async () => {
    await makeFolder(dirname(file), 0o700)
    await write(file, agreement)
  })
}

async function whileLocked<Result>(env: Environment, change: () => Promise<Result>): Promise<Result> {
  const folder = configFolder(env)
  const file = configFile(env)
  try {
    await makeFolder(folder, 0o700)
    await chmod(folder, 0o700)
  } catch (error) {
    throw storeUnusable(folder, 'write', error)
  }
  const release = await lockStore(folder, file)
  try {
    return await change()
  } catch (error) {
    throw error instanceof CallyardError ? error : storeUnusable(file, 'write', error)
  } finally {
    await release()
  }
}

const lockWaitMs = 10_000

/**
 * Locks the file by its path and by its real path, because links in several folders may lead to one file. Returns a function that
 * releases both.
 */
async function lockStore(folder: string, file: string): Promise<() => Promise<void>> {
  const { lockFile } = await import('../../lib/fs/file-lock.ts')
  const inUse = () =>
    new CallyardError('conflict', `another callyard is changing ${file}`, { hint: 'try again' })
  const cannotLock = (error: unknown) => storeUnusable(file, 'write', error)
  const acquire = async (path: string) =>
    (await lockFile(path, { clock: systemClock, inUse, cannotLock, waitMs: lockWaitMs })).release
  // Resolved first, so that two paths of one folder share a lock.
  const name = join(await realPathOf(folder), basename(file))
  const release = await acquire(name)
  const path = await realPathOf(name)
  if (path === name) return release
  const releaseFile = await acquire(path).catch(async error => {
    await release()
    throw error
  })
  return () => releaseFile().finally(release)
}

/** Resolves symbolic links; returns a missing path unchanged. */
function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

/** Renames a damaged file instead of overwriting it, and returns the new name. */
async function setAside(file: string): Promise<string> {
  const { mtimeMs } = await stat(file)
  const time = new Date(mtimeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (let number = 1; ; number += 1) {
    const aside = file.replace(
      /config\.json$/,
      `config.damaged-${time}${number === 1 ? '' : `-${number}`}.json`,
    )
    const existing = await stat(aside).catch(() => undefined)
    if (existing !== undefined) continue
    await rename(file, aside)
    await chmod(aside, 0o600)
    return aside
  }
}

/** Replaces a JSON file with a draft that conf writes. The caller holds the lock. */
async function write(file: string, value: object): Promise<void> {
  const { default: Conf } = await import('conf')
  const path = await realPathOf(file)
  const draft = `${path}.tmp-draft`
  await removeLeftovers(path)
  // A second name of the old file: conf gives the draft the same owner.
  await putIfFree(path, draft).catch(error => {
    if (getErrorCode(error) !== 'ENOENT') throw error
  })
  try {
    const text = JSON.stringify(value, null, '\t')
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(draft),
      configName: basename(draft),
      fileExtension: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: true,
      serialize: () => text,
    })
    conf.store = { ...value }
    // conf calls write once, and a full disk stores a part of the text without an error.
    if ((await readFile(draft, 'utf8')) !== text)
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    await rename(draft, path)
    await syncFolder(dirname(path))
  } finally {
    await rm(draft, { force: true })
  }
}

/** Removes temporary files of killed writes, because they contain keys. */
async function removeLeftovers(path: string): Promise<void> {
  const folder = dirname(path)
  const leftovers = (await readdir(folder)).filter(name => name.startsWith(`${basename(path)}.tmp-`))
  for (const name of leftovers) await rm(join(folder, name), { force: true })
}
