import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'

export const sandboxImportCommand = defineCommand({
  description: 'Replace the records of a sandbox by those of a file',
  examples: [
    'callwright sandbox import desk.snapshot.json',
    'callwright sandbox import desk.snapshot.json --force',
  ],
  topics: ['sandbox-records'],
  flags: withFlags,
  run: async (options, context, [file]) =>
    (await import('./records.ts')).importRecords(file, options, context),
})

function withFlags(command: Command) {
  return command
    .argument('<file>', 'Snapshot to read; - is stdin')
    .option('--data <file>', 'Records of a sandbox that does not run')
    .option('--force', 'Replace records that are there without asking')
}

export type ImportOptions = OptionsOf<typeof withFlags>
