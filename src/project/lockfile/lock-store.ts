import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Address } from '../../files/formats/address.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { type FileLock, openLocked } from '../../lib/fs/file-lock.ts'
import type { Disk } from '../../lib/fs/line-file.ts'
import { openLog, toLines } from '../../lib/fs/log.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { watchFile } from '../../lib/fs/read-file.ts'
import { cannotWrite, removeLeftover, replaceLocked, syncFolder } from '../../lib/fs/replace-file.ts'
import { hashContent } from '../../lib/hash.ts'
import { userAtHost } from '../../lib/process/machine.ts'
import { type OtherRun, processOf, runOf } from './errors.ts'
import { type JournalLine, journalPath, nameOfText, readJournal, readLockfile } from './journal.ts'
import { loadLockText } from './lazy-lock-text.ts'
import type { LockText } from './lock-text.ts'
import { idsOf, type LockVersion, readVersions } from './lock-versions.ts'
import {
  emptyLockfile,
  journalText,
  type Lockfile,
  lockfileName,
  type Section,
  type Stamp,
} from './lockfile.ts'
import { type Patch, TargetState } from './target-state.ts'

interface StoreOptions {
  readonly lockfile: Lockfile
  /** Text of the lockfile without its journal; undefined if there is none. */
  readonly text?: string | undefined
  /** Absolute. */
  readonly path: string
  /** Display name. */
  readonly name: string
  readonly target: string
  /** Section as read, or a new one. */
  readonly section: Section
  readonly disk?: Disk | undefined
  /** Lock of the project; nothing is written without it. */
  readonly lock?: { isHeld(): boolean } | undefined
  /** Serial of the section once it is changed. */
  readonly serial?: number | undefined
  readonly remember?: RememberVersion | undefined
  /** True to write the lockfile only at the beginning and the end, which takes less memory; the journal has the rest. */
  readonly isWrittenAtEnd?: boolean | undefined
  /** Permissions of a new lockfile. */
  readonly mode?: number | undefined
}

/** Keeps the last version of a section outside of the project. */
type RememberVersion = (version: LockVersion) => Promise<void>

/** After this number of lines the lockfile is written for the first time, then each time that their number has doubled. */
const firstWriting = 64

/**
 * The section of one target during an apply. Each change is written to a journal next to the lockfile; the lockfile itself follows at
 * growing intervals and at the end. The caller holds the project's lock. Nothing is written before the first change.
 */
export function openLockStore(options: StoreOptions) {
  const { path, name, lockfile, target, disk, lock, remember = async () => {} } = options
  let state = new TargetState(lockfile, target, options.section)
  let last = options.text
  let watch = watchFile(path, last === undefined ? undefined : hashContent(last))
  /** Section that the lockfile lacks before any change: a new target, or one that replaces another. */
  let missingSection = lockfile.targets[target] === options.section ? undefined : options.section
  const journal = openLog(journalPath(path), { disk, lock })
  /** Lines of the lockfile about the journal; undefined before one exists. */
  let mark: string | undefined
  let isClosing = false
  /** This run in the section; undefined before its first change. */
  let stamp: (Stamp & { readonly serial: number }) | undefined
  /** Lines that are not on disk, in the order of the changes: one that cannot be written waits for the next writing. */
  let waiting: JournalLine[] = []
  let isDue = false
  let lines = 0
  let nextWriting = firstWriting
  let queued: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()
  let failure: unknown

  async function write(): Promise<void> {
    const lockText = await loadLockText()
    queued = undefined
    // Another change may ask for the lockfile while this one is written: that is due after it.
    const batch = { waiting, isDue }
    waiting = []
    isDue = false
    const requeue = () => {
      waiting = [...batch.waiting, ...waiting]
      isDue ||= batch.isDue
    }
    const journalLines = batch.waiting
    const isWriting =
      batch.isDue || (options.isWrittenAtEnd !== true && lines + journalLines.length >= nextWriting)
    // What the lockfile gets is what the journal says with these lines: more changes may come while they are written.
    const text = isWriting ? textNow(lockText) : undefined
    try {
      if (!(await watch.isUntouched())) throw lockfileChanged(name)
      if (journalLines.length > 0) await appendLines(journalLines)
      lines += journalLines.length
      if (isWriting) nextWriting = Math.max(firstWriting, lines * 2)
    } catch (error) {
      requeue()
      throw error
    }
    if (text === undefined || text === last) return
    await replaceText(text).catch(error => {
      // The journal has it all: nothing fails by this but what asked for the lockfile.
      if (!batch.isDue) return
      requeue()
      throw error
    })
  }

  function stampNow() {
    stamp ??= {
      serial: options.serial ?? (options.section.serial ?? 0) + 1,
      applied: new Date(systemClock.now()).toISOString(),
      by: userAtHost(),
    }
    state.stamp(stamp)
    return stamp
  }

  function textNow(lockText: LockText): string {
    return (
      lockText({ targets: { ...lockfile.targets, [target]: state.toWritten() } }) +
      (isClosing ? '' : (mark ?? ''))
    )
  }

  async function appendLines(journalLines: readonly JournalLine[]): Promise<void> {
    if (mark === undefined) {
      const run = stampNow()
      const openJournal = { target, begun: run.applied ?? '' }
      if (journal.size() === 0)
        await appendDurably([{ base: nameOfText(last), target, section: missingSection, stamp: run }])
      // Before anything is sent: a journal that is lost with its folder is missed then.
      await putInPlace((last ?? emptyLockfile) + journalText(openJournal))
      const { baseUrl, teamId, salt, resources } = options.section
      await remember({ target, baseUrl, teamId, salt, ...run, ids: idsOf(resources) })
      mark = journalText(openJournal)
    }
    await appendDurably(journalLines)
  }

  async function appendDurably(journalLines: readonly JournalLine[]): Promise<void> {
    await journal.append(toLines(journalLines)).catch(error => {
      throw cannotWrite(journalPath(path), error)
    })
  }

  async function replaceText(text: string): Promise<void> {
    if (journal.isOpen) await appendLines([{ base: nameOfText(text), target }])
    await putInPlace(text)
    missingSection = undefined
  }

  async function putInPlace(text: string): Promise<void> {
    await replaceLocked(path, text, options.mode)
    last = text
    watch = watchFile(path, hashContent(text))
  }

  function enqueue(): Promise<void> {
    if (queued === undefined) {
      queued = writing.then(write).catch(error => {
        failure = error
        throw error
      })
      writing = queued.catch(() => undefined)
    }
    return queued
  }

  const apply = (...[address, patch, teamId]: Parameters<TargetState['patch']>) => {
    state.patch(address, patch, teamId)
    waiting.push({ address, patch, teamId })
  }

  /**
   * Changes one resource at once, and resolves when that is on disk; null takes it out. Changes that come while the disk is busy share the
   * next writing. `teamId` is that of the response; the first one is kept.
   * @throws CallyardError `usage` when it cannot be written, `conflict` when another process wrote the lockfile.
   */
  function patch(...change: Parameters<TargetState['patch']>): Promise<void> {
    apply(...change)
    return enqueue()
  }

  return {
    /** Current state, written or being written. */
    get state() {
      return state
    },
    /** Why it could not be written the last time. */
    get failure() {
      return failure
    },
    patch,
    /** Changes the section as a whole, and writes the lockfile. Throws as `patch` does. */
    async change(section: Section) {
      state = new TargetState(lockfile, target, section)
      stampNow()
      isDue = true
      await enqueue()
      await rememberWritten(last ?? '', [target], remember)
    },
    /**
     * Like `patch`, for a request that is about to be sent. Returns a function that reverts it by `inverse`. If it cannot be written it is
     * reverted, so that the request is not sent and no later write records it as sent.
     */
    async intend(address: Address, change: Patch, inverse: Patch | null) {
      await patch(address, change).catch(error => {
        apply(address, inverse)
        throw error
      })
      return () => patch(address, inverse)
    },
    /** Writes the lockfile, and removes the journal. Throws as `patch` does: the journal stays then, for the next run. */
    async close() {
      if (!journal.isOpen && waiting.length === 0) return
      isDue = true
      isClosing = true
      await enqueue()
      // First: a plan that finds no journal compares the lockfile with what is remembered.
      await rememberWritten(last ?? '', [target], remember)
      if (journal.exists()) await removeJournal(journalPath(path))
      await journal.close()
    },
  }
}

/** Works on a target and closes it. What the work throws matters more than what closing throws. */
export async function withTarget<Result>(
  { close }: { close(): Promise<void> },
  work: () => Promise<Result>,
): Promise<Result> {
  const result = await work().catch(async error => {
    await close().catch(() => {})
    throw error
  })
  await close()
  return result
}

export type LockStore = ReturnType<typeof openLockStore>

/**
 * Locks a project for one apply, push or update. Cleans up after a killed one.
 * @throws CallyardError `conflict` with the holder if the project is locked; `usage` if the folder is not writable.
 */
export async function takeProjectLock(folder: string, clock: Clock): Promise<FileLock> {
  const own = join(folder, '.callyard')
  await makeFolder(own).catch(error => {
    throw cannotWrite(own, error)
  })
  const inUse = (holder: OtherRun | undefined) => projectLocked(folder, runOf(holder))
  const cannotLock = (error: unknown) => cannotWrite(own, error)
  return openLocked(join(own, 'project'), { clock, inUse, cannotLock }, async lock => {
    await removeLeftover(join(folder, lockfileName))
    return lock
  })
}

/**
 * Writes the journal of a killed run into the lockfile and removes it; returns true if there was one. The caller holds the lock. @throws
 * CallyardError `conflict` if the lockfile was changed since, `usage` if it cannot be written
 */
export async function replayJournal(
  path: string,
  name: string,
  remember?: RememberVersion,
): Promise<boolean> {
  const { lockfile, text: before, journal } = await readLockfile(path, name)
  if (journal === undefined) return false
  const text = (await loadLockText())(lockfile)
  try {
    if (text !== before && (before !== undefined || Object.keys(lockfile.targets).length > 0)) {
      // Killed from here on, the next run finds either lockfile to be this journal's.
      const lines = (await readJournal(journal)) ?? []
      const targets = lines.flatMap(line => ('base' in line ? line.target : []))
      const written = targets.slice(0, 1).map(target => ({ base: nameOfText(text), target }))
      await replaceLocked(journal, toLines([...lines, ...written]))
      await replaceLocked(path, text)
      if (remember !== undefined) await rememberWritten(text, targets, remember)
    }
    await removeJournal(journal)
    return true
  } catch (error) {
    throw error instanceof CallyardError ? error : cannotWrite(journal, error)
  }
}

async function rememberWritten(
  text: string,
  targets: readonly string[],
  remember: RememberVersion,
): Promise<void> {
  for (const version of readVersions(text)) if (targets.includes(version.target)) await remember(version)
}

/** For good: one that came back after a power cut would be of a lockfile that has changed since. */
async function removeJournal(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}

const lockfileChanged = (lockfile: string) =>
  new CallyardError('conflict', `${lockfile} was changed by another process while it was in use`, {
    ...{ code: 'lockfile-changed', hint: 'it was left unchanged; run again' },
    details: { lockfile },
  })

const projectLocked = (folder: string, holder: OtherRun | undefined) =>
  new CallyardError('conflict', `another callyard${processOf(holder)} is using ${folder}; nothing was sent`, {
    ...{ code: 'project-locked', hint: 'wait until it has finished, then run again' },
    details: { folder, holder },
  })
