import type { Command } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { type OptionsOf, withFileFlags, withTargetFlag } from '../../cli/flags/flag.ts'

export const assistantCreateCommand = defineCommand({
  description: 'Create an assistant from a file, or by answering questions',
  examples: [
    'callwright assistant create assistants/front-desk.yaml',
    'callwright assistant create assistants/front-desk.yaml --json | jq -r ._id',
  ],
  topics: ['files'],
  flags: withAssistantFlags,
  run: async (options, context, [file]) =>
    (await import('../send-resource.ts')).createAssistant(file, options, context),
})

function withAssistantFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(
      command.argument('[file]', 'YAML or JSON file of the assistant; without it, a form asks'),
    ).option('--again', 'Create another one of a file that the target has already'),
  )
}

/** Of `assistant create` and of `tool create`. */
export type CreateResourceOptions = OptionsOf<typeof withAssistantFlags>
