import { Command } from 'commander'
import { parseInteger, parseTargetName } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function faqCommand(run: Runner): Command {
  const faq = new Command('faq').description('keep the questions and answers of a knowledge base in a file')

  faq
    .command('push')
    .argument('<file>', 'YAML, JSON or CSV file with the entries')
    .description('insert new entries, update changed ones, and write new ids back into the file')
    .option('--kb <id>', 'id or name of the knowledge base, instead of knowledgeBaseId in the file')
    .option('--target <name>', 'section of the lockfile (default: the name of the profile)', parseTargetName)
    .option('--dry-run', 'print what would be sent; send and write nothing')
    .option('--batch-size <n>', 'most entries in one request (default: 100)', text =>
      parseInteger(text, 1, 10_000),
    )
    .option('--resend-unknown', 'send entries again whose answer was lost in an earlier push')
    .option('--allow-unknown', 'send fields that the interface does not know as they are')
    .addHelpText(
      'after',
      `
Examples:
  $ callwright faq push knowledge-bases/workshop.yaml
  $ callwright faq push questions.csv --kb 6650f0c2 --dry-run
  $ callwright faq push knowledge-bases/workshop.yaml --json | jq .inserted`,
    )
    .action((file, options, command) =>
      run(command, async context => (await import('./push.ts')).pushFaq({ ...options, file }, context), {
        endsItself: true,
      }),
    )

  return faq
}
