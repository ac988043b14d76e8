import {
  type BatchStatusDocument,
  batchStatusDocument,
  readBatchStatus,
  reportLog,
} from '../../../calls/batch/status/index.ts'
import { count } from '../../../lib/text/count.ts'
import { localMinute } from '../../../lib/text/date-time.ts'
import { bold, dim, join, type Text, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { withOutsideFilesFlag } from '../../shell/flags/flag.ts'
import { queueNeeds, withBatchName, withQueueFlags } from './flags.ts'
import { formatCounts } from './load-batch.ts'
import { withQueue } from './open-queue.ts'

export const batchStatusCommand = defineCommand({
  description: 'Print what became of the people of a batch, and who is called next',
  summary: 'Print the progress of a batch',
  examples: ['callyard batch status reminders'],
  topics: ['batches'],
  effect: 'none',
  flags: command => withQueueFlags(withOutsideFilesFlag(withBatchName(command))),
  needs: queueNeeds,
  result: async () => ({
    document: (await import('../../../calls/batch/status/index.ts')).batchStatusSchema,
  }),
  async run(options, context, [batchArg]) {
    const openOptions = { ...options, now: context.clock.now() }
    const status =
      options.queue === undefined
        ? await readBatchStatus(batchArg, {}, openOptions, context)
        : await withQueue(batchArg, options, context, async ({ name, journal: { state } }) => ({
            ...{ name, state, report: reportLog(state) },
          }))
    const document = batchStatusDocument(status)
    context.output.result(document, () => statusText(document))
  },
})

/** Planned calls that text output shows. */
const maxShown = 5

function statusText(document: BatchStatusDocument): Text {
  const { batch, counts, isCancelled, paused, calls, seconds, next, unknown } = document
  const pausedText = paused === null ? '' : `; paused${paused.reason === null ? '' : ` (${paused.reason})`}`
  const talked = seconds === 0 ? '' : `, ${count(Math.ceil(seconds / 60), 'minute')}`
  const lines = next
    .slice(0, maxShown)
    .map(({ number, at, why }) =>
      dim(`${localMinute(at)}  ${number}  ${why === 'callback' ? 'asked to be called back' : why}`),
    )
  const more = next.length - lines.length
  const maybe = unknown.slice(0, maxShown).map(({ person, number, at, inFlight }) => {
    const state = inFlight ? 'is being called' : 'may have been called'
    return dim(`${localMinute(at)}  ${number}  ${person} ${state}`)
  })
  return join([
    text`${bold(batch)}: ${formatCounts(counts) || 'nobody to call'}${isCancelled ? '; cancelled' : pausedText}`,
    ...(calls === 0 ? [] : [`${count(calls, 'call')}${talked}`]),
    ...maybe,
    ...(unknown.length > maybe.length ? [dim(`… and ${unknown.length - maybe.length} more`)] : []),
    ...lines,
    ...(more > 0 ? [dim(`… and ${more} more`)] : []),
  ])
}
