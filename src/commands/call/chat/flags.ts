import type { Command } from '@commander-js/extra-typings'
import { Flag, type OptionsOf, withFileFlags } from '../../../cli/flags/flag.ts'
import { withLlmFlags } from '../../../cli/flags/llm-flags.ts'
import { collectVariable, parseMoment, parseSeed } from '../../../cli/flags/option-parsers.ts'

export function withChatFlags(command: Command) {
  return withLlmFlags(
    withFileFlags(
      command
        .argument('[assistant]', 'File of the assistant, its name in the project, or its id')
        .option('--assistant-id <id>', 'Assistant of the records of sandbox start')
        .addOption(
          new Flag('--var <name=value>', 'Value for {{name}} in the texts').repeatable(collectVariable),
        )
        .option('--overrides <file>', 'YAML or JSON file of assistant overrides')
        .option('--caller <file>', 'Lines that the caller says first, one per line')
        .option('--save <file>', 'Save the transcript to a new file: .json, .ndjson or text')
        .option('--data <file>', 'Take FAQ, tools and assistants from these records')
        .option('--webhooks', 'Send the webhooks that the assistant asks for')
        .option(
          '--at <time>',
          'When the call is placed (default: now; without a terminal 2026-01-01)',
          parseMoment,
        )
        .option('--seed <n>', 'Fix the ids of the call', parseSeed),
    ),
  )
}

export type ChatOptions = OptionsOf<typeof withChatFlags>
