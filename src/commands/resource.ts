import type { Command } from '@commander-js/extra-typings'
import { defineCommand, defineGroup } from '../cli/cli-command.ts'
import { type OptionsOf, withFileFlags, withTargetFlag } from '../cli/flags/flag.ts'

export const assistantCommand = defineGroup({
  description: 'Create assistants',
  examples: ['callwright assistant create assistants/front-desk.yaml', 'callwright assistant create'],
  verbs: {
    create: defineCommand({
      description: 'Create an assistant from a file, or by answering questions',
      examples: [
        'callwright assistant create assistants/front-desk.yaml',
        'callwright assistant create assistants/front-desk.yaml --json | jq -r ._id',
      ],
      topics: ['files'],
      flags: withAssistantFlags,
      run: async (options, context, [file]) =>
        (await import('./resource/send-resource.ts')).createAssistant(file, options, context),
    }),
  },
})

function withAssistantFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(
      command.argument('[file]', 'YAML or JSON file of the assistant; without it, a form asks'),
    ).option('--again', 'Create another one of a file that the target has already'),
  )
}

/** Of `assistant create` and of `tool create`. */
export type CreateOptions = OptionsOf<typeof withAssistantFlags>

export const toolCommand = defineGroup({
  description: 'Create, update and try the tools that assistants call',
  examples: [
    'callwright tool create tools/book.yaml',
    'callwright tool try book --args \'{"day": "2026-01-02"}\'',
  ],
  verbs: {
    create: defineCommand({
      description: 'Create a tool from a file',
      examples: [
        'callwright tool create tools/book.yaml',
        'callwright tool create tools/book.yaml --json | jq -r ._id',
      ],
      topics: ['files'],
      flags: withToolFlags,
      run: async (options, context, [file]) =>
        (await import('./resource/send-resource.ts')).createTool(file, options, context),
    }),
    update: defineCommand({
      description: 'Update the fields of a tool that a file holds',
      examples: [
        'callwright tool update 6650f0c2 changes.yaml',
        'callwright tool update book tools/book.yaml',
      ],
      topics: ['files', 'projects'],
      flags: withUpdateFlags,
      run: async (options, context, [id, file]) =>
        (await import('./resource/send-resource.ts')).updateTool({ id, file }, options, context),
    }),
    try: defineCommand({
      description: 'Call the server of a tool once, as the service does',
      examples: [
        `callwright tool try book --args '{"day": "2026-01-02"}'`,
        'callwright tool try tools/book.yaml --args @arguments.json --dry-run',
      ],
      topics: ['sandbox-replies', 'files', 'exit-codes'],
      flags: withTryFlags,
      run: async (options, context, [file]) =>
        (await import('./resource/try-tool.ts')).tryTool(file, options, context),
      endsItself: () => true,
    }),
  },
})

function withToolFlags(command: Command) {
  return withFileFlags(
    withTargetFlag(command.argument('<file>', 'YAML or JSON file of the tool')).option(
      '--again',
      'Create another one of a file that the target has already',
    ),
  )
}

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

function withTryFlags(command: Command) {
  return withFileFlags(
    command
      .argument('<file>', 'YAML or JSON file of the tool, or its name in the project')
      .option('--args <json>', 'Arguments as JSON, @file, or @- for stdin (default: {})')
      .option('--dry-run', 'Print the request; send nothing'),
  )
}

export type TryToolOptions = OptionsOf<typeof withTryFlags>
