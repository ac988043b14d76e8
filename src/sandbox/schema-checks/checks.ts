import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { reasonOf } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'

/** Question of each check by its name. */
export interface Questions {
  readonly data: DataQuestion
  readonly arguments: ArgumentsQuestion
}

export interface Answers {
  readonly data: CheckedData
  readonly arguments: CheckedArguments
}

/** They may run for ever where `isBounded` does not say otherwise. */
export const checks: { readonly [Name in keyof Questions]: (question: Questions[Name]) => Answers[Name] } = {
  data: checkData,
  arguments: checkArguments,
}

interface ArgumentsQuestion {
  /** A tool's function.parameters. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly values: unknown
}

/** Both undefined: the arguments pass. */
export interface CheckedArguments {
  /** Why the tool's parameters can check nothing: words that go on from their name. */
  readonly unusable?: string
  /** What is wrong with the arguments: `day must be string`. */
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
  /** Why something was left out: one sentence each. */
  readonly problems: readonly string[]
}

/** The schema of interface.md 2.4: `properties` maps a field to its JSON Schema. */
export type DataSchema = Readonly<Record<string, unknown>> | undefined

/**
 * What of these values passes the schema (JSON Schema 2020-12). Properties that it does not know are left out, and so is
 * null; those that do not pass, or whose schema is none, are left out and reported. What the schema asks of the object as a
 * whole (`required`) is reported and leaves nothing out. Nothing is fetched.
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
    // A schema that refers to itself without end.
    return useless(reasonOf(error))
  }
}

/** The check of the whole; where that cannot be made, the one without the properties that are to blame: these, and why. */
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

/** Leaves out what does not pass until the rest does; each round leaves out at least one property. */
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

/** The path is a JSON pointer; empty for an error of the whole. */
function propertyOf({ instancePath }: ErrorObject): string {
  const [, name = ''] = instancePath.split('/')
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}

function toSentence({ message }: ErrorObject): string {
  return `the structured data does not pass its schema: ${message ?? 'it is of another kind'}`
}

/**
 * Makes the check of a JSON Schema (2020-12), or says why it cannot be used. Each schema has its own checker: two may have the
 * same `$id`. Without the schema of schemas, whose preparation takes fifty times as long; a keyword that is none is found all the
 * same. A check may run for ever, as a pattern such as (a+)+$ does.
 */
function compileSchema(
  schema: object,
): { readonly validate: ValidateFunction } | { readonly reason: string } {
  try {
    const ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      // A field named toString is not there because every object has one.
      ownProperties: true,
      logger: false,
      meta: false,
      validateSchema: false,
    })
    addFormats.default(ajv, { keywords: false })
    ajv.addFormat('phone', isPhone)
    // As people say it; JSON Schema's own asks for seconds and a zone.
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
