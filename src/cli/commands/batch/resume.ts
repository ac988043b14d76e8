import { defineCommand } from '../../shell/cli-command.ts'
import { runNeeds, withRunFlags } from './run-flags.ts'

export const callBatchResumeCommand = defineCommand({
  description: 'Continue a batch that was paused, with the settings of its last run',
  summary: 'Continue a batch that was paused',
  examples: ['callyard call batch resume reminders --follow'],
  topics: ['batches'],
  flags: withRunFlags,
  needs: runNeeds,
  result: async () => (await import('../call/results.ts')).callBatchRunResult,
  run: async (options, context, [batch]) =>
    (await import('./start-run.ts')).startRun(batch, options, { isResume: true }, context),
  handlesSignal: () => true,
})
