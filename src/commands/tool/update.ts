import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { type OptionsOf, withFileFlags, withTargetFlag } from '../../cli/flags/flag.ts'

export const toolUpdateCommand = defineCommand({
  description: 'Update the fields of a tool that a file holds',
  examples: ['callwright tool update 6650f0c2 changes.yaml', 'callwright tool update book tools/book.yaml'],
  topics: ['files', 'projects'],
  flags: withUpdateFlags,
  run: async (options, context, [id, file]) =>
    (await import('../send-resource.ts')).updateTool({ id, file }, options, context),
})

function withUpdateFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(
      command
        .argument('<id>', 'Id of the tool, or its name in the project')
        .argument('<file>', 'YAML or JSON file of the fields to change'),
    ),
  )
}

export type UpdateToolOptions = OptionsOf<typeof withUpdateFlags>
