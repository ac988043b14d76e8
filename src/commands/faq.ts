import type { Command } from '@commander-js/extra-typings'
import { defineCommand, defineGroup } from '../cli/cli-command.ts'
import { type OptionsOf, withFileFlags, withTargetFlag } from '../cli/flags/flag.ts'
import { parseInteger } from '../cli/flags/option-parsers.ts'

export const faqCommand = defineGroup({
  description: 'Send FAQ entries to a knowledge base, and ask them',
  examples: ['callwright faq push knowledge-bases/workshop.yaml', 'callwright faq ask "When are you open?"'],
  verbs: {
    push: defineCommand({
      description: 'Insert new FAQ entries, update changed ones, write new ids into the file',
      examples: [
        'callwright faq push knowledge-bases/workshop.yaml',
        'callwright faq push questions.csv --kb 6650f0c2 --dry-run',
      ],
      topics: ['faq-push', 'files', 'projects'],
      flags: withPushFlags,
      run: async (options, context, [file]) =>
        (await import('./faq/push-faq.ts')).pushFaq(file, options, context),
      endsItself: () => true,
    }),
    ask: defineCommand({
      description: 'Show the FAQ entries that answer a question',
      examples: [
        'callwright faq ask "When are you open?"',
        'callwright faq ask "Do you mend e-bikes?" questions.csv --json | jq -r .entries[0].question',
      ],
      topics: ['sandbox-replies', 'files', 'exit-codes'],
      flags: withAskFlags,
      run: async (options, context, [question, files]) =>
        (await import('./faq/ask-faq.ts')).askFaq(question, files, options, context),
    }),
  },
})

function withPushFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(
      command
        .argument('<file>', 'YAML, JSON or CSV file of the entries')
        .option('--kb <id>', 'Id or name, instead of knowledgeBaseId in the file'),
    )
      .option('--dry-run', 'Print what would be sent; send and write nothing')
      .option('--batch-size <n>', 'Entries per request (default: 100)', text => parseInteger(text, 1, 10_000))
      .option('--adopt-batch <file>', 'Take these ids for entries whose answer was lost (- for stdin)')
      .option('--resend-unknown', 'Send entries again whose answer was lost'),
  )
}

export type PushFaqOptions = OptionsOf<typeof withPushFlags>

function withAskFlags(command: Command) {
  return withFileFlags(
    command
      .argument('<question>', 'What a caller asks')
      .argument('[knowledge-bases...]', 'Files, or names in the project (default: all of the project)')
      .option('--limit <n>', 'Entries to show at most (default: 3)', text => parseInteger(text, 1, 1000)),
    'Accept',
  )
}

export type AskFaqOptions = OptionsOf<typeof withAskFlags>
