import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../../cli/cli-command.ts'
import { withBatchFlags } from './flags.ts'
import { queueNeeds, withQueueFlags } from './queue-flags.ts'
import { printStopped } from './requests.ts'

export const callBatchPauseCommand = defineCommand({
  description: 'Pause a batch until it is resumed; calls in progress continue',
  summary: 'Pause a batch until it is resumed',
  examples: ['callwright call batch pause reminders'],
  topics: ['batches'],
  flags: (command: Command) => withQueueFlags(withBatchFlags(command)),
  needs: queueNeeds,
  result: async () => (await import('../results.ts')).callBatchRequestResult,
  run: (options, context, [asked]) => printStopped(asked, options, 'pause', context),
})
