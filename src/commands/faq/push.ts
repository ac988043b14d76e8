import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf, withFileFlags, withTargetFlag } from '../../cli/flags/flag.ts'
import { collect, parseInteger } from '../../cli/flags/option-parsers.ts'

export const faqPushCommand = defineCommand({
  description: 'Insert new FAQ entries, update changed ones, write new ids into the file',
  examples: [
    'callwright faq push knowledge-bases/workshop.yaml',
    'callwright faq push questions.csv --kb 6650f0c2 --dry-run',
  ],
  topics: ['faq-push', 'files', 'projects'],
  flags: withPushFlags,
  run: async (options, context, [file]) => (await import('./push-faq.ts')).pushFaq(file, options, context),
  endsItself: () => true,
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
      .option('--resend-unknown', 'Send entries again whose answer was lost')
      .addOption(new Flag('--forget <id>', 'Insert a deleted entry again').repeatable(collect)),
  )
}

export type PushFaqOptions = OptionsOf<typeof withPushFlags>
