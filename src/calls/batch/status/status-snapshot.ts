import { join } from 'node:path'
import * as z from 'zod/mini'
import { personStatuses } from '../../../files/formats/batch.ts'
import { getErrorCode } from '../../../lib/error.ts'
import { openFile, readFile } from '../../../lib/fs/read-file.ts'
import { replaceFile } from '../../../lib/fs/replace-file.ts'
import { hashContent } from '../../../lib/hash.ts'
import { batchJournalPath } from '../batch-journal.ts'
import type { UncalledRow } from '../contacts.ts'
import type { JournalIndex } from '../journal-index.ts'
import { rulesOf, statusOf } from '../next-call.ts'
import type { OpenBatch } from '../open-batch.ts'
import type { BatchPlan } from '../plan.ts'
import { identityOf } from '../refusals.ts'
import type { BatchState } from '../state.ts'
import { type ChangedPerson, reportStatus, type StatusReport, statusReportSchema } from './status-report.ts'

const headerSchema = z.object({
  version: z.literal(1),
  /** See OpenBatch. */
  inputs: z.string(),
  ownNumbers: z.array(z.string()),
  /** Bytes of the journal that the report is about, and the hash of the last ones. */
  journal: z.object({ size: z.number(), hash: z.string() }),
  /** Offsets of the journal's steps about the batch itself. */
  general: z.array(z.number()),
  report: statusReportSchema,
})

/** Index in the lists, id, numbers, keys of the attempts, status, offsets of the steps in the journal. */
const personSchema = z.tuple([
  z.number(),
  z.string(),
  z.array(z.string()),
  z.array(z.string()),
  z.enum(personStatuses),
  z.array(z.number()),
])

interface SnapshotPerson extends ChangedPerson {
  readonly attempts: readonly string[]
  /** Offsets of the steps in the journal. */
  readonly offsets: readonly number[]
}

export interface StatusSnapshot extends z.infer<typeof headerSchema> {
  /** Returns the people with one of these keys: ids, numbers, and attempts. */
  findPeople(keys: ReadonlySet<string>): readonly SnapshotPerson[]
}

const snapshotName = 'status.ndjson'

/**
 * Reads the snapshot of a batch: its report as of an offset of the journal, and what is needed to update that for some people. Returns
 * undefined if there is none, or a damaged one.
 */
export async function readStatusSnapshot(folder: string): Promise<StatusSnapshot | undefined> {
  const text = await readFile(join(folder, snapshotName)).catch(emptyIfUnreadable)
  const [checksumEnd, headerEnd] = [text.indexOf(lineEnd), text.indexOf(lineEnd, checksumLength + 1)]
  const content = text.subarray(checksumEnd + 1)
  if (text.toString('latin1', 0, checksumEnd) !== hashContent(content)) return undefined
  const parsed = headerSchema.safeParse(JSON.parse(text.toString('utf8', checksumEnd + 1, headerEnd)))
  if (!parsed.success) return undefined
  return {
    ...parsed.data,
    findPeople: keys => findPeople(text.toString('utf8', headerEnd + 1), keys),
  }
}

/** Bytes of a hash in base64url. */
const checksumLength = 43
const lineEnd = 10

function findPeople(text: string, keys: ReadonlySet<string>): SnapshotPerson[] {
  const tokens = new Set([...keys].map(key => JSON.stringify(key)))
  const lines = new Set<number>()
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"/g))
    if (tokens.has(token)) lines.add(text.lastIndexOf('\n', index) + 1)
  return [...lines].map(start => {
    const [index, id, numbers, attempts, status, offsets] = personSchema.parse(
      JSON.parse(text.slice(start, text.indexOf('\n', start))),
    )
    return { index, id, numbers, attempts, status, offsets }
  })
}

function emptyIfUnreadable(error: unknown): Buffer {
  if (getErrorCode(error) === undefined) throw error
  return Buffer.alloc(0)
}

interface SnapshotParts {
  readonly opened: OpenBatch
  readonly planned: BatchPlan
  readonly report: StatusReport
  readonly journal: {
    readonly state: BatchState
    readonly index: JournalIndex
    readonly size: number
  }
}

/** Bytes of new steps after which a run writes a snapshot; a larger list is written less often. */
const minNewBytes = 4 * 1024 * 1024
const newBytesPerPerson = 40

/** Writes snapshots of a batch while it runs, so that its status never has many steps to read. */
export function keepStatusSnapshot({ opened, planned, journal }: Omit<SnapshotParts, 'report'>) {
  const newBytes = Math.max(minNewBytes, newBytesPerPerson * planned.people.length)
  let writtenSize = journal.size
  let writing = Promise.resolve()
  const write = () => {
    writtenSize = journal.size
    const report = reportStatus(planned.people, planned.skipped, journal.state, rulesOf(opened.batch))
    return writeStatusSnapshot({ opened, planned, report, journal })
  }
  return {
    /** The state has changed. */
    update(): void {
      if (journal.size - writtenSize >= newBytes) writing = write()
    },
    async finish(): Promise<void> {
      await writing
      await write()
    },
  }
}

/**
 * Writes a snapshot of a batch. It only saves time, so a file that cannot be written is not an error, and nothing is written where
 * people cannot be told apart by their ids and numbers.
 */
export async function writeStatusSnapshot(parts: SnapshotParts): Promise<void> {
  const { opened, planned, report, journal } = parts
  const { inputs, ownNumbers, batch, stateFolder } = opened
  const { state, index, size } = journal
  if (size === 0 || !canUpdate(parts)) return
  const rules = rulesOf(batch)
  const lines = planned.people.map(({ id, numbers }, at) => {
    const attempts = state.attempts.get(id)?.map(({ attempt }) => attempt) ?? []
    const status = statusOf({ id, numbers }, state, rules)
    return `${JSON.stringify([at, id, numbers, attempts, status, index.byPerson.get(id) ?? []])}\n`
  })
  const header = { version: 1, inputs, ownNumbers, general: [...index.general], report }
  try {
    const hash = await hashEnd(batchJournalPath(stateFolder), size)
    const content = `${JSON.stringify({ ...header, journal: { size, hash } })}\n${lines.join('')}`
    const path = join(stateFolder, snapshotName)
    await replaceFile(path, () => [`${hashContent(content)}\n`, content], { mode: 0o600 })
  } catch (error) {
    emptyIfUnreadable(error)
  }
}

/** Returns the hash of the last bytes of a journal of this size. @throws system errors */
export async function hashEnd(path: string, size: number): Promise<string> {
  const { handle } = await openFile(path)
  try {
    const length = Math.min(size, hashedBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return hashContent(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

const hashedBytes = 65_536
const maxExceptions = 50

/** True if each step is about one person of the lists, and no row that is left out now can change places with one of them. */
function canUpdate({ opened, planned, journal: { index } }: SnapshotParts): boolean {
  const { people, uncalled, findings } = planned
  const owners = new Map<string, string>()
  for (const { id, numbers } of people)
    for (const key of [id, ...numbers]) {
      const owner = index.owners.get(key) ?? id
      if (owner !== id || (owners.get(key) ?? id) !== id) return false
      owners.set(key, id)
    }
  // Once a person was called, a row with the same id or number is no longer left out.
  const canReturn = ({ list, row, status }: UncalledRow) => {
    if (status !== 'do-not-call') return false
    const { id, numbers } = identityOf(list, row, opened.readNumber)
    return [id, ...numbers].some(key => owners.has(key))
  }
  // Whether a window opens again depends on the time only where dates without calls follow each other for more than a year.
  const isTimeless =
    !findings.counts.has('window-stays-closed') && (opened.batch.window?.except ?? []).length < maxExceptions
  return !index.isAmbiguous && isTimeless && !uncalled.some(canReturn)
}
