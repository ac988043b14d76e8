import { Argument } from '@commander-js/extra-typings'
import { defineCommand } from '../cli/cli-command.ts'
import { kindNames } from '../interface/words.ts'

export const schemaCommand = defineCommand({
  description: 'Print the JSON Schema of a kind of file',
  examples: ['callwright schema assistant > assistant.schema.json', 'callwright schema knowledge-base'],
  topics: ['files'],
  flags: command => command.addArgument(new Argument('<kind>', 'Kind of file').choices(kindNames)),
  /** With the words of this deployment's vocabulary; the same with and without --json. */
  async run(_options, { settings, output }, [kind]) {
    const { jsonSchema } = await import('../interface/json-schema.ts')
    const document = jsonSchema(kind, (await settings()).vocabulary.value)
    output.result(document, () => JSON.stringify(document, null, 2))
  },
})
