import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { type OptionsOf, withFileFlags } from '../../cli/flags/flag.ts'

export const toolTryCommand = defineCommand({
  description: 'Call the server of a tool once, as the service does',
  examples: [
    `callwright tool try book --args '{"day": "2026-01-02"}'`,
    'callwright tool try tools/book.yaml --args @arguments.json --dry-run',
  ],
  topics: ['sandbox-replies', 'files', 'exit-codes'],
  flags: withTryFlags,
  run: async (options, context, [file]) => (await import('./try-tool.ts')).tryTool(file, options, context),
  endsItself: () => true,
})

function withTryFlags(command: Command) {
  return withFileFlags(
    command
      .argument('<file>', 'YAML or JSON file of the tool, or its name in the project')
      .option('--args <json>', 'Arguments as JSON, @file, or @- for stdin (default: {})')
      .option('--dry-run', 'Print the request; send nothing'),
  )
}

export type TryToolOptions = OptionsOf<typeof withTryFlags>
