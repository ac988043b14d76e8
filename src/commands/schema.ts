import { Argument } from '@commander-js/extra-typings'
import { defineCommand } from '../cli/cli-command.ts'
import { kindNames } from '../interface/words.ts'

export const schemaCommand = defineCommand({
  description: 'Print the JSON Schema of a file, or an OpenAPI document',
  examples: [
    'callwright schema assistant > assistant.schema.json',
    'callwright schema knowledge-base',
    'callwright schema openapi > openapi.json',
  ],
  topics: ['files'],
  flags: command =>
    command.addArgument(
      new Argument('<kind>', 'Kind of file, or openapi').choices([...kindNames, 'openapi'] as const),
    ),
  /** With the words of this deployment's vocabulary; the same with and without --json. */
  async run(_options, { settings, output }, [kind]) {
    const vocabulary = (await settings()).vocabulary.value
    const document =
      kind === 'openapi'
        ? (await import('../interface/openapi.ts')).openApi({ vocabulary })
        : (await import('../interface/json-schema.ts')).jsonSchema(kind, vocabulary)
    output.result(document, () => JSON.stringify(document, null, 2))
  },
})
