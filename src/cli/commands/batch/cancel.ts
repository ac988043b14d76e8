import { defineCommand } from '../../shell/cli-command.ts'
import { queueNeeds, withStoppedBatchFlags } from './flags.ts'
import { printStopped, requestResult } from './requests.ts'

export const batchCancelCommand = defineCommand({
  description: 'Cancel a batch: nobody else is called',
  examples: ['callyard batch cancel reminders'],
  topics: ['batches'],
  effect: 'changes',
  flags: withStoppedBatchFlags,
  needs: queueNeeds,
  result: requestResult,
  run: (options, context, [batchArg]) => printStopped(batchArg, options, 'cancel', context),
})
