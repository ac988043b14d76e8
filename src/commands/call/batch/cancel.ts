import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../../cli/cli-command.ts'
import { withBatchFlags } from './flags.ts'
import { queueNeeds, withQueueFlags } from './queue-flags.ts'
import { printStopped } from './requests.ts'

export const callBatchCancelCommand = defineCommand({
  description: 'Cancel a batch: nobody else is called',
  examples: ['callwright call batch cancel reminders'],
  topics: ['batches'],
  flags: (command: Command) => withQueueFlags(withBatchFlags(command)),
  needs: queueNeeds,
  result: async () => (await import('../results.ts')).callBatchRequestResult,
  run: (options, context, [asked]) => printStopped(asked, options, 'cancel', context),
})
