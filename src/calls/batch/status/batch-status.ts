import { InvalidInput } from '../../../files/source/index.ts'
import { isFileLocked } from '../../../lib/fs/file-lock.ts'
import { readStepsAt, replaySteps } from '../../../lib/fs/log.ts'
import type { CallDeps } from '../../place/index.ts'
import { batchJournalPath, parseStep, readRequestSteps, replayBatchJournal } from '../batch-journal.ts'
import type { BatchSettings } from '../batch-settings.ts'
import { collectNumbers } from '../do-not-call.ts'
import { numbersOf } from '../journal-index.ts'
import { historyOf, rulesOf } from '../next-call.ts'
import {
  inputsOf,
  type OpenBatchOptions,
  type OpenLists,
  type OpenSettings,
  openLists,
  openSettings,
  readPeople,
} from '../open-batch.ts'
import { planBatch } from '../plan.ts'
import { type BatchState, type BatchStep, createBatchState } from '../state.ts'
import { callsOf, reportStatus, type StatusReport, updateReport, withoutRequests } from './status-report.ts'
import { hashEnd, readStatusSnapshot, type StatusSnapshot, writeStatusSnapshot } from './status-snapshot.ts'

interface StatusOptions extends Omit<OpenBatchOptions, 'useRecord' | 'moreLists'> {
  /** Milliseconds since the epoch. */
  readonly now: number
}

interface BatchStatus {
  readonly state: BatchState
  readonly report: StatusReport
}

/**
 * Reads what became of the people of a batch, with the settings of its last run. Of the journal, only the steps after the last snapshot
 * are read if nothing else has changed. Otherwise, the whole journal and the lists are, and a new snapshot is written.
 * @throws InvalidInput if the batch or a list cannot be used, and as openBatch does
 */
export async function readBatchStatus(
  nameOrPath: string,
  settings: BatchSettings,
  { now, ...options }: StatusOptions,
  deps: CallDeps,
): Promise<BatchStatus & { readonly name: string }> {
  const opened = await openSettings(nameOrPath, settings, { ...options, useRecord: true }, deps)
  const { name } = opened
  const snapshot = opened.isReadable ? await readStatusSnapshot(opened.stateFolder) : undefined
  // If the journal or the list cannot be read, reading all of it reports the error.
  const updated = snapshot && (await updateSnapshot(snapshot, opened, deps).catch(() => undefined))
  const { state, report } = updated ?? (await readAll(opened, now, deps))
  const mayRun = report.unknown.some(({ inFlight }) => inFlight)
  const isRun = mayRun && (await isFileLocked(batchJournalPath(opened.stateFolder), deps.clock))
  return { name, state, report: isRun ? report : withoutRequests(report) }
}

/** Reads the whole journal and the lists, and writes a snapshot. @throws as readBatchStatus does */
async function readAll(opened: OpenSettings, now: number, deps: CallDeps): Promise<BatchStatus> {
  const { stateFolder, batch } = opened
  const { state, index, end, isTorn } = await replayBatchJournal(batchJournalPath(stateFolder))
  const requests = await readRequestSteps(stateFolder, state.offset)
  for (const step of requests) state.apply(step)
  const read = await readPeople(opened, await openLists(opened, state.lists, deps), { state, now })
  const planned = planBatch({ ...read, now, isRunning: true, isReport: true })
  const problems = [...read.problems, ...planned.problems]
  if (problems.length > 0) throw new InvalidInput(problems, 'the list cannot be read')
  const report = reportStatus(planned.people, planned.skipped, state, rulesOf(batch))
  if (!isTorn && !requests.some(concernsManyPeople))
    await writeStatusSnapshot({ opened: read, planned, report, journal: { state, index, size: end } })
  return { state, report }
}

/**
 * Updates a snapshot with the steps after it. Returns undefined if the lists or settings have changed, or if these steps are about
 * anybody but single people of the lists.
 * @throws system errors, and errors of parsing
 */
async function updateSnapshot(
  snapshot: StatusSnapshot,
  opened: OpenSettings,
  deps: CallDeps,
): Promise<BatchStatus | undefined> {
  const { stateFolder, batch } = opened
  const { journal, general, report } = snapshot
  const path = batchJournalPath(stateFolder)
  if ((await hashEnd(path, journal.size)) !== journal.hash) return undefined
  const readSteps = async (offsets: readonly number[]) =>
    (await readStepsAt(path, offsets)).map(step => parseStep(step))
  const steps: BatchStep[] = []
  await replaySteps(path, step => steps.push(parseStep(step)), journal.size)
  const { lists, offset } = createBatchState([...(await readSteps(general)), ...steps])
  steps.push(...(await readRequestSteps(stateFolder, offset)))
  if (steps.some(concernsManyPeople)) return undefined
  const files = await openLists(opened, lists, deps)
  if (inputsOf(opened, files) !== snapshot.inputs) return undefined
  const blocked = findBlocked(snapshot, opened, files)
  const people = blocked && findPeople(snapshot, steps, blocked.added)
  if (people === undefined) return undefined

  const offsets = [...general, ...people.flatMap(person => person.offsets)]
  const state = createBatchState(await readSteps(offsets.sort((one, other) => one - other)))
  const before = { calls: callsOf(state), seconds: state.seconds }
  const wasCalled = people.map(person => historyOf(person, state).length > 0)
  for (const step of steps) state.apply(step)
  // A person on a do-not-call list is left out until the first call.
  const isLeftOut = people.some(
    (person, index) =>
      historyOf(person, state).length === 0 &&
      (wasCalled[index] === true || person.numbers.some(number => blocked?.numbers.has(number))),
  )
  if (isLeftOut) return undefined
  return { state, report: updateReport(report, people, state, before, rulesOf(batch)) }
}

/** True for a request that may change the people of a batch, or what becomes of many of them. */
function concernsManyPeople(step: BatchStep): boolean {
  return step.step === 'requested' && !['pause', 'resume', 'cancel'].includes(step.request.request)
}

/** Returns the numbers of the project's do-not-call list; undefined if rows of the batch may be left out because of the added ones. */
function findBlocked(
  { ownNumbers, report }: StatusSnapshot,
  { readNumber }: OpenSettings,
  { own }: OpenLists,
) {
  const { numbers, problems } = collectNumbers(own === undefined ? [] : [own], readNumber)
  const before = new Set(ownNumbers)
  const added = [...numbers.keys()].filter(number => !before.has(number))
  const isShorter = numbers.size - added.length < before.size
  if (problems.length > 0 || isShorter || (added.length > 0 && report.skipped.duplicate > 0)) return undefined
  return { numbers, added }
}

/** Returns the people whom steps and numbers are about; undefined unless each of these is about one person of the lists. */
function findPeople(snapshot: StatusSnapshot, steps: readonly BatchStep[], numbers: readonly string[]) {
  const begunAttempts = new Set(steps.flatMap(step => (step.step === 'calling' ? [step.attempt] : [])))
  const keysOf = (step: BatchStep) => {
    if ('person' in step) return [step.person, ...numbersOf(step)]
    return 'attempt' in step && !begunAttempts.has(step.attempt) ? [step.attempt] : []
  }
  const keys = new Set([...numbers, ...steps.flatMap(keysOf)])
  const people = keys.size === 0 ? [] : snapshot.findPeople(keys)
  const owners = new Map(
    people.flatMap(person =>
      [person.id, ...person.numbers, ...person.attempts].map(key => [key, person.id] as const),
    ),
  )
  const isOfOnePerson = (step: BatchStep) => {
    const ids = keysOf(step).map(key => owners.get(key))
    return ids.every(id => id !== undefined && id === ('person' in step ? step.person : id))
  }
  return numbers.every(number => owners.has(number)) && steps.every(isOfOnePerson) ? people : undefined
}
