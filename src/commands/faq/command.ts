import type { Command } from 'commander'
import { CliCommand } from '../../cli/cli-command.ts'
import { parseInteger, parseTargetName } from '../../cli/flags/option-parsers.ts'
import { outsideOption } from '../../cli/flags/outside-option.ts'
import type { Runner } from '../../cli/runner.ts'

export function faqCommand(run: Runner): Command {
  const faq = new CliCommand('faq')
    .description('Send the FAQ entries of a file to a knowledge base')
    .examples(
      'callwright faq push knowledge-bases/workshop.yaml',
      'callwright faq push questions.csv --kb 6650f0c2 --dry-run',
    )

  faq
    .command('push')
    .argument('<file>', 'YAML, JSON or CSV file of the entries')
    .description('Insert new FAQ entries, update changed ones, write new ids into the file')
    .option('--kb <id>', 'Id or name, instead of knowledgeBaseId in the file')
    .option('--target <name>', 'Section of the lockfile (default: the profile)', parseTargetName)
    .option('--dry-run', 'Print what would be sent; send and write nothing')
    .option('--batch-size <n>', 'Entries per request (default: 100)', text => parseInteger(text, 1, 10_000))
    .option('--adopt-batch <file>', 'Take these ids for entries whose answer was lost (- for stdin)')
    .option('--resend-unknown', 'Send entries again whose answer was lost')
    .option('--allow-unknown', 'Send fields that the interface does not know')
    .addOption(outsideOption())
    .examples(
      'callwright faq push knowledge-bases/workshop.yaml',
      'callwright faq push questions.csv --kb 6650f0c2 --dry-run',
    )
    .learnMore('faq-push', 'files', 'projects')
    .action((file, options, command) =>
      run(command, async context => (await import('./push.ts')).pushFaq({ ...options, file }, context), {
        endsItself: true,
      }),
    )

  return faq
}
