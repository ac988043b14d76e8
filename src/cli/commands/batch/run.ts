import { defineCommand } from '../../shell/cli-command.ts'
import { runNeeds, withRunFlags } from './run-flags.ts'

export const callBatchRunCommand = defineCommand({
  description: 'Call the people of a list',
  examples: [
    'callyard call batch run reminders --follow',
    'callyard call batch run reminders --yes --max-calls 200 --json',
    'callyard call batch run reminders --queue nats://nats.example.com',
  ],
  topics: ['batches'],
  flags: withRunFlags,
  needs: runNeeds,
  result: async () => (await import('../call/results.ts')).callBatchRunResult,
  run: async (options, context, [batch]) =>
    (await import('./start-run.ts')).startRun(batch, options, { isResume: false }, context),
  handlesSignal: () => true,
})
