import * as z from 'zod/mini'
import { type Diagnostic, InvalidInput } from '../files/source/index.ts'
import { check, formatFieldPath } from '../interface/check.ts'
import { primitives } from '../interface/fields.ts'
import { seeSchema } from '../interface/finding.ts'
import { CallyardError as CoreError, getErrorCode } from '../lib/error.ts'
import { isObject, mapValues } from '../lib/json.ts'
import { count } from '../lib/text/count.ts'
import { CallyardError, type Finding } from './public-types.ts'

/** Options of a function, once they passed its schema. @throws CallyardError for the first that does not, by its name */
export function checkOptions(schema: z.ZodMiniType, options: unknown, owner: string): void {
  const [finding] = check(schema, options)
  if (finding === undefined) return
  const { code, path, message, hint } = finding
  const field = path.length === 0 ? 'options' : formatFieldPath(path)
  const optionsMessage = message.replace(/^the document\b/, 'options')
  throw new CallyardError(code, `${owner}: ${optionsMessage}`, {
    field,
    hint: hint === seeSchema ? undefined : hint,
  })
}

/** Schema of an object with optional fields. Builds only those that the value has: each takes as long as a hundred checks. */
export function schemaOfGiven(fields: Readonly<Record<string, () => z.ZodMiniType>>, value: unknown) {
  const details = isObject(value) ? value : {}
  const omitted = z.optional(primitives.never())
  return z.strictObject(mapValues(fields, (build, name) => (details[name] === undefined ? omitted : build())))
}

/** Returns a copy of a value as JSON, so that later changes have no effect. @throws CallyardError `not-json` */
export function toPlain(options: object, owner: string): unknown {
  const copies = Object.entries(options).map(([field, value]) => {
    try {
      const json: string | undefined = JSON.stringify(value)
      return [field, json === undefined ? undefined : JSON.parse(json)]
    } catch (error) {
      throw new CallyardError('not-json', `${owner}: ${field} cannot be converted to JSON`, {
        field,
        hint: 'pass plain data, without BigInt values and cycles',
        cause: error,
      })
    }
  })
  return Object.fromEntries(copies)
}

/** An error of callyard with its words, for a program; anything else as it was thrown. */
export async function toPublicError(thrown: unknown): Promise<unknown> {
  if (thrown instanceof InvalidInput) {
    const findings = toFindings(thrown.diagnostics)
    return new CallyardError('invalid-files', describeFindings(findings), { findings })
  }
  if (!(thrown instanceof CoreError)) return thrown
  const { code, kind, message, hint } = thrown
  return new CallyardError(code ?? kind, message, {
    hint,
    ...optionsByCode[code ?? ''],
    // The internal error has the same message, so only a system error beneath it is worth keeping.
    cause: getErrorCode(thrown.cause) === undefined ? undefined : thrown.cause,
  })
}

/** The option that an error is about. */
const optionsByCode: Readonly<Record<string, { readonly field: string }>> = {
  'port-taken': { field: 'port' },
  'port-in-use': { field: 'port' },
  'sandbox-cannot-listen': { field: 'port' },
  'cannot-listen': { field: 'port' },
  'no-project-in': { field: 'project' },
  'unusable-key': { field: 'apiKey' },
  'key-taken': { field: 'apiKey' },
  'bad-advance': { field: 'time' },
  'bad-pace': { field: 'pace' },
}

export function toFindings(diagnostics: readonly Diagnostic[]): Finding[] {
  return diagnostics.map(({ code, severity, file, path, position, message, hint }) => ({
    code,
    severity,
    file,
    ...position,
    field: path.length === 0 ? undefined : formatFieldPath(path),
    message,
    hint,
  }))
}

const maxShown = 5

function describeFindings(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const lines = errors.slice(0, maxShown).map(({ file, line, column, message, hint }) => {
    const location = [file, line, column].filter(part => part !== undefined).join(':')
    return `\n  ${location}  ${message}${hint === undefined ? '' : `; ${hint}`}`
  })
  const more = errors.length > maxShown ? `\n  and ${errors.length - maxShown} more` : ''
  return `${count(errors.length, 'error')} in the files${lines.join('')}${more}`
}
