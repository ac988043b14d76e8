import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../lib/clock.ts'
import { codeOf } from '../lib/error.ts'
import { type FileLock, lockFile } from '../lib/fs/file-lock.ts'
import { openStepLog, readSteps, type StepLogOptions, toLines } from '../lib/fs/journal.ts'
import { cannotWrite, removeLeftover, replaceLocked } from '../lib/fs/replace-file.ts'
import {
  type LedgerStep,
  ledgerStepSchema,
  PushLedger,
  type RecordedEntry,
  runOf,
  type Target,
} from '../lockfile/index.ts'
import { faqError, nothingSent } from './errors.ts'

/** Where a file's ledger and its lock are kept. `file` is its real path. */
function placesOf(file: string) {
  const folder = join(dirname(file), '.callwright')
  const stem = join(folder, `${basename(file)}.faq-push`)
  return { folder, log: `${stem}.ndjson`, lock: stem }
}

/** A log with this number of lines more than it needs is written again. */
const maxLines = 100

/**
 * Reads the ledger of a file that belongs to no project, with one line for each step, in `.callwright/` beside it; it is
 * written at the first step. `path` is the real path of the file.
 * @throws CallwrightError `conflict` when its log is damaged, `usage` when it cannot be read.
 */
export async function openLedger(path: string, target: Target, options?: StepLogOptions) {
  const { log } = placesOf(path)
  const known = await readLog(log)
  const own = known.ledgers.get(nameOf(target))?.ledger
  const others = [...known.ledgers].flatMap(([name, each]) => (name === nameOf(target) ? [] : [each]))
  const steps = openStepLog(log, options)
  let lines = known.lines
  function* shortText(): Generator<string> {
    for (const each of [...others, { target, ledger }])
      for (const step of shortened(each.target, each.ledger)) yield toLines([step])
  }
  const replace = () => replaceLocked(log, shortText)
  const ledger = new PushLedger(own?.entries, own?.pending, {
    keptIn: log,
    openElsewhere: others.find(each => each.ledger.pending.length > 0)?.target,
    async append(step) {
      // A line that was cut off must not stand in the middle.
      if (whole !== undefined && !steps.isOpen) await replaceLocked(log, whole)
      await steps.append([{ ...target, ...step }])
      lines += 1
    },
  })
  // Made before the first step: the ledger has a step before its log does.
  const whole = known.isCut ? [...shortText()].join('') : undefined
  return {
    ledger,
    /** Leaves the log as short as what it says. */
    async close() {
      const wasWritten = steps.isOpen
      steps.close()
      const held = others.reduce((sum, each) => sum + each.ledger.entries.size, ledger.entries.size)
      if (wasWritten && lines > maxLines + held / maxEntriesPerLine) await replace()
    },
  }
}

/** The fewest steps that say the same. One for all entries of a large file would be as long as the file. */
function* shortened({ baseUrl, knowledgeBaseId }: Target, { entries, pending }: PushLedger) {
  const line = (step: LedgerStep) => ({ baseUrl, knowledgeBaseId, ...step })
  let part: (readonly [string, RecordedEntry])[] = []
  for (const entry of entries) {
    if (part.push(entry) < maxEntriesPerLine) continue
    yield line({ step: 'pushed', entries: part })
    part = []
  }
  if (part.length > 0) yield line({ step: 'pushed', entries: part })
  if (pending.length > 0) yield line({ step: 'open', entries: pending })
}

const maxEntriesPerLine = 1000

const lineSchema = z.intersection(
  z.object({ baseUrl: z.string(), knowledgeBaseId: z.string() }),
  ledgerStepSchema,
)

async function readLog(path: string) {
  const { steps, isCut } = (await readSteps(path, line => lineSchema.parse(line)).catch(error => {
    if (codeOf(error) !== undefined) throw faqError('usage', 'ledger-unreadable', { path }, error)
    throw faqError('conflict', 'ledger-damaged', { path }, error)
  })) ?? { steps: [], isCut: false }
  const ledgers = new Map<string, { readonly target: Target; readonly ledger: PushLedger }>()
  for (const { baseUrl, knowledgeBaseId, ...step } of steps) {
    const target = { baseUrl, knowledgeBaseId }
    const known = ledgers.get(nameOf(target)) ?? { target, ledger: new PushLedger() }
    ledgers.set(nameOf(target), known)
    known.ledger.apply(step)
  }
  return { ledgers, lines: steps.length, isCut }
}

function nameOf({ baseUrl, knowledgeBaseId }: Target): string {
  return JSON.stringify([baseUrl, knowledgeBaseId])
}

/**
 * One push of a file at a time. Removes what a killed one left half-written.
 * @throws CallwrightError `conflict` when another push holds the lock, `usage` when it cannot be made.
 */
export async function lockFilePush(path: string, file: string, clock: Clock): Promise<FileLock> {
  const { folder, lock: place, log } = placesOf(path)
  await mkdir(folder, { recursive: true }).catch(error => {
    throw nothingSent(cannotWrite(folder, error))
  })
  const lock = await lockFile(place, {
    clock,
    inUse: holder => faqError('conflict', 'push-locked', { file, holder: runOf(holder) }),
    cannotLock: error => nothingSent(cannotWrite(place, error)),
  })
  for (const each of [path, log]) {
    await removeLeftover(each).catch(async error => {
      await lock.release()
      throw nothingSent(error)
    })
  }
  return lock
}
