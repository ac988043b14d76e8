import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileLock } from '../../lib/fs/file-lock.ts'
import { sandboxTeam } from '../../service/api/index.ts'
import {
  journalPath,
  lockfileLocation,
  openLockStore,
  readLockfile,
  readVersions,
  replayJournal,
  takeProjectLock,
} from '../lockfile/index.ts'
import {
  assertNewest,
  compareVersions,
  openHistory,
  rememberApplies,
  type Witnesses,
} from './apply-history.ts'
import { type ProjectDeps, readTarget, type TargetOptions } from './read-target.ts'

/**
 * Opens the target of a command to compare its section with files, or to change it. Writes nothing.
 * @throws CallyardError `conflict` for a lockfile that is an older version, and those of readTarget
 */
export async function openTarget(
  folder: string,
  options: TargetOptions,
  deps: ProjectDeps,
  { witnesses, lock }: { readonly witnesses: Witnesses; readonly lock?: FileLock | undefined },
) {
  const { lockfile, text, journal, path, name, target, section } = await readTarget(
    folder,
    options,
    deps,
    'all',
  )
  const isMissing = section !== lockfile.targets[target.name]
  const own = readVersions(text ?? '')
  const lockHistory = await openHistory(folder, { text: text ?? '', own }, witnesses, deps)
  const { baseUrl } = target
  const at = { target: target.name, baseUrl, section: isMissing ? undefined : section }
  const team = async () => (baseUrl === undefined ? undefined : sandboxTeam(baseUrl, deps))
  // A new target has no earlier versions.
  const versions = isMissing && target.isNew ? [] : await lockHistory.read({ ...at, team })
  const hash = own.find(version => version.target === target.name)?.hash
  const history = compareVersions(section, journal === undefined ? hash : undefined, versions)
  if (history.newer !== undefined) {
    // A run that is at work may have written the lockfile since.
    const now = await readLockfile(path, name)
    if (now.text !== text || now.journal !== journal)
      return openTarget(folder, options, deps, { witnesses, lock })
  }
  if (options.resend !== true) assertNewest(history, { lockfile: name, target: target.name, isMissing })
  const remember = rememberApplies(folder, deps, witnesses)
  const store = openLockStore({
    ...{ path, name, lockfile, text, target: target.name, section, lock, remember },
    serial: history.highest + 1,
    // The lockfile of a file outside of a project is not shared, so others need not read it.
    ...(witnesses === 'none' ? { isWrittenAtEnd: true, mode: 0o600 } : {}),
  })
  return {
    target,
    /** Versions of the section that this machine and git know. */
    history,
    /** Equal for equal witnesses. */
    witnessed: lockHistory.inputs,
    /** Section as read; `store` has the current one. */
    section,
    lockfile,
    /** Text of the lockfile without its journal; undefined if there is none. */
    text,
    /** The path of the journal of a run that is at work, or was killed, and did more than the lockfile says. */
    journal,
    /** The lockfile, as people see its name. */
    name,
    store,
  }
}

/** A target, and what the lockfile has of it. */
export type OpenTarget = Awaited<ReturnType<typeof openTarget>>

/** @throws CallyardError `conflict` if the lockfile of the current project is not the last version */
export async function assertLastLockfile(options: TargetOptions, deps: ProjectDeps): Promise<void> {
  const { project } = await deps.settings()
  if (project !== undefined)
    await openTarget(dirname(project.file), options, deps, { witnesses: 'machine and git' })
}

/** The same with the project's lock: this process alone works on it. @throws CallyardError `conflict` when another run has it. */
export async function lockTarget(
  folder: string,
  options: TargetOptions,
  deps: ProjectDeps,
  witnesses: Witnesses = 'machine and git',
) {
  const lock = await takeProjectLock(folder, deps.clock)
  try {
    const { path, name } = lockfileLocation(folder, deps)
    if (existsSync(journalPath(path)))
      await replayJournal(path, name, rememberApplies(folder, deps, witnesses))
    const openedTarget = await openTarget(folder, options, deps, { witnesses, lock })
    /** Writes the lockfile, and lets others work on the project. @throws CallyardError when it cannot be written */
    const close = () => openedTarget.store.close().finally(lock.release)
    return { ...openedTarget, lock, close }
  } catch (error) {
    await lock.release()
    throw error
  }
}

export type LockedTarget = Awaited<ReturnType<typeof lockTarget>>
