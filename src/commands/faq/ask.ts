import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { type OptionsOf, withFileFlags } from '../../cli/flags/flag.ts'
import { parseInteger } from '../../cli/flags/option-parsers.ts'

export const faqAskCommand = defineCommand({
  description: 'Show the FAQ entries that answer a question',
  examples: [
    'callwright faq ask "When are you open?"',
    'callwright faq ask "Do you mend e-bikes?" questions.csv --json | jq -r .entries[0].question',
  ],
  topics: ['sandbox-replies', 'files', 'exit-codes'],
  flags: withAskFlags,
  run: async (options, context, [question, files]) =>
    (await import('./ask-faq.ts')).askFaq(question, files, options, context),
})

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
