import { defineCommand } from '../../shell/cli-command.ts'
import { queueNeeds, withKnownBatchFlags } from './flags.ts'
import { printStopped } from './requests.ts'

export const callBatchCancelCommand = defineCommand({
  description: 'Cancel a batch: nobody else is called',
  examples: ['callyard call batch cancel reminders'],
  topics: ['batches'],
  flags: withKnownBatchFlags,
  needs: queueNeeds,
  result: async () => (await import('../call/results.ts')).callBatchRequestResult,
  run: (options, context, [asked]) => printStopped(asked, options, 'cancel', context),
})
