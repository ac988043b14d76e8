import {
  type BatchJournal,
  type BatchRequest,
  type OpenBatch,
  readLocatedState,
  requestChange,
} from '../../../calls/batch/index.ts'
import { countPeople, reportLog } from '../../../calls/batch/status/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { bold, type Text, text } from '../../../lib/text/text.ts'
import type { Context } from '../../shell/context.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { assertBegun, type BatchInState, formatCounts, type LoadedBatch } from './load-batch.ts'
import { type NamedQueueFlags, type Queue, withQueue } from './open-queue.ts'

/** Result of a command that requests a change of a batch. */
export async function requestResult({ z, optional, required }: SchemaBuilders) {
  const { statusCountsSchema } = await import('../../../calls/batch/status/index.ts')
  return {
    document: z.object({
      batch: z.string(),
      isCancelled: z.boolean(),
      isPaused: z.boolean(),
      counts: required(z.nullable(statusCountsSchema), 'null for pause and cancel, which read no list'),
      invalid: optional(z.int(), 'Rows of an added list that cannot be called'),
    }),
  }
}

/** State of a batch on this machine or at a broker. */
interface StoredBatch extends BatchInState {
  /** Records a request, which is applied to the state of a shared batch. */
  request(request: BatchRequest): Promise<void>
}

/**
 * Pauses or cancels a batch. Nothing but its state is read: the list may be large, gone or broken, and the run must stop anyway.
 * @throws CallyardError `usage` for a batch that was never run
 */
export async function printStopped(
  batchArg: string,
  options: NamedQueueFlags,
  request: 'pause' | 'cancel',
  context: Context,
): Promise<void> {
  const stop = async ({ name, state, ...batch }: StoredBatch) => {
    const isCancelled = state.isCancelled || request === 'cancel'
    const isPaused = state.paused !== undefined || request === 'pause'
    if (isCancelled !== state.isCancelled || isPaused !== (state.paused !== undefined))
      await batch.request({ request })
    const verb = request === 'pause' ? 'Paused' : 'Cancelled'
    context.output.result(
      { batch: name, isCancelled, isPaused, counts: null },
      () => text`${verb} ${bold(name)}`,
    )
  }
  if (options.queue !== undefined)
    return withQueue(batchArg, options, context, queue => stop(stored(queue, context)))
  const { name, stateFolder, state } = await readLocatedState(batchArg, options.name, context)
  assertBegun({ name, state })
  await stop({ name, state, request: change => requestChange(stateFolder, change, context) })
}

/**
 * Requests a change of the people of a shared batch, which all runners take within seconds, and prints what the log knows of them.
 * @throws CallyardError `usage` for a batch that was never run, `conflict` for one that was cancelled
 */
export async function printShared(
  batchArg: string,
  options: NamedQueueFlags,
  context: Context,
  change: (batch: StoredBatch) => Promise<Text>,
): Promise<void> {
  await withQueue(batchArg, options, context, async queue => {
    const batch = stored(queue, context)
    const { name, state } = batch
    assertNotCancelled(batch)
    const summary = await change(batch)
    const { counts } = reportLog(state)
    context.output.result(
      { batch: name, isCancelled: false, isPaused: state.paused !== undefined, counts },
      () => text`${summary}: ${formatCounts(counts) || 'nobody to call'}`,
    )
  })
}

/** Appends a request to the journal of a shared batch. */
export async function requestShared(
  journal: BatchJournal,
  request: BatchRequest,
  { clock }: Context,
): Promise<void> {
  await journal.append({ step: 'requested', at: new Date(clock.now()).toISOString(), offset: 0, request })
}

function stored({ name, journal }: Queue, context: Context): StoredBatch {
  return { name, state: journal.state, request: request => requestShared(journal, request, context) }
}

/**
 * Requests a change of the people of a batch, and prints them afterwards. A run in another process takes the request within seconds;
 * without one, the next run does.
 * @throws CallyardError `conflict` for a batch that was cancelled
 */
export async function printRequested(
  { opened, planned }: LoadedBatch,
  request: BatchRequest,
  summary: Text,
  context: Context,
  more: { readonly invalid?: number } = {},
): Promise<void> {
  await requestChange(opened.stateFolder, request, context)
  const { name, state } = await readLocatedState(opened.path, opened.name, context)
  printCounts({ ...opened, name, state }, planned, summary, context, more)
}

/** Prints the people of a batch after a change. */
export function printCounts(
  opened: OpenBatch,
  planned: LoadedBatch['planned'],
  summary: Text,
  context: Context,
  more: { readonly invalid?: number } = {},
): void {
  const { name, state } = opened
  const counts = countPeople(opened, planned)
  context.output.result(
    { batch: name, isCancelled: false, isPaused: state.paused !== undefined, counts, ...more },
    () => text`${summary}: ${formatCounts(counts) || 'nobody to call'}`,
  )
}

/** @throws CallyardError `conflict` for a batch that was cancelled: nobody of it is called again */
export function assertNotCancelled({ name, state }: BatchInState): void {
  if (state.isCancelled) throw new CallyardError('conflict', `batch ${name} was cancelled`)
}
