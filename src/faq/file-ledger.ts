import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { type Address, toAddress } from '../interface/address.ts'
import type { Clock } from '../lib/clock.ts'
import { CallyardError, getErrorCode } from '../lib/error.ts'
import { type FileLock, lockFile } from '../lib/fs/file-lock.ts'
import { type JournalOptions, readSteps } from '../lib/fs/journal.ts'
import { makeFolder } from '../lib/fs/make-folder.ts'
import { readFile } from '../lib/fs/read-file.ts'
import { cannotWrite, removeLeftover, replaceLocked, syncFolder } from '../lib/fs/replace-file.ts'
import {
  findRecorded,
  getFileMode,
  kbLedger,
  type Lockfile,
  ledgerStepSchema,
  loadLockText,
  newSalt,
  openLockStore,
  PushLedger,
  readLockfile,
  replayJournal,
  runOf,
  type Section,
  type Target,
} from '../lockfile/index.ts'
import { faqError, nothingSent } from './errors.ts'

/** Paths of a file's lockfile, of the log that earlier versions kept instead, and of the lock. `file` is its real path. */
function placesOf(file: string) {
  const folder = join(dirname(file), '.callyard')
  const name = basename(file)
  const lock = join(folder, `${name}.faq-push`)
  return { folder, lockfile: join(folder, `${name}.lock.yaml`), log: `${lock}.ndjson`, lock }
}

interface LedgerOptions extends JournalOptions {
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
  const { lockfile: place, log } = placesOf(path)
  const name = basename(place)
  const address = toAddress('kb', basename(path))
  const read = () => readLockfile(place, name).catch(error => throwUnreadable(place, error))
  let { lockfile, text, journal } = await read()
  if (journal !== undefined && !isPreview) {
    await replayJournal(place, name)
    ;({ lockfile, text } = await read())
  }
  const logged = await readLog(log)
  if (logged !== undefined) lockfile = withLog(lockfile, logged, address)
  if (logged !== undefined && !isPreview) {
    text = (await loadLockText())(lockfile, place)
    await replaceLocked(place, text, getFileMode(place))
    // Killed before this, the next push reads the same log into the lockfile again.
    await rm(log, { force: true })
    await syncFolder(dirname(log))
  }
  const own = nameOf(target)
  const section = lockfile.targets[own] ?? newSection(target)
  const store = openLockStore({ path: place, name, lockfile, text, target: own, section, disk, lock })
  const ledger = kbLedger(store, address, {
    snapshot: { body: { knowledgeBaseId: target.knowledgeBaseId } },
    isElsewhere: () => false,
    texts: undefined,
    keptIn: place,
    openElsewhere: openTarget(lockfile, address, own),
  })
  return { ledger, close: store.close }
}

/** Name of the section of a target: a file may go to several knowledge bases of one service. */
function nameOf({ baseUrl, knowledgeBaseId }: Target): string {
  return `${knowledgeBaseId} at ${baseUrl}`
}

function newSection({ baseUrl }: Target): Section {
  return { baseUrl, salt: newSalt(), resources: {} }
}

/** Another target for which entries are pending. */
function openTarget({ targets }: Lockfile, address: Address, own: string): Target | undefined {
  for (const [name, section] of Object.entries(targets)) {
    const recorded = findRecorded(section, address)
    if (name !== own && recorded?.pending !== undefined)
      return { baseUrl: section.baseUrl, knowledgeBaseId: String(recorded.body.knowledgeBaseId) }
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
    throw faqError('usage', 'ledger-unreadable', { path }, cause)
  throw faqError('conflict', 'ledger-damaged', { path }, error)
}

const loggedStepSchema = z.intersection(
  z.object({ baseUrl: z.string(), knowledgeBaseId: z.string() }),
  ledgerStepSchema(),
)

/** Reads the log of an earlier version; undefined if there is none. */
async function readLog(path: string) {
  const read = await readSteps(path, line => loggedStepSchema.parse(line)).catch(error => {
    if (getErrorCode(error) !== undefined) throw faqError('usage', 'ledger-unreadable', { path }, error)
    throw faqError('conflict', 'ledger-damaged', { path }, error)
  })
  if (read === undefined) return undefined
  const ledgers = new Map<string, { readonly target: Target; readonly ledger: PushLedger }>()
  for (const { baseUrl, knowledgeBaseId, ...step } of read) {
    const target = { baseUrl, knowledgeBaseId }
    const known = ledgers.get(nameOf(target)) ?? { target, ledger: new PushLedger() }
    ledgers.set(nameOf(target), known)
    known.ledger.apply(step)
  }
  return [...ledgers.values()]
}

/** Adds what a log says to a lockfile. That may have it already, from a migration that was killed. */
function withLog(
  { targets }: Lockfile,
  logged: NonNullable<Awaited<ReturnType<typeof readLog>>>,
  address: Address,
): Lockfile {
  const merged = logged.map(({ target, ledger: { entries, pending } }) => {
    const section = targets[nameOf(target)] ?? newSection(target)
    const known = findRecorded(section, address)
    const logged = new Set(pending.map(({ content }) => content))
    const all = [...(known?.pending ?? []).filter(({ content }) => !logged.has(content)), ...pending]
    const recorded = {
      body: { knowledgeBaseId: target.knowledgeBaseId },
      entries: { ...known?.entries, ...Object.fromEntries(entries) },
      ...(all.length === 0 ? {} : { pending: all }),
    }
    return [nameOf(target), { ...section, resources: { [address]: recorded } }] as const
  })
  return { targets: { ...targets, ...Object.fromEntries(merged) } }
}

/**
 * Locks a file for one push. Cleans up after a killed one.
 * @throws CallyardError `conflict` if another push holds the lock, `usage` if the lock cannot be created.
 */
export async function lockFilePush(path: string, file: string, clock: Clock): Promise<FileLock> {
  const { folder, lock: place, lockfile } = placesOf(path)
  await makeFolder(folder).catch(error => {
    throw nothingSent(cannotWrite(folder, error))
  })
  const lock = await lockFile(place, {
    clock,
    inUse: holder => faqError('conflict', 'push-locked', { file, holder: runOf(holder) }),
    cannotLock: error => nothingSent(cannotWrite(place, error)),
  })
  for (const each of [path, lockfile]) {
    await removeLeftover(each).catch(async error => {
      await lock.release()
      throw nothingSent(error)
    })
  }
  return lock
}
