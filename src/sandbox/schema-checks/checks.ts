import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { reasonOf } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'

/** Input of each check by name. */
export interface Questions {
  readonly data: DataQuestion
  readonly arguments: ArgumentsQuestion
}

export interface Answers {
  readonly data: CheckedData
  readonly arguments: CheckedArguments
}

/** A check may run forever unless `isBounded` says otherwise. */
export const checks: { readonly [Name in keyof Questions]: (question: Questions[Name]) => Answers[Name] } = {
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

function checkArguments({ schema, values }: ArgumentsQuestion): CheckedArguments {
  const { $async: _, $schema: __, ...rest } = schema
  const compiled = compileSchema(rest)
  if ('reason' in compiled) return { unusable: `cannot be used: ${compiled.reason}` }
  if (compiled.validate(values)) return {}
  const [error] = compiled.validate.errors ?? []
  const at = error?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  return { misfit: `${at === '' ? 'they' : at} ${error?.message ?? 'do not pass'}` }
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
function checkData({ schema, values }: DataQuestion): CheckedData {
  // `$async` would make every check a promise; the dialect is always the same.
  const { properties, $async, $schema, ...rest } = schema ?? {}
  const known = isObject(properties) ? properties : {}
  const given = Object.entries(values).filter(
    ([name, value]) =>
      name !== '__proto__' && Object.hasOwn(known, name) && value !== undefined && value !== null,
  )
  const usable = findUsable(rest, known)
  const problems: string[] = given.flatMap(([name]) => {
    const reason = usable.broken.get(name)
    return reason === undefined
      ? []
      : [`the structured data’s ${name} has a schema that cannot be used: ${reason}`]
  })
  const useless = (reason: string) => ({
    data: {},
    problems: [`the schema of the structured data cannot be used: ${reason}`],
  })
  if ('reason' in usable) return useless(usable.reason)
  const kept = given.filter(([name]) => !usable.broken.has(name))
  try {
    return keepPassing(usable.validate, new Map(kept), problems)
  } catch (error) {
    // Infinitely recursive schema.
    return useless(reasonOf(error))
  }
}

/** Compiles the whole schema. If that fails, compiles it without the broken properties and returns these with the reason. */
function findUsable(rest: object, known: Readonly<Record<string, unknown>>) {
  const broken = new Map<string, string>()
  const whole = compileSchema({ ...rest, properties: known })
  if ('validate' in whole) return { ...whole, broken }
  const sound = Object.entries(known).filter(([name, property]) => {
    const alone = compileSchema({ ...rest, properties: Object.fromEntries([[name, property]]) })
    if ('reason' in alone) broken.set(name, alone.reason)
    return 'validate' in alone
  })
  return { ...compileSchema({ ...rest, properties: Object.fromEntries(sound) }), broken }
}

/** Drops failing properties until the rest passes. Each round drops at least one. */
function keepPassing(
  validate: ValidateFunction,
  values: Map<string, unknown>,
  problems: string[],
): CheckedData {
  const left = new Set<string>()
  while (true) {
    const data = Object.fromEntries(values)
    const errors = validate(data) ? [] : (validate.errors ?? [])
    const misfits = errors.flatMap(error => {
      const name = propertyOf(error)
      return values.has(name) ? [{ name, message: error.message }] : []
    })
    if (misfits.length === 0) {
      const others = errors.filter(({ params }) => !left.has(String(params.missingProperty)))
      return { data, problems: [...problems, ...others.map(toSentence)] }
    }
    for (const { name, message } of misfits) {
      if (!values.delete(name)) continue
      left.add(name)
      problems.push(
        `the structured data’s ${name} does not pass its schema: ${message ?? 'it is of another kind'}`,
      )
    }
  }
}

/** `instancePath` is a JSON pointer, empty for an error of the whole object. */
function propertyOf({ instancePath }: ErrorObject): string {
  const [, name = ''] = instancePath.split('/')
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function toSentence({ message }: ErrorObject): string {
  return `the structured data does not pass its schema: ${message ?? 'it is of another kind'}`
}

/**
 * Compiles a JSON Schema (2020-12), or returns why it cannot be used. Each schema gets its own Ajv, because two may have the same
 * `$id`. The meta-schema is not loaded: preparing it takes fifty times as long, and invalid keywords are found without it. Validation
 * may run forever with a pattern such as (a+)+$.
 */
function compileSchema(
  schema: object,
): { readonly validate: ValidateFunction } | { readonly reason: string } {
  try {
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      // Inherited names such as toString are not fields.
      ownProperties: true,
      logger: false,
      meta: false,
      validateSchema: false,
    })
    addFormats.default(ajv, { keywords: false })
    ajv.addFormat('phone', isPhone)
    // Lenient: the format of JSON Schema requires seconds and a zone.
    ajv.addFormat('time', /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(z|[+-]\d{2}:?\d{2})?$/i)
    return { validate: ajv.compile(schema) }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

/** 7 to 15 digits (E.164), written as people write them. */
function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  return /^\+?[\d ().-]+$/.test(text) && digits >= 7 && digits <= 15
}
