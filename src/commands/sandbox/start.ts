import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { withLlmFlags } from '../../cli/flags/llm-flags.ts'
import { faultCollector, parsePace, parsePort, parseSeed } from '../../cli/flags/option-parsers.ts'
import { httpFaultNames, webhookFaultNames } from '../../sandbox/index.ts'

export const sandboxStartCommand = defineCommand({
  description: 'Start the service, save it as a profile, and log what happens',
  examples: [
    'callwright sandbox start',
    'callwright sandbox start --fault duplicate=0.5,reorder,delay --seed 7',
  ],
  topics: ['sandbox', 'sandbox-replies', 'sandbox-fields', 'sandbox-faults'],
  flags: withFlags,
  run: async (options, context) => (await import('./run-sandbox.ts')).serveSandbox(options, context),
  endsItself: () => true,
})

function withFlags(command: Command) {
  return withLlmFlags(
    command
      .option('--host <address>', 'Loopback address to listen on', '127.0.0.1')
      .option('--port <number>', 'Port to listen on; 0 picks a free one', parsePort, 4010)
      .option('--pace <factor>', 'Speed; 1 is real time, 0 does not wait', parsePace, 1)
      .option('--data <file>', 'Keep records here (default: the configuration folder)')
      .addOption(new Option('--memory', 'Keep no records').conflicts('data'))
      .option('--save-profile <name>', 'Profile while it runs (default: sandbox)')
      .option('--numbers <file>', 'List of { id, number, assistantId, phoneVendor, outcome }')
      .addOption(
        new Option('--caller <who>', "Where the caller's lines come from")
          .choices(['script', 'live'])
          .default('script'),
      ),
  )
    .addOption(
      new Flag('--fault <list>', 'Inject faults into webhooks, as drop=0.1').repeatable(
        faultCollector(webhookFaultNames),
      ),
    )
    .addOption(
      new Flag('--fault-http <list>', 'Inject faults into requests, as 429=0.3').repeatable(
        faultCollector(httpFaultNames),
      ),
    )
    .option('--seed <n>', 'Repeat the ids and faults of a run with this seed', parseSeed)
}

export type StartOptions = OptionsOf<typeof withFlags>
