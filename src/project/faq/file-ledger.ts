import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { type Disk, type LineFile, openLineFile } from '../../lib/fs/line-file.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import {
  cannotWrite,
  type Machine,
  removeLeftover,
  replaceLocked,
  syncFolder,
} from '../../lib/fs/replace-file.ts'
import { nothingSent, projectError, runOf } from '../errors.ts'
import { type LedgerStep, ledgerStepSchema, PushLedger, type Target } from './ledger.ts'

const lineSchema = z.object({ baseUrl: z.string(), knowledgeBaseId: z.string() })

/** The ledger of a file that belongs to no project: one line for each step, in `.callwright/` beside it. */
export interface FileLedger extends PushLedger {
  /** Leaves the log as short as what it says. */
  close(): Promise<void>
}

/** Where a file's ledger and its lock are kept. */
export function ledgerPaths(file: string): { folder: string; log: string; lock: string } {
  const folder = join(dirname(file), '.callwright')
  const stem = join(folder, `${basename(file)}.faq-push`)
  return { folder, log: `${stem}.ndjson`, lock: stem }
}

/** Removes what a killed write left behind. The caller holds the lock. */
export async function removeLeftovers(file: string): Promise<void> {
  for (const path of [file, ledgerPaths(file).log]) {
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

/** Beyond this number of lines a log is written again, with one line for each target. */
const maxLines = 100

/**
 * Reads the ledger; it is written at the first step.
 * @throws CallwrightError `conflict` when its log is damaged, `usage` when it cannot be read.
 */
export async function openLedger(
  file: string,
  target: Target,
  machine: Machine,
  disk?: Disk,
): Promise<FileLedger> {
  const { log } = ledgerPaths(file)
  const { states, lines, torn } = await readLog(log)
  const { entries, pending } = states.get(nameOf(target))?.state ?? new PushLedger()
  const others = [...states].flatMap(([name, each]) => (name === nameOf(target) ? [] : [each]))
  let lineFile: LineFile | undefined
  let count = lines
  const shorten = async () => {
    const short = [...others, { target, state: ledger }].flatMap(each => shortened(each.target, each.state))
    await replaceLocked(log, short.join(''), { mode: 0o600, machine })
  }
  const open = async () => {
    // A line that was cut off must not stand in the middle.
    if (torn) await shorten()
    const opened = openLineFile(log, disk)
    // A file that was made just now, in a folder that may be as new, has no name after a power cut.
    if (opened.size() === 0) for (const each of [dirname(log), dirname(file)]) await syncFolder(each)
    return opened
  }
  const ledger = new PushLedger(entries, pending, {
    keptIn: log,
    openElsewhere: others.find(each => each.state.pending.length > 0)?.target,
    async append(step) {
      try {
        lineFile ??= await open()
        if (!lineFile.exists()) throw new Error('it was removed while it was in use')
        if (lineFile.torn) throw new Error('its last line was cut off')
        await lineFile.appendSynced(Buffer.from(toLine(target, step)))
        count += 1
      } catch (error) {
        throw error instanceof CallwrightError ? error : cannotWrite(log, error)
      }
    },
  })
  return Object.assign(ledger, {
    async close() {
      lineFile?.close()
      if (lineFile !== undefined && count > maxLines) await shorten()
    },
  })
}

function shortened(target: Target, { entries, pending }: PushLedger): string[] {
  return [
    ...(entries.size === 0 ? [] : [toLine(target, { step: 'pushed', entries: [...entries] })]),
    ...(pending.length === 0 ? [] : [toLine(target, { step: 'open', entries: pending })]),
  ]
}

function toLine({ baseUrl, knowledgeBaseId }: Target, step: LedgerStep): string {
  return `${JSON.stringify({ baseUrl, knowledgeBaseId, ...step })}\n`
}

async function readLog(path: string) {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return Buffer.alloc(0)
    throw projectError('usage', 'ledger-unreadable', { path }, error)
  })
  const states = new Map<string, { readonly target: Target; readonly state: PushLedger }>()
  const take = (line: string) => {
    const value: unknown = JSON.parse(line)
    const target = lineSchema.parse(value)
    const known = states.get(nameOf(target)) ?? { target, state: new PushLedger() }
    states.set(nameOf(target), known)
    known.state.apply(ledgerStepSchema.parse(value))
  }
  const lines = bytes.toString('utf8').split('\n')
  const last = lines.pop() ?? ''
  try {
    for (const line of lines) if (line !== '') take(line)
  } catch (error) {
    throw projectError('conflict', 'ledger-damaged', { path }, error)
  }
  return { states, lines: lines.length, torn: last !== '' && !isWhole(last, take) }
}

/** What stands after the last newline was cut off, unless only its newline is missing. */
function isWhole(line: string, take: (line: string) => void): boolean {
  try {
    take(line)
    return true
  } catch {
    return false
  }
}

function nameOf({ baseUrl, knowledgeBaseId }: Target): string {
  return JSON.stringify([baseUrl, knowledgeBaseId])
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
