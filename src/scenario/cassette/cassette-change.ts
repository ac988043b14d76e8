import { rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { whileLocked } from '../../lib/fs/file-lock.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { cannotWrite, replaceLocked } from '../../lib/fs/replace-file.ts'
import { groupBy } from '../../lib/group-by.ts'
import type { TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'
import {
  assertCassetteSize,
  type Cassette,
  type CassetteFile,
  isSameTest,
  readCassetteFile,
  type UnusedCassette,
} from './cassette.ts'
import {
  type CassetteEntry,
  entryKey,
  formatCassette,
  parseCassette,
  type RecordedResponse,
} from './cassette-text.ts'
import type { ChangeDocument } from './change-schema.ts'
import { formatMessage, toText } from './nearest-request.ts'

export interface CassetteChange extends ChangeDocument {
  /**
   * Replaces or deletes the file atomically, and keeps entries that another process recorded in the meantime. `mode`: permission bits;
   * default: those of the file.
   * @throws CallyardError `usage` if it cannot be written, `conflict` if another process holds it; the file is then unchanged
   */
  write(clock: Clock, mode?: number): Promise<void>
}

/** A request with its previous and its new response. */
export type ChangedResponse = ChangeDocument['responses'][number]

/** Returns the changes to a cassette, or undefined if there are none. */
export function planChange(
  cassette: Cassette,
  tests: readonly TestCase[],
  results: readonly TestResult[],
): CassetteChange | undefined {
  const { file, flaws, recorded } = cassette
  const project = tests.find(test => test.project !== undefined)?.project ?? dirname(cassette.path)
  const usedEntries = cassette.used()
  const isUsed = new Set(usedEntries)
  const isRecorded = new Set(recorded)
  const added = usedEntries.filter(entry => !isRecorded.has(entry))
  const unused = recorded.filter(entry => !isUsed.has(entry))
  const ranCompletely = tests.every(test =>
    results.some(result => isSameTest(result.test, test) && isComplete(result)),
  )
  const removed = ranCompletely ? unused : []
  if (added.length + removed.length + flaws.length === 0) return undefined
  return {
    file,
    responses: pairResponses(added, unused),
    removed: removed.length,
    unreadable: flaws.length,
    isUnused: false,
    write: (clock, mode) =>
      withCassetteLock(cassette, { clock, project }, () =>
        write(cassette, { added, entries: ranCompletely ? usedEntries : [...recorded, ...added] }, mode),
      ),
  }
}

/** Returns the deletion of an unused cassette. */
export function planRemoval(cassette: UnusedCassette): CassetteChange {
  const { path, file, folder: project } = cassette
  const remove = () =>
    rm(path, { force: true }).catch(error => {
      throw cannotWrite(path, error)
    })
  return {
    ...{ file, responses: [], removed: 0, unreadable: 0, isUnused: true },
    write: clock => withCassetteLock(cassette, { clock, project }, remove),
  }
}

/** True if every attempt reached every turn and no model request failed. */
function isComplete({ test, attempts }: TestResult): boolean {
  return (
    attempts.length > 0 &&
    attempts.every(
      ({ call, failures, undecided }) =>
        call.turns.length >= test.turns.length &&
        undecided.length === 0 &&
        failures.every(({ code }) => code !== 'not-recorded' && code !== 'model-failed'),
    )
  )
}

/** Pairs each new response with the unused one from the same turn, if any. */
function pairResponses(added: readonly CassetteEntry[], unused: readonly CassetteEntry[]): ChangedResponse[] {
  const before = groupBy(unused, toSlotKey)
  return added.map(entry => {
    const { row, turn, role, request, response } = entry
    const replaced = before.get(toSlotKey(entry))?.shift()
    const newest = request.conversation.at(-1)
    const isTalk = role === 'assistant' || role === 'caller'
    return {
      row,
      turn,
      role,
      request: isTalk && newest !== undefined ? formatMessage(newest) : (request.prompt ?? ''),
      before: replaced === undefined ? undefined : formatResponse(replaced.response),
      after: formatResponse(response),
    }
  })
}

function toSlotKey({ row = 0, turn, role }: CassetteEntry): string {
  return `${row} ${turn} ${role}`
}

function formatResponse({ text, calls }: RecordedResponse): string {
  const toolLines = calls.map(({ name, arguments: args }) => `calls ${name}: ${toText(args)}`)
  return [...(text === '' ? [] : [text]), ...toolLines].join('\n')
}

async function write(
  { path, file, text }: Cassette,
  { entries, added }: Record<'entries' | 'added', readonly CassetteEntry[]>,
  mode: number | undefined,
): Promise<void> {
  const now = await readCassetteFile(path, file)
  const theirs = now === text ? undefined : parseCassette(now ?? '').entries
  const knownKeys = new Set(theirs?.map(entryKey))
  const ours =
    theirs === undefined ? entries : [...theirs, ...added.filter(entry => !knownKeys.has(entryKey(entry)))]
  const newText = formatCassette(ours)
  assertCassetteSize(Buffer.byteLength(newText), file)
  await replaceLocked(path, newText, mode)
}

const lockWaitMs = 5000

/**
 * Runs `work` while holding a lock. The lock file is in the project's `.callyard/`, so that a crash leaves no file next to the tests for
 * git to pick up.
 * @throws CallyardError `conflict` if another process holds the lock for five seconds, `usage` if it cannot be created
 */
async function withCassetteLock(
  { path, file }: CassetteFile,
  { clock, project }: { readonly clock: Clock; readonly project: string },
  work: () => Promise<void>,
): Promise<void> {
  const cannotLock = (error: unknown) => cannotWrite(path, error)
  const own = join(project, '.callyard')
  await makeFolder(own).catch(error => {
    throw cannotLock(error)
  })
  const lockPath = join(own, relative(project, path).replaceAll(/[\\/]/g, '-'))
  const inUse = () =>
    new CallyardError('conflict', `another callyard is using ${file}`, {
      code: 'cassette-locked',
      hint: 'wait until it has finished, then record again',
      details: { file },
    })
  return whileLocked(lockPath, { clock, inUse, cannotLock, waitMs: lockWaitMs }, work)
}
