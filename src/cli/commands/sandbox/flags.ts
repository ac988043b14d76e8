import { type Command, Option, type OptionValues } from '@commander-js/extra-typings'
import { httpFaultNames, webhookFaultNames } from '../../../files/formats/fault-names.ts'
import type { Hints } from '../../shell/advice.ts'
import { Flag, type NoOptions, type OptionsOf, yesFlag } from '../../shell/flags/flag.ts'
import { withLlmFlags } from '../../shell/flags/llm-flags.ts'
import { faultCollector, parsePace, parseSeed } from '../../shell/flags/option-parsers.ts'

/** Hints of errors about the file of `--data`. */
export const dataHints = (otherFile = 'pass another file with --data'): Hints => ({
  'journal-in-use': `stop it, or ${otherFile}`,
  'journal-unusable': ({ isDiskFull = false }: { isDiskFull?: boolean }) =>
    isDiskFull ? 'free disk space, then run again' : `check the folder and its permissions, or ${otherFile}`,
  'journal-damaged': `move the file to start with an empty one, or ${otherFile}`,
})

/** The flags of every command that runs the service: how it behaves, not where it listens. */
export function withServiceFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withLlmFlags(
    command
      .option('--pace <factor>', 'Speed factor; 1 is real time, 0 does not wait', parsePace, 1)
      .option('--numbers <file>', 'JSON or YAML list of { id, number, assistantId, phoneVendor, outcome }')
      .addOption(
        new Option('--caller <who>', "Source of the caller's lines")
          .choices(['script', 'live'])
          .default('script'),
      ),
  )
    .addOption(
      new Flag('--fault <list>', 'Inject faults into webhooks, such as drop=0.1')
        .completes('fault')
        .repeatable(faultCollector(webhookFaultNames)),
    )
    .addOption(
      new Flag('--fault-http <list>', 'Inject faults into requests, such as 429=0.3')
        .completes('fault-http')
        .rare()
        .repeatable(faultCollector(httpFaultNames)),
    )
    .addOption(new Flag('--no-control', 'Disable the control API (/__sandbox/)').rare())
    .addOption(new Flag('--seed <n>', 'Seed for ids and faults').rare().argParser(parseSeed))
    .option('--snapshot <file>', 'Start with the records of a snapshot')
    .addOption(new Flag('--snapshot-on-exit <file>', 'Write a snapshot on exit').rare())
    .addOption(yesFlag().rare())
}

export type ServiceOptions = OptionsOf<typeof withServiceFlags<[], NoOptions>>
