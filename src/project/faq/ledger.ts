import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import type { Machine } from '../../lib/fs/replace-file.ts'
import { cannotWrite, removeLeftover, replaceLocked } from '../../lib/fs/replace-file.ts'
import { nothingSent, projectError, runOf } from '../errors.ts'

/** Which knowledge base of which service a file is pushed to. */
export interface Target {
  readonly baseUrl: string
  readonly knowledgeBaseId: string
}

const targetShape = { baseUrl: z.string(), knowledgeBaseId: z.string() }

const pushedSchema = z.object({
  version: z.literal(1),
  /** Per target, id → hash of the content that was last pushed. */
  targets: z.array(z.object({ ...targetShape, entries: z.record(z.string(), z.string()) })),
})

/** An entry of a batch on its way. */
export const pendingEntrySchema = z.object({
  /** Where the entry stood when it was sent, to name it after it was changed. */
  line: z.optional(z.int()),
  question: z.string(),
  content: z.string(),
  /** The id that the file has for it already, where that is another target's. */
  key: z.optional(z.string()),
  /** The service's answer, recorded before the file is written. */
  id: z.optional(z.string()),
})
export type PendingEntry = z.infer<typeof pendingEntrySchema>

const pendingSchema = z.object({
  version: z.literal(1),
  ...targetShape,
  entries: z.array(pendingEntrySchema),
})

/** A batch on its way: written before its POST, with the ids after the answer, gone when the file holds them. */
type PendingBatch = Omit<z.infer<typeof pendingSchema>, 'version'>

/** An entry that the target holds: the id in the file, the id there, and the hash of the content that was sent last. */
export interface PushedEntry {
  readonly key: string
  readonly id: string
  readonly hash: string
}

/** Stands for the hash of an entry whose update is on its way: it is unknown which content the target has. */
export const unknownContent = ''

/** What is known of earlier pushes of a file to a target: hashes and ids, never text. */
export interface PushLedger {
  readonly pending: PendingBatch | undefined
  /** Where the batch on its way is kept. */
  readonly pendingFile: string
  /** The id at the target of the entry that has this id in the file; undefined when the target has no such entry. */
  idOf(key: string): string | undefined
  /** The hash of the content that was last pushed to the target, by the id in the file. */
  pushed(key: string): string | undefined
  /** Whether an entry of the target is known by this id of the target. */
  holds(id: string): boolean
  /** Everything that the target is known to hold. */
  recorded(): readonly PushedEntry[]
  /** Adds what was pushed, durably. */
  record(pushed: readonly PushedEntry[]): Promise<void>
  savePending(entries: readonly PendingEntry[]): Promise<void>
  clearPending(): Promise<void>
}

/** Where a file's ledger, its batch on the way, and its lock are kept. */
export function ledgerPaths(file: string): { folder: string; pushed: string; pending: string; lock: string } {
  const folder = join(dirname(file), '.callwright')
  const stem = join(folder, `${basename(file)}.faq-push`)
  return { folder, pushed: `${stem}.json`, pending: `${stem}.pending.json`, lock: stem }
}

/** Removes what a killed write left behind. The caller holds the lock. */
export async function removeLeftovers(file: string): Promise<void> {
  const { pushed, pending } = ledgerPaths(file)
  for (const path of [file, pushed, pending]) {
    await removeLeftover(path).catch(error => {
      throw error instanceof CallwrightError ? nothingSent(error) : error
    })
  }
}

export async function makeLedgerFolder(file: string): Promise<void> {
  const { folder } = ledgerPaths(file)
  await mkdir(folder, { recursive: true }).catch(error => {
    throw nothingSent(cannotWrite(folder, error))
  })
}

/**
 * The ledger of a file that belongs to no project, kept in `.callwright/` beside it. Reads only; writes when it is told to.
 * @throws CallwrightError `conflict` when a kept file is damaged, `usage` when it cannot be read.
 */
export async function openLedger(file: string, target: Target, machine: Machine): Promise<PushLedger> {
  const paths = ledgerPaths(file)
  const kept = await readKept(paths.pushed, pushedSchema, 'pushed')
  const pending = await readKept(paths.pending, pendingSchema, 'pending')
  const others = (kept?.targets ?? []).filter(each => !isSameTarget(each, target))
  const hashes = new Map(
    Object.entries(kept?.targets.find(each => isSameTarget(each, target))?.entries ?? {}),
  )
  return {
    pending,
    pendingFile: paths.pending,
    idOf: key => key,
    pushed: key => hashes.get(key),
    holds: id => hashes.has(id),
    recorded: () => [...hashes].map(([key, hash]) => ({ key, id: key, hash })),
    async record(pushed) {
      if (pushed.length === 0) return
      for (const { key, hash } of pushed) hashes.set(key, hash)
      const targets = [...others, { ...target, entries: Object.fromEntries(hashes) }]
      await save(paths.pushed, { version: 1, targets }, machine)
    },
    savePending: entries => save(paths.pending, { version: 1, ...target, entries }, machine),
    async clearPending() {
      await rm(paths.pending, { force: true }).catch(error => {
        throw cannotWrite(paths.pending, error)
      })
    },
  }
}

export function isSameTarget(one: Target, other: Target): boolean {
  return one.baseUrl === other.baseUrl && one.knowledgeBaseId === other.knowledgeBaseId
}

async function readKept<Kept>(
  path: string,
  schema: z.ZodMiniType<Kept>,
  what: 'pushed' | 'pending',
): Promise<Kept | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw projectError('usage', 'ledger-unreadable', { path }, error)
  })
  if (bytes === undefined) return undefined
  try {
    return schema.parse(JSON.parse(bytes.toString('utf8')))
  } catch (error) {
    throw projectError('conflict', 'ledger-damaged', { path, what }, error)
  }
}

async function save(path: string, value: unknown, machine: Machine): Promise<void> {
  await replaceLocked(path, `${JSON.stringify(value)}\n`, { mode: 0o600, machine })
}

/**
 * One push of a file at a time.
 * @throws CallwrightError `conflict` when another push holds the lock, `usage` when it cannot be made.
 */
export function lockPush(path: string, file: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: holder => projectError('conflict', 'push-locked', { file, holder: runOf(holder) }),
    cannotLock: error => nothingSent(cannotWrite(path, error)),
  })
}
