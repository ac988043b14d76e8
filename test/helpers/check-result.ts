import type { ValidateFunction } from 'ajv'
import type { ZodMiniType } from 'zod/mini'
import { eventsDroppedSchema, failureSchema } from '../../src/cli/commands/failure-result.ts'
import { findCommand } from '../../src/cli/commands/help/command-help.ts'
import { buildProgram } from '../../src/cli/commands/program.ts'
import { resultIn } from '../../src/cli/shell/captured-host.ts'
import { CliCommand } from '../../src/cli/shell/cli-command.ts'
import { mapSchemas, plainSchema, type Schema } from '../../src/interface/json-schema.ts'
import { isObject } from '../../src/lib/json.ts'
import { strictAjv } from './strict-ajv.ts'

/**
 * Checks what a command printed with --json against the schema that the command declares. A field that the schema does not have is
 * an error, too. Text that is not JSON, such as a page of help, passes.
 */
export async function checkResult(argv: readonly string[], stdout: string): Promise<void> {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  const value = words.includes('--json') ? resultIn(stdout) : undefined
  if (value === undefined) return
  const { command } = await findCommand(root, words)
  const schemas = command instanceof CliCommand ? await command.result?.() : undefined
  // What `sandbox exec` prints is the program's.
  if (schemas === undefined && !isFailure(value)) return
  const isStream = Array.isArray(value) && schemas?.event !== undefined
  const schema = isFailure(value) ? failureSchema : isStream ? schemas.event : schemas?.document
  const commandText = `callyard ${words.join(' ')}`
  if (schema === undefined) throw new Error(`${commandText} printed a result, but declares no schema for it`)
  const validate = validatorOf(schema)
  for (const item of isStream ? value : [value]) {
    if (validate(item) || (isFailure(item) && validatorOf(failureSchema)(item))) continue
    if (isStream && validatorOf(eventsDroppedSchema)(item)) continue
    const problems = validate.errors?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    const printed = JSON.stringify(item, null, 2).slice(0, 4000)
    throw new Error(
      `the result of ${commandText} is not what its schema says\n${problems?.join('\n')}\n${printed}`,
    )
  }
}

const nowhere = { write: () => true }
const root = buildProgram(async () => {}, { stdout: nowhere, stderr: nowhere })
const ajv = strictAjv({ allErrors: true, strictTypes: false })
const validators = new Map<ZodMiniType, ValidateFunction>()

function isFailure(value: unknown): boolean {
  return isObject(value) && value.kind === 'error' && isObject(value.error) && 'exitCode' in value.error
}

function validatorOf(schema: ZodMiniType): ValidateFunction {
  const cachedValidator = validators.get(schema)
  if (cachedValidator !== undefined) return cachedValidator
  const validate = ajv.compile(mapSchemas(plainSchema(schema), closed))
  validators.set(schema, validate)
  return validate
}

/** Refuses fields that a schema does not name, unless it says that there may be others. */
function closed(schema: Schema): Record<string, unknown> {
  return schema.properties === undefined ? { ...schema } : { additionalProperties: false, ...schema }
}
