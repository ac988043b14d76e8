import type { Command } from '@commander-js/extra-typings'
import { readBatchState } from '../../../batch/index.ts'
import { defineCommand } from '../../../cli/cli-command.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { withBatchFlags } from './flags.ts'
import { countStatuses, formatCounts, openKnownBatch } from './progress.ts'

export const callBatchStatusCommand = defineCommand({
  description: 'Print how many people of a batch were called',
  examples: ['callwright call batch status reminders'],
  topics: ['batches'],
  flags: withFlags,
  result: async () => (await import('../results.ts')).callBatchStatusResult,
  async run(options, context, [asked]) {
    const { opened, planned } = await openKnownBatch(asked, options, context)
    const state = await readBatchState(opened.stateFolder)
    const counts = countStatuses(planned.people, state)
    const { begun, isCancelled } = state
    const service = begun?.service ?? null
    context.output.result(
      { batch: opened.name, service, isCancelled, ...counts, skipped: planned.skipped },
      () =>
        text`${bold(opened.name)}: ${formatCounts(counts) || 'nobody to call'}${isCancelled ? '; cancelled' : ''}`,
    )
  },
})

function withFlags(command: Command) {
  return withBatchFlags(command)
}
