import { defineCommand } from '../../shell/cli-command.ts'
import { queueNeeds, withStoppedBatchFlags } from './flags.ts'
import { printStopped, requestResult } from './requests.ts'

export const batchPauseCommand = defineCommand({
  description: 'Pause a batch until it is resumed; calls in progress continue',
  summary: 'Pause a batch until it is resumed',
  examples: ['callyard batch pause reminders'],
  topics: ['batches'],
  effect: 'none',
  flags: withStoppedBatchFlags,
  needs: queueNeeds,
  result: requestResult,
  run: (options, context, [batchArg]) => printStopped(batchArg, options, 'pause', context),
})
