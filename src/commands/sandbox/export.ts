import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'

export const sandboxExportCommand = defineCommand({
  description: 'Write the records of a sandbox to a file',
  examples: ['callwright sandbox export desk.snapshot.json', 'callwright sandbox export - | jq .entries'],
  topics: ['sandbox-records'],
  flags: withFlags,
  run: async (options, context, [file]) =>
    (await import('./records.ts')).exportRecords(file, options, context),
})

function withFlags(command: Command) {
  return command
    .argument('<file>', 'File to write; - is stdout')
    .option('--data <file>', 'Records of a sandbox that does not run')
    .option('--force', 'Replace a file that is there')
}

export type ExportOptions = OptionsOf<typeof withFlags>
