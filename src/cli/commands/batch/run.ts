import { defineCommand } from '../../shell/cli-command.ts'
import { runNeeds, withRunFlags } from './run-flags.ts'

export const batchRunCommand = defineCommand({
  description: 'Call the people of a list',
  examples: [
    'callyard batch run reminders --follow',
    'callyard batch run reminders --yes --max-calls 200 --json',
    'callyard batch run reminders --queue nats://nats.example.com',
  ],
  topics: ['batches'],
  effect: 'calls',
  flags: withRunFlags,
  needs: runNeeds,
  result: async builders => (await import('./start-run.ts')).batchRunResult(builders),
  run: async (options, context, [batch]) =>
    (await import('./start-run.ts')).startRun(batch, options, { isResume: false }, context),
  handlesSignal: () => true,
})
