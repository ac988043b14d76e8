import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf, withFileFlags } from '../../cli/flags/flag.ts'
import { withLlmFlags } from '../../cli/flags/llm-flags.ts'
import { collectVariable, parseMoment, parseSeed } from '../../cli/flags/option-parsers.ts'

export const callChatCommand = defineCommand({
  description: 'Hold a call in text, as the caller',
  examples: [
    'callwright call chat assistants/front-desk.yaml --var name=Ada',
    'callwright call chat assistants/front-desk.yaml --llm-url http://127.0.0.1:11434/v1 --llm-model small',
  ],
  topics: ['chat', 'sandbox'],
  flags: withChatFlags,
  run: async (options, context, [assistant]) =>
    (await import('./chat/open-chat.ts')).chat(assistant, options, context),
  endsItself: () => true,
})

function withChatFlags(command: Command) {
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
