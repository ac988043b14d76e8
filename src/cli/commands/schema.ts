import { dirname } from 'node:path'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { type KindName, kindNames } from '../../interface/words.ts'
import { CallyardError } from '../../lib/error.ts'
import { count } from '../../lib/text/count.ts'
import { bold, join, text, whole } from '../../lib/text/text.ts'
import { suggest } from '../shell/advice.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context } from '../shell/context.ts'
import { Operand } from '../shell/flags/flag.ts'
import { projectKinds } from './project-schemas.ts'

export const schemaCommand = defineCommand({
  description: 'Print or update JSON Schemas, or print an OpenAPI document',
  examples: [
    'callyard schema assistant > assistant.schema.json',
    'callyard schema result:call-start',
    'callyard schema --write',
  ],
  topics: ['files'],
  effect: 'none',
  flags: command =>
    command
      .addArgument(
        new Operand('[kind]', 'File kind, openapi, result:<command> or input:<command>')
          .completes('command-schemas')
          .choices(names)
          .argParser(parseName),
      )
      .option('--write', "Update the project's schemas/ (default: every kind)"),
  result: ({ z, required }) => ({
    document: z.union([
      z.object({
        written: required(z.array(z.string()), 'With --write: schemas that were written'),
        unchanged: required(z.array(z.string()), 'With --write: schemas that were up to date'),
      }),
      required(z.record(z.string(), z.unknown()), 'JSON Schema or OpenAPI document'),
    ]),
  }),
  /** With the words of this deployment's vocabulary; the same with and without --json. */
  async run({ write = false }, context, [kind]) {
    const { settings, output } = context
    if (write) return writeToProject(kind, context)
    if (kind === undefined) {
      throw new CallyardError('usage', '<kind> is missing', {
        hint: 'pass a kind, or --write to update the schemas of a project',
        details: { missing: ['<kind>'] },
      })
    }
    const vocabulary = (await settings()).vocabulary.value
    const document =
      kind === 'openapi'
        ? (await import('../../interface/openapi.ts')).openApi({ vocabulary })
        : isFileKind(kind)
          ? (await import('../../files/formats/file-schema.ts')).jsonSchema(kind, vocabulary)
          : await (await import('./command-schemas.ts')).commandSchema(kind, this.parent ?? this)
    output.result(document, () => whole(JSON.stringify(document, null, 2)))
  },
})

/** Kinds of files, and the interface of the service. */
const names = [...kindNames, 'openapi'] as const

type SchemaName = (typeof names)[number] | `${'result' | 'input'}:${string}`

/** @throws InvalidArgumentError for an invalid name; the command of `result:…` is looked up later */
function parseName(text: string): SchemaName {
  const name = names.find(candidate => candidate === text)
  if (name !== undefined) return name
  if (isCommandSchema(text)) return text
  throw new InvalidArgumentError(
    `Allowed choices are ${[...names, 'result:<command>', 'input:<command>'].join(', ')}.`,
  )
}

function isCommandSchema(text: string): text is `${'result' | 'input'}:${string}` {
  return /^(?:result|input):/.test(text)
}

function isFileKind(name: SchemaName): name is KindName {
  return kindNames.some(kind => kind === name)
}

async function writeToProject(kind: SchemaName | undefined, context: Context): Promise<void> {
  const kinds = projectKinds.filter(candidate => kind === undefined || candidate === kind)
  if (kinds.length === 0) {
    const name = String(kind)
    throw new CallyardError('usage', `a project has no ${kind} files`, {
      ...suggest`print the schema instead: ${['schema', name]} > ${name}.json`,
    })
  }
  const { project } = await context.settings()
  if (project === undefined) {
    throw new CallyardError('usage', 'not in a project: no callyard.yaml', {
      ...suggest`create one: ${['init']}`,
    })
  }
  const { writeSchemas } = await import('./write-schemas.ts')
  const result = await writeSchemas(dirname(project.file), kinds, context)
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
