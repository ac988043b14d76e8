import { dirname } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import { defineCommand } from '../cli/cli-command.ts'
import type { Context } from '../cli/context.ts'
import { type KindName, kindNames } from '../interface/words.ts'
import { CallwrightError } from '../lib/error.ts'
import { count } from '../lib/text/count.ts'
import { bold, join, text, whole } from '../lib/text/text.ts'
import { projectKinds } from './project-schemas.ts'

export const schemaCommand = defineCommand({
  description: 'Print or update JSON Schemas, or print an OpenAPI document',
  examples: [
    'callwright schema assistant > assistant.schema.json',
    'callwright schema openapi > openapi.json',
    'callwright schema --write',
  ],
  topics: ['files'],
  flags: command =>
    command
      .addArgument(
        new Argument('[kind]', 'Kind of file, or openapi').choices([...kindNames, 'openapi'] as const),
      )
      .option('--write', "Update the project's schemas/ (default: every kind)"),
  /** With the words of this deployment's vocabulary; the same with and without --json. */
  async run({ write = false }, context, [kind]) {
    const { settings, output } = context
    if (write) return writeToProject(kind, context)
    if (kind === undefined) {
      throw new CallwrightError('usage', '<kind> is missing', {
        hint: 'name a kind, or pass --write to update the schemas of a project',
        details: { missing: ['<kind>'] },
      })
    }
    const vocabulary = (await settings()).vocabulary.value
    const document =
      kind === 'openapi'
        ? (await import('../interface/openapi.ts')).openApi({ vocabulary })
        : (await import('../interface/json-schema.ts')).jsonSchema(kind, vocabulary)
    output.result(document, () => whole(JSON.stringify(document, null, 2)))
  },
})

async function writeToProject(kind: KindName | 'openapi' | undefined, context: Context): Promise<void> {
  const wanted = projectKinds.filter(each => kind === undefined || each === kind)
  if (wanted.length === 0) {
    throw new CallwrightError('usage', `a project has no ${kind} files`, {
      hint: `print the schema instead: callwright schema ${kind} > ${kind}.json`,
    })
  }
  const { project } = await context.settings()
  if (project === undefined) {
    throw new CallwrightError('usage', 'there is no project here: no callwright.yaml', {
      hint: 'callwright init makes one',
    })
  }
  const { writeSchemas } = await import('./write-schemas.ts')
  const result = await writeSchemas(dirname(project.file), wanted, context)
  context.output.result(result, () => {
    const { written, unchanged } = result
    const current = unchanged.length === 0 ? '' : `${count(unchanged.length, 'schema')} up to date`
    if (written.length === 0) return current
    return text`Wrote ${join(
      written.map(file => bold(file)),
      ', ',
    )}${current === '' ? '' : `; ${current}`}`
  })
}
