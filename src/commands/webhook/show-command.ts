import { Option } from 'commander'
import type { CliCommand } from '../../cli/cli-command.ts'
import type { Runner } from '../../cli/runner.ts'
import type { TranscriptFormat } from '../../transcript/index.ts'

const formats = ['text', 'markdown', 'json', 'html'] as const satisfies readonly TranscriptFormat[]

/** Adds `webhook show` to its group. */
export function addShowCommand(webhook: CliCommand, run: Runner): void {
  webhook
    .command('show')
    .description('List recorded calls, or print one as text, Markdown, JSON or HTML')
    .argument('<file>', 'Recording of webhook tail --record')
    .option('--call <id>', 'Call to print, by a beginning of its id')
    .option('--last', 'Print the call that began last')
    .option('--all', 'Print every call of the recording')
    .addOption(
      new Option('--format <format>', 'Format (default: by the name of --out, else text)').choices(formats),
    )
    .option('--out <file>', 'Write to a new file, which only you can read')
    .option('--force', 'Let --out replace a file')
    .examples(
      'callwright webhook show calls.ndjson',
      'callwright webhook show calls.ndjson --call CC-7d3f2c1e --out call.html',
    )
    .learnMore('transcripts')
    .action((file, options, command) =>
      run(command, async context => (await import('./show.ts')).show(file, options, context)),
    )
}
