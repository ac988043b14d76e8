import type { Command } from '@commander-js/extra-typings'
import { Flag, Operand, type OptionsOf, withFileFlags, yesFlag } from '../../../shell/flags/flag.ts'
import { withLlmFlags } from '../../../shell/flags/llm-flags.ts'
import { collectVariable, parseMoment, parseSeed } from '../../../shell/flags/option-parsers.ts'
import { type OutputFile, outFlag } from '../../../shell/flags/out-flag.ts'
import { dataHints } from '../../sandbox/flags.ts'
import { assistantIdHints } from '../flags.ts'

const transcriptFormats = ['text', 'json', 'ndjson'] as const

export type TranscriptFile = OutputFile<(typeof transcriptFormats)[number]>

export function withChatFlags(command: Command) {
  return withLlmFlags(
    withFileFlags(
      command
        .addArgument(
          new Operand('[assistant]', 'File, name in the project or id of the assistant').completes(
            'assistant',
            'files',
          ),
        )
        .addOption(
          new Flag('--assistant-id <id>', 'Id of an assistant in the records of sandbox start')
            .helpsWith(assistantIdHints)
            .completes('assistant-id'),
        )
        .addOption(
          new Flag('--var <name=value>', 'Value for {{name}} in prompts and messages').repeatable(
            collectVariable,
          ),
        )
        .option('--overrides <file>', 'YAML or JSON file of assistant overrides')
        .option('--caller <file>', 'File with lines of the caller, said before yours')
        .addOption(
          outFlag('Write the transcript to a new file (.txt, .json or .ndjson)', transcriptFormats, {
            needsFile: 'The transcript is printed on stdout anyway; leave --out out.',
          }),
        )
        .addOption(
          new Flag('--data <file>', 'Use the FAQ, tools and assistants of these records').helpsWith(
            dataHints(),
          ),
        )
        .option('--webhooks', 'Send the webhooks of the assistant')
        .addOption(yesFlag())
        .option('--offline', 'Simulate tools, and send nothing to any server')
        .option('--at <time>', 'Time of the call (default: now; without a terminal 2026-01-01)', parseMoment)
        .option('--seed <n>', 'Seed for the ids of the call', parseSeed),
    ),
  )
}

export type ChatOptions = OptionsOf<typeof withChatFlags>
