import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../../cli/cli-command.ts'
import { Flag } from '../../../cli/flags/flag.ts'
import { retriedOutcomes } from '../../../interface/batch.ts'
import { withBatchFlags } from './flags.ts'
import { done, printRequested } from './requests.ts'

export const callBatchRetryCommand = defineCommand({
  description: 'Mark people for another call by the outcome of their last one; the next run calls them',
  summary: 'Mark people for another call by outcome',
  examples: ['callwright call batch retry reminders --outcome no-answer'],
  topics: ['batches'],
  flags: withFlags,
  result: async () => (await import('../results.ts')).callBatchRequestResult,
  run: (options, context, [asked]) =>
    printRequested(
      asked,
      options,
      () => ({ request: 'retry', outcome: options.outcome }),
      done('Marked people of'),
      context,
    ),
})

function withFlags(command: Command) {
  return withBatchFlags(command).addOption(
    new Flag('--outcome <outcome>', 'Outcome of the last call')
      .choices(retriedOutcomes)
      .makeOptionMandatory(),
  )
}
