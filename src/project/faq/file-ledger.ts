import { basename, dirname, join } from 'node:path'
import { type Address, toAddress } from '../../files/formats/address.ts'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { type FileLock, openLocked } from '../../lib/fs/file-lock.ts'
import type { LogOptions } from '../../lib/fs/log.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import { cannotWrite, removeLeftover } from '../../lib/fs/replace-file.ts'
import { kbLedger, type Target } from '../lockfile/entries/index.ts'
import {
  findState,
  type Lockfile,
  newSalt,
  openLockStore,
  processOf,
  readLockfile,
  replayJournal,
  runOf,
} from '../lockfile/index.ts'
import { nothingSent } from './errors.ts'

/** Paths of a file's lockfile and of the lock of a push. `file` is its real path. */
function pathsOf(file: string) {
  const folder = join(dirname(file), '.callyard')
  const name = basename(file)
  return { folder, lockfile: join(folder, `${name}.lock.yaml`), lock: join(folder, `${name}.faq-push`) }
}

interface LedgerOptions extends LogOptions {
  /** Nothing is written, not even what a killed push left in its journal. */
  readonly isPreview?: boolean
}

/**
 * Opens the ledger of a file outside a project: its own lockfile in `.callyard/` next to it, with a section per target, written at the
 * first step. `path` is the real path of the file.
 * @throws CallyardError `conflict` if the lockfile is damaged, `usage` if it cannot be read or written
 */
export async function openLedger(
  path: string,
  target: Target,
  { isPreview = false, disk, lock }: LedgerOptions = {},
) {
  const { lockfile: lockfilePath } = pathsOf(path)
  const name = basename(lockfilePath)
  const address = toAddress('kb', basename(path))
  const read = () => readLockfile(lockfilePath, name).catch(error => throwUnreadable(lockfilePath, error))
  let { lockfile, text, journal } = await read()
  if (journal !== undefined && !isPreview) {
    await replayJournal(lockfilePath, name)
    ;({ lockfile, text } = await read())
  }
  const own = nameOf(target)
  const section = lockfile.targets[own] ?? { baseUrl: target.baseUrl, salt: newSalt(), resources: {} }
  const store = openLockStore({ path: lockfilePath, name, lockfile, text, target: own, section, disk, lock })
  const ledger = kbLedger(store, address, {
    snapshot: { body: { knowledgeBaseId: target.knowledgeBaseId } },
    isOwnedByOtherTarget: () => false,
    texts: undefined,
    keptIn: lockfilePath,
    openElsewhere: openTarget(lockfile, address, own),
  })
  return { ledger, close: store.close }
}

/** Name of the section of a target: a file may go to several knowledge bases of one service. */
function nameOf({ baseUrl, knowledgeBaseId }: Target): string {
  return `${knowledgeBaseId} at ${baseUrl}`
}

/** Another target for which entries are pending. */
function openTarget({ targets }: Lockfile, address: Address, own: string): Target | undefined {
  for (const [name, section] of Object.entries(targets)) {
    const lastState = findState(section, address)
    if (name !== own && lastState?.pending !== undefined)
      return { baseUrl: section.baseUrl, knowledgeBaseId: String(lastState.body.knowledgeBaseId) }
  }
  return undefined
}

async function throwUnreadable(path: string, error: unknown): Promise<never> {
  if (!(error instanceof CallyardError) || error.kind !== 'conflict') throw error
  const cause = await readFile(path).then(
    () => undefined,
    (failure: unknown) => failure,
  )
  if (cause !== undefined && getErrorCode(cause) !== 'ENOENT')
    throw new CallyardError('usage', `cannot read ${path}: ${getErrorReason(cause)}\nnothing was sent`, {
      ...{ code: 'ledger-unreadable', hint: 'check the permissions of the file and its folder' },
      ...{ details: { path }, cause },
    })
  throw ledgerDamaged(path, error)
}

/**
 * Locks a file for one push. Cleans up after a killed one.
 * @throws CallyardError `conflict` if another push holds the lock, `usage` if the lock cannot be created.
 */
export async function lockFilePush(path: string, file: string, clock: Clock): Promise<FileLock> {
  const { folder, lock: lockPath, lockfile } = pathsOf(path)
  await makeFolder(folder).catch(error => {
    throw nothingSent(cannotWrite(folder, error))
  })
  const cannotLock = (error: unknown) => nothingSent(cannotWrite(lockPath, error))
  return openLocked(
    lockPath,
    { clock, inUse: holder => pushLocked(file, processOf(holder), runOf(holder)), cannotLock },
    async lock => {
      for (const changedPath of [path, lockfile])
        await removeLeftover(changedPath).catch(error => {
          throw nothingSent(error)
        })
      return lock
    },
  )
}

const ledgerDamaged = (path: string, cause: CallyardError) =>
  new CallyardError('conflict', `${path} is damaged or was written by another version; nothing was sent`, {
    code: 'ledger-damaged',
    hint: 'restore it; or delete it if every sent entry has its id in the file: entries with an id are updated again, others are inserted',
    ...{ details: { path }, cause },
  })

const pushLocked = (file: string, process: string, holder: object | undefined) =>
  new CallyardError('conflict', `another push${process} of ${file} is running`, {
    ...{ code: 'push-locked', hint: 'wait until it has finished, then run again' },
    details: { file, holder },
  })
