import { defineCommand } from '../../cli/cli-command.ts'
import { withTailFlags } from './tail-flags.ts'

export const webhookTailCommand = defineCommand('tail', {
  description: 'Listen for webhook events, and print each message once',
  examples: [
    'callwright webhook tail',
    'callwright webhook tail --forward http://127.0.0.1:3000/hook --record calls.ndjson --ui',
  ],
  topics: ['tunnels', 'filters', 'recording', 'forwarding', 'exec'],
  flags: withTailFlags,
  run: async (options, context) => (await import('./tail.ts')).tail(options, context),
  endsItself: () => true,
})
