import type { Command } from '@commander-js/extra-typings'
import { openBatch, planBatch, readBatchState } from '../../../batch/index.ts'
import { defineCommand } from '../../../cli/cli-command.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { InvalidInput } from '../../../source/index.ts'
import { settingsOf, withBatchFlags } from './flags.ts'
import { countStatuses, formatCounts } from './progress.ts'

export const callBatchStatusCommand = defineCommand({
  description: 'Print how many people of a batch were called',
  examples: ['callwright call batch status reminders'],
  topics: ['batches'],
  flags: withFlags,
  result: async () => (await import('../results.ts')).callBatchStatusResult,
  async run(options, context, [asked]) {
    const opened = await openBatch(asked, settingsOf(options), options, context)
    const planned = planBatch({ ...opened, now: context.clock.now() })
    const problems = [...opened.problems, ...planned.problems].filter(({ code }) => code !== 'end-has-passed')
    if (problems.length > 0) throw new InvalidInput(problems, 'the people are not known')
    const state = await readBatchState(opened.stateFolder)
    const counts = countStatuses(planned.people, state)
    const { service = null } = state
    context.output.result(
      { batch: opened.name, service, ...counts, skipped: planned.skipped },
      () => text`${bold(opened.name)}: ${formatCounts(counts) || 'nobody to call'}`,
    )
  },
})

function withFlags(command: Command) {
  return withBatchFlags(command)
}
