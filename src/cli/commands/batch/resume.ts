import { defineCommand } from '../../shell/cli-command.ts'
import { runNeeds, withRunFlags } from './run-flags.ts'

export const batchResumeCommand = defineCommand({
  description: 'Continue a batch that was paused, with the settings of its last run',
  summary: 'Continue a batch that was paused',
  examples: ['callyard batch resume reminders --follow'],
  topics: ['batches'],
  effect: 'calls',
  flags: withRunFlags,
  needs: runNeeds,
  result: async builders => (await import('./start-run.ts')).batchRunResult(builders),
  run: async (options, context, [batch]) =>
    (await import('./start-run.ts')).startRun(batch, options, { isResume: true }, context),
  handlesSignal: () => true,
})
