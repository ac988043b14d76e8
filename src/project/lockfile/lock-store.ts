import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import type { Machine } from '../../lib/fs/replace-file.ts'
import { cannotWrite, removeLeftover, replaceLocked } from '../../lib/fs/replace-file.ts'
import type { Address } from '../address.ts'
import { projectError, runOf } from '../errors.ts'
import { lockText } from './lock-text.ts'
import { type Lockfile, lockfileName, type Recorded, recordedOf, type Section } from './lockfile.ts'

/** The section of one target while an apply works on it. */
export interface LockStore {
  /** As it stands now, on disk or on its way there. */
  readonly section: Section
  /** Where it is written; the files beside it are written there too. */
  readonly machine: Machine
  recorded(address: Address): Recorded | undefined
  /** Why it could not be written the last time. */
  readonly failure: unknown
  /**
   * Changes the section at once, and resolves when it is on disk. Steps that come while the file is being written share
   * the next writing.
   * @throws CallwrightError `usage` when it cannot be written, `conflict` when another process wrote it.
   */
  change(edit: (section: Section) => Section): Promise<void>
  /** The same for one resource; undefined takes it out. */
  record(address: Address, edit: EditRecord): Promise<void>
  /**
   * The same for what is about to be sent. It is taken back when it cannot be written: then it is not sent, and no later
   * writing may say that it was.
   */
  intend(address: Address, edit: EditRecord): Promise<void>
}

type EditRecord = (recorded: Recorded | undefined) => Recorded | undefined

interface StoreOptions {
  /** Absolute. */
  readonly path: string
  /** As people see it. */
  readonly name: string
  readonly lockfile: Lockfile
  /** The text that was read; undefined where there is no file. */
  readonly text: string | undefined
  readonly target: string
  /** As it is read, or that of a new target. */
  readonly section: Section
  readonly machine: Machine
}

/** The caller holds the project's lock. Nothing is written before the first change. */
export function openLockStore({
  path,
  name,
  lockfile,
  text,
  target,
  section,
  machine,
}: StoreOptions): LockStore {
  let current = section
  let last = text
  let queued: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()
  let failure: unknown

  async function write(): Promise<void> {
    queued = undefined
    const now = await readFile(path).catch(() => undefined)
    if (now?.toString('utf8') !== last) throw projectError('conflict', 'lockfile-changed', { lockfile: name })
    const next = lockText({ targets: { ...lockfile.targets, [target]: current } })
    if (next === last) return
    await replaceLocked(path, next, { mode: 0o644, machine })
    last = next
  }

  const store: LockStore = {
    machine,
    get section() {
      return current
    },
    get failure() {
      return failure
    },
    recorded: address => recordedOf(current, address),
    change(edit) {
      current = edit(current)
      if (queued === undefined) {
        queued = writing.then(write).catch(error => {
          failure = error
          throw error
        })
        writing = queued.catch(() => undefined)
      }
      return queued
    },
    record: (address, edit) =>
      store.change(before => ({ ...before, resources: withRecord(before.resources, address, edit) })),
    async intend(address, edit) {
      const before = store.recorded(address)
      await store.record(address, edit).catch(error => {
        current = { ...current, resources: withRecord(current.resources, address, () => before) }
        throw error
      })
    },
  }
  return store
}

function withRecord(
  resources: Section['resources'],
  address: Address,
  edit: EditRecord,
): Section['resources'] {
  const { [address]: before, ...others } = resources
  const after = edit(before)
  return after === undefined ? others : { ...others, [address]: after }
}

/**
 * One apply, push or update of a project at a time. Removes what a killed one left half-written.
 * @throws CallwrightError `conflict` when another holds the project, and says who; `usage` when the folder cannot be written.
 */
export async function takeProjectLock(folder: string, clock: Clock): Promise<FileLock> {
  const own = join(folder, '.callwright')
  await mkdir(own, { recursive: true }).catch(error => {
    throw cannotWrite(own, error)
  })
  const lock = await lockFile(join(own, 'project'), {
    clock,
    inUse: holder => projectError('conflict', 'project-locked', { folder, holder: runOf(holder) }),
    cannotLock: error => cannotWrite(own, error),
  })
  await removeLeftover(join(folder, lockfileName)).catch(async error => {
    await lock.release()
    throw error
  })
  return lock
}
