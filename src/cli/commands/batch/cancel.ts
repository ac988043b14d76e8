import { defineCommand } from '../../shell/cli-command.ts'
import { queueNeeds, withKnownBatchFlags } from './flags.ts'
import { printStopped } from './requests.ts'

export const batchCancelCommand = defineCommand({
  description: 'Cancel a batch: nobody else is called',
  examples: ['callyard batch cancel reminders'],
  topics: ['batches'],
  effect: 'changes',
  flags: withKnownBatchFlags,
  needs: queueNeeds,
  result: async () => (await import('./results.ts')).batchRequestResult,
  run: (options, context, [asked]) => printStopped(asked, options, 'cancel', context),
})
