import { defineCommand } from '../cli/cli-command.ts'
import { parsePace } from '../cli/flags/option-parsers.ts'

export const demoCommand = defineCommand({
  description: 'Watch an assistant hold a call, all on this machine',
  examples: ['callwright demo', 'callwright demo --pace 0 --json'],
  topics: ['sandbox'],
  flags: command => command.option('--pace <factor>', 'Speed; 1 is real time, 0 does not wait', parsePace, 4),
  run: async ({ pace }, context) => (await import('./run-demo.ts')).runDemo(pace, context),
  endsItself: () => true,
})
