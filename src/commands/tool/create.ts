import { defineCommand } from '../../cli/cli-command.ts'
import { withFileFlags, withTargetFlag } from '../../cli/flags/flag.ts'

export const toolCreateCommand = defineCommand({
  description: 'Create a tool from a file',
  examples: [
    'callwright tool create tools/book.yaml',
    'callwright tool create tools/book.yaml --json | jq -r ._id',
  ],
  topics: ['files'],
  flags: command =>
    withFileFlags(
      withTargetFlag(command.argument('<file>', 'YAML or JSON file of the tool')).option(
        '--again',
        'Create another one of a file that the target has already',
      ),
    ),
  run: async (options, context, [file]) =>
    (await import('../send-resource.ts')).createTool(file, options, context),
})
