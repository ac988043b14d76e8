import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { Flag, type NoOptions, type OptionsOf } from '../../cli/flags/flag.ts'
import { withLlmFlags } from '../../cli/flags/llm-flags.ts'
import { faultCollector, parsePace, parseSeed } from '../../cli/flags/option-parsers.ts'
import { httpFaultNames, webhookFaultNames } from '../../interface/fault-names.ts'

/** The flags of every command that runs the service: how it behaves, not where it listens. */
export function withServiceFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withLlmFlags(
    command
      .option('--pace <factor>', 'Speed; 1 is real time, 0 does not wait', parsePace, 1)
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
    .option('--no-control', 'Serve no control API (/__sandbox/)')
    .option('--seed <n>', 'Repeat the ids and faults of a run with this seed', parseSeed)
    .option('--snapshot <file>', 'Begin with the records of this file')
    .option('--snapshot-on-exit <file>', 'Write the records here at the end')
}

export type ServiceOptions = OptionsOf<typeof withServiceFlags<[], NoOptions>>
