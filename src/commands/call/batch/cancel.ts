import type { Command } from '@commander-js/extra-typings'
import { openBatchJournal } from '../../../batch/index.ts'
import { defineCommand } from '../../../cli/cli-command.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { withBatchFlags } from './flags.ts'
import { countStatuses, formatCounts, openKnownBatch } from './progress.ts'

export const callBatchCancelCommand = defineCommand({
  description: 'Cancel a batch: nobody else is called',
  examples: ['callwright call batch cancel reminders'],
  topics: ['batches'],
  flags: (command: Command) => withBatchFlags(command),
  result: async () => (await import('../results.ts')).callBatchCancelResult,
  async run(options, context, [asked]) {
    const { opened, planned } = await openKnownBatch(asked, options, context)
    const journal = await openBatchJournal(opened.stateFolder, context)
    try {
      const at = new Date(context.clock.now()).toISOString()
      if (!journal.state.isCancelled) await journal.append({ step: 'cancelled', at })
      const counts = countStatuses(planned.people, journal.state)
      context.output.result(
        { batch: opened.name, isCancelled: true, ...counts },
        () => text`Cancelled ${bold(opened.name)}: ${formatCounts(counts)}`,
      )
    } finally {
      await journal.close()
    }
  },
})
