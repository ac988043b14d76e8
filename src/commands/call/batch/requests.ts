import { countPeople, readLocatedState, requestChange } from '../../../batch/index.ts'
import type { Context } from '../../../cli/context.ts'
import { CallwrightError } from '../../../lib/error.ts'
import { bold, type Text, text } from '../../../lib/text/text.ts'
import type { BatchOptions } from './flags.ts'
import { assertBegun, formatCounts, type KnownBatch } from './known-batch.ts'

type Request = Parameters<typeof requestChange>[1]

/**
 * Pauses or cancels a batch. Nothing but its state is read: the list may be large, gone or broken, and the run must stop all the same.
 * @throws CallwrightError `usage` for a batch that was never run
 */
export async function printStopped(
  asked: string,
  { name: given }: Pick<BatchOptions, 'name'>,
  request: 'pause' | 'cancel',
  context: Context,
): Promise<void> {
  const { name, stateFolder, state } = await readLocatedState(asked, { name: given }, context)
  assertBegun({ name, state })
  const isCancelled = state.isCancelled || request === 'cancel'
  const isPaused = state.paused !== undefined || request === 'pause'
  if (isCancelled !== state.isCancelled || isPaused !== (state.paused !== undefined))
    await requestChange(stateFolder, { request }, context)
  const done = request === 'pause' ? 'Paused' : 'Cancelled'
  context.output.result(
    { batch: name, isCancelled, isPaused, counts: null },
    () => text`${done} ${bold(name)}`,
  )
}

/**
 * Requests a change of the people of a batch, and prints them afterwards. A run in another process takes the request within seconds;
 * without one, the next run does.
 * @throws CallwrightError `conflict` for a batch that was cancelled
 */
export async function printRequested(
  { opened, planned }: Pick<KnownBatch, 'opened' | 'planned'>,
  request: Request,
  said: Text,
  context: Context,
): Promise<void> {
  await requestChange(opened.stateFolder, request, context)
  const { name, state } = await readLocatedState(opened.path, { name: opened.name }, context)
  const counts = countPeople({ state, batch: opened.batch }, planned)
  context.output.result(
    { batch: name, isCancelled: false, isPaused: state.paused !== undefined, counts },
    () => text`${said}: ${formatCounts(counts) || 'nobody to call'}`,
  )
}

/** @throws CallwrightError `conflict` for a batch that was cancelled: nobody of it is called again */
export function assertNotCancelled({ name, state }: KnownBatch['opened']): void {
  if (state.isCancelled) throw new CallwrightError('conflict', `batch ${name} was cancelled`)
}
