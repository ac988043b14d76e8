import * as z from 'zod/mini'
import { lazy } from '../lib/lazy.ts'
import { isEncoding } from '../lib/text/encoding.ts'

interface Standard {
  /** Default of the service for a missing field; checks mention it and do not fill it in. */
  readonly default?: unknown
  /** Words of an enum that will be removed. */
  readonly deprecatedValues?: readonly string[]
  /** The JSON Schema of a rule that the schema checks in code. */
  readonly pattern?: string
  /** Format of a string in its JSON Schema; not checked. */
  readonly format?: 'date-time' | 'uri'
}

/** Schemas without rules and descriptions, which fields share: each instance takes as long to build as a hundred checks. */
export const primitives = {
  text: lazy(() => z.string()),
  flag: lazy(() => z.boolean()),
  number: lazy(() => z.number()),
  integer: lazy(() => z.int()),
  never: lazy(() => z.never()),
}

/** A field that must be there, and what it is for. The schema is the field's own: the description becomes part of it. */
export function required<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  standard: Standard = {},
): Schema {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), description, ...standard })
  return schema
}

/** A field that may be left out, and what it is for. */
export function optional<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  standard: Standard = {},
): z.ZodMiniOptional<Schema> {
  return required(z.optional(schema), description, standard)
}

/**
 * The schema of an object with only these fields, which are built when the schema is first used: most assistants have few of the nested
 * objects, and these are most of the 300 schemas of an assistant.
 */
export function strictObject<Fields extends z.core.$ZodShape>(fields: () => Fields) {
  const lazyShape = lazy(fields)
  const schema = new z.ZodMiniObject({
    type: 'object',
    get shape() {
      return lazyShape()
    },
    catchall: primitives.never(),
  })
  return schema as z.ZodMiniObject<Fields, z.core.$strict>
}

/** Creates the schema of an optional object with a description and only these fields. */
export function optionalObject<Fields extends z.core.$ZodShape>(description: string, fields: () => Fields) {
  return optional(strictObject(fields), description)
}

/** Creates the schema of an event: an object with this kind, and these fields. */
export function eventSchema<Kind extends string, Fields extends z.core.$ZodShape>(
  kind: Kind,
  fields: Fields,
) {
  return z.object({ kind: z.literal(kind), ...fields })
}

/** Creates the schema of a list of objects that have these fields. */
export function objectList<Fields extends z.core.$ZodShape>(fields: Fields) {
  return z.array(z.object(fields))
}

/** Creates the schema of a required list with a description. */
export function requiredList<Fields extends z.core.$ZodShape>(description: string, fields: Fields) {
  return required(objectList(fields), description)
}

/** Creates the schema of the path of a field in a document. */
export function fieldPath() {
  return required(z.array(z.union([z.string(), z.number()])), 'Keys and indices to the field')
}

const components = z.registry<Component>()

interface Component {
  readonly name: string
  readonly description?: string
}

/** A schema that OpenAPI documents hold once, by this name (json-schema.ts). */
export function named<Schema extends z.core.$ZodType>(
  name: string,
  schema: Schema,
  description?: string,
): Schema {
  components.add(schema, description === undefined ? { name } : { name, description })
  return schema
}

/** Creates the schema of a named object without other fields, on first use. */
export function strictSchema<Fields extends z.core.$ZodShape>(name: string, fields: () => Fields) {
  return lazy(() => named(name, strictObject(fields)))
}

/** Creates the schema of a named object that has these fields, on first use. */
export function objectSchema<Fields extends z.core.$ZodShape>(name: string, fields: () => Fields) {
  return lazy(() => named(name, z.object(fields())))
}

/** A named object that has these fields, and may have others. */
export function looseSchema<Fields extends z.core.$ZodShape>(name: string, fields: Fields) {
  return named(name, z.looseObject(fields))
}

/** The same, and what it is. */
export function describedSchema<Fields extends z.core.$ZodShape>(
  name: string,
  description: string,
  fields: Fields,
) {
  return named(name, z.looseObject(fields), description)
}

export function componentOf(schema: z.core.$ZodType): Component | undefined {
  return components.get(schema)
}

/** Text that is not empty. */
export function someText() {
  return z.string().check(z.minLength(1))
}

/** Parses an id in a response. Deployments also send whole numbers, which are converted to text; rejects numbers that lost digits in JSON. */
export function idText() {
  return z.pipe(z.union([someText(), z.int()]), z.transform(String))
}

/** Matches http:// and https:// URLs as far as a pattern can; it does not validate host and port. */
export const webUrlPattern = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#\\]\S*$/

/** An http:// or https:// URL, which may contain a user name and password. */
export function webUrl() {
  return z.stringFormat('web-url', text => webUrlPattern.test(text) && URL.canParse(text))
}

/** A whole number between two limits, both allowed. */
export function wholeNumber(from: number, to: number) {
  return z.int().check(z.minimum(from), z.maximum(to))
}

/** Characters, as JSON Schema counts them: zod counts the units of UTF-16. */
export function maxCharacters(limit: number): z.core.$ZodCheck<string> {
  const check: z.core.$ZodCheck<string> = z.maxLength(limit)
  const checkUnits = check._zod.check
  check._zod.check = payload => {
    if ([...payload.value].length > limit) return checkUnits(payload)
  }
  return check
}

/** Fields that a body lacks although a reader may expect them: name → reason. Reported instead of "unknown". */
export const refusedFields = z.registry<Readonly<Record<string, string>>>()

/** A text, or a list of at least one. */
export const textOrList = () => z.union([someText(), z.array(someText()).check(z.minLength(1))])

/**
 * A string that matches a pattern. `allowed` describes it in errors: `a duration such as 2s or 500ms`. `exists` checks what a pattern
 * cannot express, such as the name of a time zone.
 */
export function formatText(pattern: string, allowed: string, exists = (_: string) => true) {
  const expression = new RegExp(pattern, 'u')
  const schema = z.string().check(
    z.superRefine((text, { addIssue }) => {
      const code = !expression.test(text) ? 'wrong-format' : exists(text) ? undefined : 'no-such-value'
      if (code !== undefined) addIssue({ code: 'custom', input: text, path: [], params: { code, allowed } })
    }),
  )
  return schema.register(z.globalRegistry, { pattern })
}

/** Name of an encoding in the WHATWG Encoding Standard. */
export const encodingText = () =>
  formatText('^[\\w.:-]+$', 'an encoding such as windows-1250, gbk or shift_jis', isEncoding)
