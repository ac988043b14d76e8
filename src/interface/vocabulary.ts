import * as z from 'zod/mini'
import { isObject } from '../lib/json.ts'
import { lazy, memoize } from '../lib/lazy.ts'
import { named, required, someText, strictObject } from './fields.ts'

/**
 * The deployment's real words behind the interface's neutral placeholders: `{ '<provider_1>': 'acme', Rtc: 'Acme' }`.
 * Files may use either; the real word goes out. Without an entry the placeholder itself is the only word.
 */
export const vocabularySchema = lazy(() =>
  required(
    z.record(z.string().check(z.regex(/^(<[a-z][a-z0-9_]*>|Rtc|Service)$/)), someText()),
    'Placeholder of the interface → the real word of this deployment',
  ),
)

export type Vocabulary = Readonly<Record<string, string>>

/** Builds a schema or fields for each vocabulary once: building costs more than a hundred checks. */
export function perVocabulary<Built extends object>(
  build: (vocabulary: Vocabulary) => Built,
): (vocabulary?: Vocabulary) => Built {
  const cache = new Map<string, Built>()
  return (vocabulary = {}) => {
    const key = JSON.stringify(vocabulary)
    const builtVocabulary = cache.get(key) ?? build(vocabulary)
    cache.set(key, builtVocabulary)
    return builtVocabulary
  }
}

/** Like `perVocabulary`, for a named object with only these fields. */
export function strictPerVocabulary<Fields extends z.core.$ZodShape>(
  name: string,
  fields: (vocabulary: Vocabulary) => Fields,
) {
  return perVocabulary(vocabulary =>
    named(
      name,
      strictObject(() => fields(vocabulary)),
    ),
  )
}

interface Translation {
  /** Placeholder value → real word. */
  readonly values?: Vocabulary
  /** Key with the placeholder → real key. */
  readonly keys?: Readonly<Record<string, string>>
}

/** Placeholders of words and keys in a schema; read by toWire. */
export const translations = z.registry<Translation>()

/** An enum of placeholders and fixed words, in the interface's order; each placeholder may be written as its real word. */
export function wordEnum(vocabulary: Vocabulary, words: readonly string[]) {
  const values = words.flatMap(word => (vocabulary[word] === undefined ? [word] : [vocabulary[word], word]))
  return z.enum(values as [string, ...string[]]).register(translations, { values: vocabulary })
}

/** A free string that may be a placeholder for a real word (`<vendor>`, `Service`). */
export function wordString(vocabulary: Vocabulary) {
  return z.string().register(translations, { values: vocabulary })
}

/** Fields whose names begin with the placeholder `Rtc`; each may be written with the real word. */
export function prefixedFields<Field extends z.ZodMiniType>(
  vocabulary: Vocabulary,
  prefix: string,
  fields: Record<string, Field>,
) {
  const word = vocabulary[prefix]
  const shape: Record<string, Field> = {}
  const keys: Record<string, string> = {}
  for (const [rest, field] of Object.entries(fields)) {
    if (word !== undefined) shape[word + rest] = field
    shape[prefix + rest] = field
    keys[prefix + rest] = (word ?? prefix) + rest
  }
  return { shape, keys }
}

/**
 * Converts a body for sending: replaces placeholders with real words, in values and in the names of the `Rtc…` fields. Leaves
 * everything else unchanged, including free-form objects. Returns the same object if nothing changes, to avoid copying an assistant.
 */
export function toWire(schema: z.ZodMiniType, value: unknown): unknown {
  const inner = unwrap(schema)
  const translation = translations.get(inner)
  if (typeof value === 'string') return translation?.values?.[value] ?? value
  if (inner instanceof z.ZodMiniArray && Array.isArray(value)) {
    const element = inner.def.element as z.ZodMiniType
    if (!mayTranslate(unwrap(element))) return value
    let items: unknown[] | undefined
    for (const [index, item] of value.entries()) {
      const wireItem = toWire(element, item)
      if (wireItem === item) continue
      items ??= [...value]
      items[index] = wireItem
    }
    return items ?? value
  }
  if (inner instanceof z.ZodMiniObject && isObject(value)) {
    let isChanged = false
    const fields = Object.entries(value).map(([key, field]): [string, unknown] => {
      const fieldSchema = findField(inner, key)
      const wirePair: [string, unknown] = [
        translation?.keys?.[key] ?? key,
        fieldSchema ? toWire(fieldSchema, field) : field,
      ]
      isChanged ||= wirePair[0] !== key || wirePair[1] !== field
      return wirePair
    })
    return isChanged ? Object.fromEntries(fields) : value
  }
  return value
}

/** True if a schema has a placeholder. Cached, so that 100,000 entries of a knowledge base, which has none, are not looked at. */
const mayTranslate = memoize((schema: z.ZodMiniType): boolean => {
  if (translations.has(schema)) return true
  if (schema instanceof z.ZodMiniArray) return mayTranslate(unwrap(schema.def.element as z.ZodMiniType))
  if (!(schema instanceof z.ZodMiniObject)) return false
  return Object.values(schema.shape).some(field => mayTranslate(unwrap(field as z.ZodMiniType)))
})

/** Fills in the interface's defaults, as the service does. A client does not: it sends the content of the file. */
export function withDefaults(
  schema: z.ZodMiniType,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...value }
  for (const [key, standard] of defaultsOf(unwrap(schema))) {
    if (filled[key] === undefined) filled[key] = standard
  }
  return filled
}

/** Cached per schema, because zod's registry copies the metadata of a field on each lookup. */
const knownDefaults = new WeakMap<z.ZodMiniType, readonly (readonly [string, unknown])[]>()

function defaultsOf(schema: z.ZodMiniType): readonly (readonly [string, unknown])[] {
  const cachedDefaults = knownDefaults.get(schema)
  if (cachedDefaults !== undefined) return cachedDefaults
  const shape = schema instanceof z.ZodMiniObject ? schema.shape : {}
  const defaults = Object.entries(shape)
    .map(([key, field]) => [key, z.globalRegistry.get(field)?.default] as const)
    .filter(([, standard]) => standard !== undefined)
  knownDefaults.set(schema, defaults)
  return defaults
}

/** The schema of a field, whether it may be left out or not. */
export function unwrap(schema: z.ZodMiniType): z.ZodMiniType {
  return schema instanceof z.ZodMiniOptional ? unwrap(schema.def.innerType as z.ZodMiniType) : schema
}

/** Returns the schema of a field by its name. Inherited names such as `toString` are not fields. */
export function findField({ shape }: z.ZodMiniObject, name: string | number): z.ZodMiniType | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as z.ZodMiniType) : undefined
}
