import { mkdir, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { lockFile } from '../../lib/fs/file-lock.ts'
import { cannotWrite, replaceLocked } from '../../lib/fs/replace-file.ts'
import type { TestCase } from '../test-case.ts'
import type { TestResult } from '../verdict.ts'
import {
  assertCassetteSize,
  type Cassette,
  cassetteError,
  isSameTest,
  readCassetteFile,
  type UnusedCassette,
} from './cassette.ts'
import {
  type CassetteEntry,
  entryKey,
  type RecordedAnswer,
  readCassette,
  writeCassette,
} from './cassette-text.ts'
import { lineOf, textOrJson } from './nearest-request.ts'

/** Changes that an update makes to one cassette. */
export interface CassetteChange {
  /** Display name of the file. */
  readonly file: string
  /** Requests in the order of the calls. */
  readonly answers: readonly ChangedAnswer[]
  /** Number of entries that are no longer used. */
  readonly removed: number
  /** Number of invalid lines that are dropped. */
  readonly unreadable: number
  /** True if the file is deleted because no test uses it. */
  readonly isUnused: boolean
  /**
   * Replaces or deletes the file atomically, and keeps entries that another process recorded in the meantime.
   * @throws CallwrightError `usage` if it cannot be written, `conflict` if another process holds it; the file is then unchanged
   */
  write(clock: Clock): Promise<void>
}

/** A request with its previous and its new response. */
export type ChangedAnswer = ReturnType<typeof changedAnswers>[number]

/** Returns the changes to a cassette, or undefined if there are none. */
export function changeOf(
  cassette: Cassette,
  tests: readonly TestCase[],
  results: readonly TestResult[],
): CassetteChange | undefined {
  const { file, flaws, recorded } = cassette
  const project = tests.find(test => test.project !== undefined)?.project ?? dirname(cassette.path)
  const used = cassette.used()
  const isUsed = new Set(used)
  const isRecorded = new Set(recorded)
  const added = used.filter(entry => !isRecorded.has(entry))
  const unused = recorded.filter(entry => !isUsed.has(entry))
  const ranWhole = tests.every(test =>
    results.some(result => isSameTest(result.test, test) && isWhole(result)),
  )
  const removed = ranWhole ? unused : []
  if (added.length + removed.length + flaws.length === 0) return undefined
  return {
    file,
    answers: changedAnswers(added, unused),
    removed: removed.length,
    unreadable: flaws.length,
    isUnused: false,
    write: clock =>
      whileLocked(cassette, { clock, project }, () =>
        write(cassette, { added, entries: ranWhole ? used : [...recorded, ...added] }),
      ),
  }
}

/** Returns the deletion of an unused cassette. */
export function removalOf(cassette: UnusedCassette): CassetteChange {
  const { path, file, folder: project } = cassette
  const remove = () =>
    rm(path, { force: true }).catch(error => {
      throw cannotWrite(path, error)
    })
  return {
    ...{ file, answers: [], removed: 0, unreadable: 0, isUnused: true },
    write: clock => whileLocked(cassette, { clock, project }, remove),
  }
}

/** True if every attempt reached every turn and no model request failed. */
function isWhole({ test, attempts }: TestResult): boolean {
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
function changedAnswers(added: readonly CassetteEntry[], unused: readonly CassetteEntry[]) {
  const before = new Map<string, CassetteEntry[]>()
  for (const entry of unused) before.set(placeOf(entry), [...(before.get(placeOf(entry)) ?? []), entry])
  return added.map(entry => {
    const { row, turn, of, request, answer } = entry
    const replaced = before.get(placeOf(entry))?.shift()
    const newest = request.conversation.at(-1)
    const isTalk = of === 'assistant' || of === 'caller'
    return {
      row,
      turn,
      of,
      /** Newest message of the conversation; the prompt for the analysis and the judge. */
      asked: isTalk && newest !== undefined ? lineOf(newest) : (request.prompt ?? ''),
      /** Undefined if no response was recorded for this turn. */
      before: replaced === undefined ? undefined : answerText(replaced.answer),
      now: answerText(answer),
    }
  })
}

function placeOf({ row = 0, turn, of }: CassetteEntry): string {
  return `${row} ${turn} ${of}`
}

function answerText({ text, calls }: RecordedAnswer): string {
  const called = calls.map(({ name, arguments: given }) => `calls ${name}: ${textOrJson(given)}`)
  return [...(text === '' ? [] : [text]), ...called].join('\n')
}

async function write(
  { path, file, text }: Cassette,
  { entries, added }: Record<'entries' | 'added', readonly CassetteEntry[]>,
): Promise<void> {
  const now = await readCassetteFile(path, file)
  const theirs = now === text ? undefined : readCassette(now ?? '').entries
  const known = new Set(theirs?.map(entryKey))
  const ours =
    theirs === undefined ? entries : [...theirs, ...added.filter(entry => !known.has(entryKey(entry)))]
  const written = writeCassette(ours)
  assertCassetteSize(Buffer.byteLength(written), file)
  await replaceLocked(path, written)
}

const lockWaitMs = 5000

/**
 * Runs `work` while holding a lock. The lock file is in the project's `.callwright/`, so that a crash leaves no file next to the tests for
 * git to pick up.
 * @throws CallwrightError `conflict` if another process holds the lock for five seconds, `usage` if it cannot be created
 */
async function whileLocked(
  { path, file }: Pick<Cassette, 'path' | 'file'>,
  { clock, project }: { readonly clock: Clock; readonly project: string },
  work: () => Promise<void>,
): Promise<void> {
  const cannotLock = (error: unknown) => cannotWrite(path, error)
  const own = join(project, '.callwright')
  await mkdir(own, { recursive: true }).catch(error => {
    throw cannotLock(error)
  })
  const place = join(own, relative(project, path).replaceAll(/[\\/]/g, '-'))
  const inUse = () => cassetteError('conflict', 'cassette-locked', { file })
  const lock = await lockFile(place, { clock, inUse, cannotLock, waitMs: lockWaitMs })
  return work().finally(lock.release)
}
