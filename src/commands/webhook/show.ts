import { type Command, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import type { TranscriptFormat } from '../../transcript/index.ts'

const formats = ['text', 'markdown', 'json', 'html', 'csv'] as const satisfies readonly TranscriptFormat[]

export const webhookShowCommand = defineCommand({
  description: 'List recorded calls, or print them as text, Markdown, JSON, HTML or CSV',
  examples: [
    'callwright webhook show calls.ndjson',
    'callwright webhook show calls.ndjson --call CC-7d3f2c1e --out call.html',
    'callwright webhook show calls.ndjson --all --out calls.html',
  ],
  topics: ['transcripts'],
  flags: withFlags,
  needs: { out: ['force'] },
  run: async (options, context, [file]) => (await import('./show-recording.ts')).show(file, options, context),
})

function withFlags(command: Command) {
  return command
    .argument('<file>', 'Recording of webhook tail --record')
    .option('--call <id>', 'Call to print, by a beginning of its id')
    .option('--last', 'Print the call that began last')
    .option('--all', 'Print every call of the recording')
    .addOption(
      new Option('--format <format>', 'Format (default: by the extension of --out, else text)').choices(
        formats,
      ),
    )
    .option('--out <file>', 'Write to a new file, which only you can read')
    .option('--force', 'Let --out replace a file')
}

export type ShowOptions = OptionsOf<typeof withFlags>
