import * as z from 'zod/mini'
import { inlineAssistantSchema } from '../../interface/assistant.ts'
import { isObject } from '../../lib/json.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { formatAssignmentPath, type Path } from './field-path.ts'

/** Fields by name alone: of a receiver's test any of them may hold any JSON. */
function fields<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map(name => [name, z.unknown()]))
}

/** interface.md 2.9. */
const analysisFields = z.strictObject(fields(['summary', 'successEvaluation', 'structuredData']))

/** interface.md 2.9. */
const callFields = z.strictObject({
  ...fields(['id', 'teamId', 'assistantId', 'callType', 'direction', 'startAt', 'endAt', 'userNumber']),
  ...fields(['assistantNumber', 'status', 'phoneCallStatus', 'callEndTriggerBy']),
  monitor: z.strictObject(fields(['controlUrl'])),
  analysis: analysisFields,
})

const customerFields = z.strictObject(fields(['number', 'name']))

/** interface.md 6: the fields of a message, as deep as the interface shows them. */
const messageFields = z.strictObject({
  ...fields(['type']),
  call: callFields,
  assistant: z.strictObject({
    ...inlineAssistantSchema().shape,
    ...fields(['_id', 'teamId', 'createdAt', 'updatedAt']),
  }),
  customer: customerFields,
  analysis: analysisFields,
  messages: z.array(z.strictObject(fields(['messageId', 'role', 'text', 'timestamp']))),
})

/** What the interface does not have at a path. */
export interface UnknownPlace {
  readonly message: string
  readonly hint: string
}

/**
 * The first name of a path, or of a value that is put there, that the messages of interface.md 6 do not have; undefined
 * where all are known. Names alone are looked at: any value may stand anywhere.
 */
export function findUnknownPlace(path: Path, value: unknown): UnknownPlace | undefined {
  const schema = z.toJSONSchema(messageFields, { io: 'input', unrepresentable: 'any' })
  return inPath(schema, path, 0, value)
}

type Schema = z.core.JSONSchema._JSONSchema

function inPath(schema: Schema, path: Path, depth: number, value: unknown): UnknownPlace | undefined {
  const step = path[depth]
  if (step === undefined) return inValue(schema, path, value)
  const form = formOf(schema, typeof step === 'number' ? 'array' : 'object')
  const before = formatAssignmentPath(path.slice(0, depth))
  if (form === 'free') return undefined
  if (form === undefined) {
    return typeof step === 'number'
      ? { message: `${before} is no list`, hint: 'leave the index out' }
      : {
          message: `${before} is a list`,
          hint: `give an index: ${before}[0]${formatAssignmentPath(['', ...path.slice(depth)])}`,
        }
  }
  const inner = typeof step === 'number' ? form.items : ownProperty(form.properties, step)
  if (inner === undefined || Array.isArray(inner)) return unknownName(form, path, depth)
  return inPath(inner, path, depth + 1, value)
}

function inValue(schema: Schema, path: Path, value: unknown): UnknownPlace | undefined {
  if (Array.isArray(value))
    return first(value.entries(), ([index, item]) => inPath(schema, [...path, index], path.length, item))
  if (!isObject(value)) return undefined
  return first(Object.entries(value), ([name, inner]) => inPath(schema, [...path, name], path.length, inner))
}

function first<Item, Found>(
  items: Iterable<Item>,
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** The form of a schema that is a list or has fields; `free` where the interface shows no shape. */
function formOf(schema: Schema, type: 'array' | 'object'): z.core.JSONSchema.BaseSchema | 'free' | undefined {
  if (typeof schema === 'boolean') return 'free'
  const forms = schema.anyOf ?? [schema]
  const form = forms.find(each => typeof each === 'object' && (each.type === undefined || each.type === type))
  if (form === undefined) return undefined
  const isClosed = typeof form === 'object' && (type === 'array' || form.additionalProperties === false)
  return isClosed && form.type !== undefined ? form : 'free'
}

function ownProperty(properties: Readonly<Record<string, Schema>> = {}, name: string): Schema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

/** The fields that a hint names; a longer list is not read. */
const maxNamed = 15

function unknownName(
  { properties = {} }: z.core.JSONSchema.BaseSchema,
  path: Path,
  depth: number,
): UnknownPlace {
  const name = String(path[depth])
  const before = path.slice(0, depth)
  const names = Object.keys(properties)
  const owner = depth === 0 ? ownerOf(name) : undefined
  const meant = owner === undefined ? didYouMean(name, names) : `${owner}.${name}`
  const message = `${depth === 0 ? 'a message' : formatAssignmentPath(before)} has no field ${name}`
  if (meant !== undefined)
    return {
      message,
      hint: `did you mean ${formatAssignmentPath([...before, meant, ...path.slice(depth + 1)])}?`,
    }
  const more = names.length > maxNamed ? ', …' : ''
  return { message, hint: `it has ${names.slice(0, maxNamed).join(', ')}${more}` }
}

/** The object of a message that has this field: people look for it one level too high. */
function ownerOf(name: string): string | undefined {
  const owners = { call: callFields, customer: customerFields, analysis: analysisFields }
  return Object.entries(owners).find(([, { shape }]) => Object.hasOwn(shape, name))?.[0]
}
