import type { Argument, Option } from '@commander-js/extra-typings'
import * as z from 'zod/mini'
import { plainSchema, type Schema } from '../../interface/json-schema.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { suggest } from '../shell/advice.ts'
import { CliCommand, declared } from '../shell/cli-command.ts'
import { type AnyCommand, Flag, inputFlags } from '../shell/flags/flag.ts'
import { eventsDroppedSchema, failureSchema } from './failure-result.ts'
import { getCommandPath, leafCommands, ownFlags } from './help/command-help.ts'

const errorName = 'result:error'

/** Names of the schemas of every declared command, such as `result:call-start`, and of `result:error`. */
export function commandSchemaNames(root: AnyCommand): string[] {
  const commands = leafCommands(root)
  const withResult = commands.filter(command => command instanceof CliCommand && command.result !== undefined)
  return [
    errorName,
    ...withResult.map(command => `result:${nameOf(command)}`),
    ...commands.map(command => `input:${nameOf(command)}`),
  ]
}

/**
 * Returns the JSON Schema of a command's result or input.
 * @throws CallyardError `usage` for an unknown name
 */
export async function commandSchema(name: string, root: AnyCommand): Promise<Schema> {
  await declared(root, 'tree')
  const match = leafCommands(root).find(command => name.replace(/^\w+:/, '') === nameOf(command))
  const schema =
    name === errorName
      ? { title: 'The document of a command that fails with --json', ...plainSchema(failureSchema) }
      : match && (name.startsWith('input:') ? inputSchema(match, root) : await resultSchema(match))
  if (schema === undefined) {
    const suggestion = didYouMean(name, commandSchemaNames(root))
    throw new CallyardError('usage', `schema ${name} not found`, {
      ...(suggestion === undefined
        ? suggest`write commands with dashes: ${['schema', 'result:call-start']}`
        : { hint: meantHint(suggestion) }),
    })
  }
  const { $schema: _, ...rest } = schema
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:callyard:schema:${name}`,
    ...rest,
  }
}

/** `call-start`. */
function nameOf(command: AnyCommand): string {
  return getCommandPath(command).split(' ').slice(1).join('-')
}

/** JSON Schema of the command's --json output; undefined if stdout belongs to another program. */
export async function resultSchema(command: AnyCommand): Promise<Schema | undefined> {
  if (!(command instanceof CliCommand) || command.result === undefined) return undefined
  const { document, event: ownEvent } = await command.result()
  const event = ownEvent && z.union([ownEvent, eventsDroppedSchema])
  const run = `${getCommandPath(command)} --json`
  const options = [
    ...(document === undefined ? [] : [{ title: `The document of ${run}`, ...plainSchema(document) }]),
    ...(event === undefined ? [] : [{ title: `Each line of ${run}`, ...plainSchema(event) }]),
  ].map(({ $schema: _, ...option }: Schema) => option)
  return options.length === 1 ? options[0] : { title: run, anyOf: options }
}

function inputSchema(command: AnyCommand, root: AnyCommand): Schema {
  const flags = [...ownFlags(command), ...inputFlags(root)]
  const args = command.registeredArguments
  return {
    title: `Arguments and flags of ${getCommandPath(command)}`,
    type: 'object',
    properties: Object.fromEntries([
      ...args.map(argument => [argumentName(argument), argumentSchema(argument)]),
      ...flags.map(flag => [flag.attributeName(), flagSchema(flag)]),
    ]),
    ...(args.some(({ required }) => required) && {
      required: args.filter(({ required }) => required).map(argumentName),
    }),
    additionalProperties: false,
  }
}

/** Converts an argument's name to camel case like a flag's: `knowledgeBases`. */
function argumentName(argument: Argument): string {
  return argument.name().replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** JSON Schema of an argument's value. */
export function argumentSchema(argument: Argument): Schema {
  const { description, variadic, defaultValue } = argument
  const value = valueSchema(argument)
  return {
    description,
    ...(variadic ? { type: 'array', items: value } : value),
    ...(defaultValue !== undefined && { default: defaultValue }),
  }
}

/** JSON Schema of a flag's value: type, allowed values, default. */
export function flagSchema(option: Option): Schema {
  const { description, required, optional, negate, defaultValue, defaultValueDescription } = option
  if (negate) return { description, type: 'boolean', default: true }
  if (!required && !optional) return { description, type: 'boolean' }
  const value = valueSchema(option)
  const standard = defaultValueDescription ?? defaultValue
  if (option instanceof Flag && option.isRepeatable) return { description, type: 'array', items: value }
  return {
    description,
    ...(optional ? { anyOf: [{ const: true }, value] } : value),
    ...(standard !== undefined && { default: standard }),
  }
}

function valueSchema(from: Option | Argument): Schema {
  const { argChoices, parseArg } = from
  const ownSchema = parseArg !== undefined && 'schema' in parseArg ? parseArg.schema : undefined
  const isOpen = from instanceof Flag && from.isOpen
  return {
    type: 'string',
    ...(isObject(ownSchema) && ownSchema),
    ...(argChoices && { [isOpen ? 'examples' : 'enum']: argChoices }),
  }
}
