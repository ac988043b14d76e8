import { basename } from 'node:path'
import { type BatchJournal, openSharedJournal } from '../../../calls/batch/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { withoutExtension } from '../../../lib/fs/extension.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { loadSharedBatch, type SharedBatch } from '../../../relay/index.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { connectionOptions } from '../webhook/broker-flags.ts'
import type { QueueFlags } from './flags.ts'

/** A shared batch with its journal. */
export interface Queue extends SharedBatch {
  readonly name: string
  readonly journal: BatchJournal
}

/**
 * Opens the journal of a batch at the NATS server of --queue.
 * @throws CallyardError as the broker and the journal do
 */
export async function openQueue(
  name: string,
  { queue = [], ...flags }: QueueFlags,
  mode: 'create' | 'existing',
  context: Context,
): Promise<Queue> {
  const { clock, signal, output } = context
  const { openSharedBatch } = await loadSharedBatch()
  const shared = await openSharedBatch({
    ...connectionOptions(queue, flags, context),
    ...{ batch: name, mode, clock, signal },
    onTrouble(reason) {
      if (reason === undefined) output.note('The broker is back')
      else output.warn(`the broker is away: ${oneLine(reason)}`, 'nobody is called until it is back')
    },
  })
  try {
    return { ...shared, name, journal: await openSharedJournal(shared.log, { clock, signal }) }
  } catch (error) {
    await shared.log.close()
    throw error
  }
}

export interface NamedQueueFlags extends QueueFlags {
  readonly name?: string | undefined
}

/**
 * Opens a shared batch by its name alone, by default that of the file, and closes it after the work.
 * @throws CallyardError `usage` for one that was never run
 */
export async function withQueue<Result>(
  batchArg: string,
  { name = basename(withoutExtension(batchArg)), ...flags }: NamedQueueFlags,
  context: Context,
  work: (queue: Queue) => Promise<Result>,
): Promise<Result> {
  const queue = await openQueue(name, flags, 'existing', context)
  try {
    if (queue.journal.state.begun === undefined)
      throw new CallyardError('usage', `batch ${name} has not been run`, {
        ...suggest`start it with ${['batch', 'run', '--queue']}`,
      })
    return await work(queue)
  } finally {
    await queue.journal.close()
  }
}
