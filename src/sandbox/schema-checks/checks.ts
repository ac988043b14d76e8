import type { ErrorObject } from 'ajv/dist/2020.js'
import { getErrorReason } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { compileSchema, loadPatternEngine } from './compile-schema.ts'
import { createWorkBudget, type WorkBudget } from './work-budget.ts'

export { loadPatternEngine }

export interface Questions {
  readonly data: DataQuestion
  readonly arguments: ArgumentsQuestion
}

export interface CheckResults {
  readonly data: CheckedData
  readonly arguments: CheckedArguments
}

/** Each ends within its budget, whatever its input. */
export const checks: {
  readonly [Name in keyof Questions]: (question: Questions[Name], budget?: WorkBudget) => CheckResults[Name]
} = {
  data: checkData,
  arguments: checkArguments,
}
interface ArgumentsQuestion {
  /** `function.parameters` of the tool. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly values: unknown
}

/** The arguments are valid if both are undefined. */
export interface CheckedArguments {
  /** Why the tool's parameters cannot be used; continues a sentence that starts with their name. */
  readonly unusable?: string
  /** Validation error, such as `day must be string`. */
  readonly misfit?: string
}

function checkArguments(
  { schema, values }: ArgumentsQuestion,
  budget = createWorkBudget(),
): CheckedArguments {
  const unusable = (reason: string) => ({ unusable: `cannot be used: ${reason}` })
  const { $async: _, $schema: __, ...rest } = schema
  try {
    const compiled = compileSchema(rest, budget)
    if ('reason' in compiled) return unusable(compiled.reason)
    const [error] = compiled.findErrors(values)
    if (error === undefined) return {}
    const at = error.instancePath.slice(1).replaceAll('/', '.')
    return { misfit: `${at === '' ? 'they' : at} ${error.message ?? 'do not pass'}` }
  } catch (error) {
    // Too much work, or an infinitely recursive schema.
    return unusable(getErrorReason(error))
  }
}

interface DataQuestion {
  readonly schema: DataSchema
  readonly values: Readonly<Record<string, unknown>>
}

export interface CheckedData {
  readonly data: Record<string, unknown>
  /** One sentence per dropped value. */
  readonly problems: readonly string[]
}

/** The schema of interface.md 2.4: `properties` maps a field to its JSON Schema. */
export type DataSchema = Readonly<Record<string, unknown>> | undefined

/**
 * Keeps the values that pass the schema (JSON Schema 2020-12). Drops unknown properties and null; drops and reports properties that
 * fail or have an invalid schema. Failures of the whole object (`required`) are reported and drop nothing. Fetches nothing.
 */
function checkData({ schema, values }: DataQuestion, budget = createWorkBudget()): CheckedData {
  // `$async` would make every check a promise; the dialect is always the same.
  const { properties, $async, $schema, ...rest } = schema ?? {}
  const propertySchemas = isObject(properties) ? properties : {}
  const givenEntries = Object.entries(values).filter(
    ([name, value]) =>
      name !== '__proto__' && Object.hasOwn(propertySchemas, name) && value !== undefined && value !== null,
  )
  const useless = (reason: string) => ({
    data: {},
    problems: [`the schema of the structured data cannot be used: ${reason}`],
  })
  try {
    const usable = findUsable(rest, propertySchemas, budget)
    if ('reason' in usable) return useless(usable.reason)
    const problems = givenEntries.flatMap(([name]) => {
      const reason = usable.broken.get(name)
      return reason === undefined
        ? []
        : [`the structured data’s ${name} has a schema that cannot be used: ${reason}`]
    })
    const validEntries = givenEntries.filter(([name]) => !usable.broken.has(name))
    return keepPassing(usable.findErrors, new Map(validEntries), problems)
  } catch (error) {
    // Too much work, or an infinitely recursive schema.
    return useless(getErrorReason(error))
  }
}

/** Compiles the whole schema. If that fails, compiles it without the broken properties and returns these with the reason. */
function findUsable(rest: object, propertySchemas: Readonly<Record<string, unknown>>, budget: WorkBudget) {
  const broken = new Map<string, string>()
  const whole = compileSchema({ ...rest, properties: propertySchemas }, budget)
  if ('findErrors' in whole) return { ...whole, broken }
  const sound = Object.entries(propertySchemas).filter(([name, property]) => {
    const alone = compileSchema({ ...rest, properties: Object.fromEntries([[name, property]]) }, budget)
    if ('reason' in alone) broken.set(name, alone.reason)
    return 'findErrors' in alone
  })
  return { ...compileSchema({ ...rest, properties: Object.fromEntries(sound) }, budget), broken }
}

/** Drops failing properties until the rest passes. Each round drops at least one. */
function keepPassing(
  findErrors: (values: unknown) => readonly ErrorObject[],
  values: Map<string, unknown>,
  problems: string[],
): CheckedData {
  const droppedNames = new Set<string>()
  while (true) {
    const data = Object.fromEntries(values)
    const errors = findErrors(data)
    const misfits = errors.flatMap(error => {
      const name = propertyOf(error)
      return values.has(name) ? [{ name, message: error.message }] : []
    })
    if (misfits.length === 0) {
      const others = errors.filter(({ params }) => !droppedNames.has(String(params.missingProperty)))
      return { data, problems: [...problems, ...others.map(toSentence)] }
    }
    for (const { name, message } of misfits) {
      if (!values.delete(name)) continue
      droppedNames.add(name)
      problems.push(`the structured data’s ${name} does not match its schema: ${message ?? 'wrong type'}`)
    }
  }
}

/** `instancePath` is a JSON pointer, empty for an error of the whole object. */
function propertyOf({ instancePath }: ErrorObject): string {
  const [, name = ''] = instancePath.split('/')
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function toSentence({ message }: ErrorObject): string {
  return `the structured data does not match its schema: ${message ?? 'wrong type'}`
}
