import * as z from 'zod/mini'
import { webhooks } from '../../interface/webhooks.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject, mapValues } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { didYouMean, meantHint } from '../../lib/text/did-you-mean.ts'
import { existingSteps, formatAssignmentPath, type Path, withoutValue, withValue } from './field-path.ts'
import type { SampleEvent } from './sample-events.ts'

/** One `--set path=value`. */
export interface Assignment {
  readonly path: Path
  /** Parsed JSON, or the text if it is not JSON. */
  readonly value: unknown
}

/**
 * Events with fields of their messages changed, one assignment after the other. Of several events those are changed
 * that have the most of the path already: `call.endAt` is changed where the call has ended, `messages[0].text` where
 * something was said, a new field of `call` everywhere. With `allowUnknown` names may be ones that the interface does not have.
 * @throws CallyardError `usage` for a name that no message has, or a place that cannot be made
 */
export function assignAll(
  events: readonly SampleEvent[],
  assignments: readonly Assignment[],
  { allowUnknown }: { readonly allowUnknown: boolean },
): readonly SampleEvent[] {
  return assignments.reduce((changed, assignment) => {
    const { path, value } = assignment
    const unknown = allowUnknown ? undefined : unknownFieldError(assignment)
    if (unknown !== undefined) throw unknown
    const existing = changed.map(({ message }) => existingSteps(message, path))
    const most = Math.max(...existing)
    return changed.map((event, index) =>
      existing[index] === most ? ofMessage(withValue(event.message, path, value)) : event,
    )
  }, events)
}

/** Removes the fields at these paths from events (`--unset`). @throws CallyardError `usage` for a path that no event has */
export function unsetAll(events: readonly SampleEvent[], paths: readonly Path[]): readonly SampleEvent[] {
  return paths.reduce((changed, path) => {
    if (!changed.some(({ message }) => existingSteps(message, path) === path.length))
      throw fieldNotThere(formatAssignmentPath(path))
    return changed.map(({ message }) => ofMessage(withoutValue(message, path)))
  }, events)
}

function ofMessage(message: unknown): SampleEvent {
  return { message: isObject(message) ? message : {} }
}

function unknownFieldError({ path, value }: Assignment): CallyardError | undefined {
  const [first, ...more] = path
  if (first === 'message' && more.length > 0) {
    const inner = formatAssignmentPath(more)
    return pathOutsideMessage(formatAssignmentPath(path), inner)
  }
  const problem = inPath(messageFields(), path, 0, value)
  return problem && fieldUnknown(formatAssignmentPath(path), problem)
}

/** interface.md 6: the fields of a message, as deep as the interface shows them. */
const messageFields = lazy((): FieldSchema => {
  const properties: Record<string, Schema> = {}
  for (const webhook of Object.values(webhooks)) {
    const body = z.toJSONSchema(webhook.body({}), { io: 'input', unrepresentable: 'any' })
    const message = body.properties?.message
    if (typeof message === 'object') Object.assign(properties, message.properties)
  }
  // Parts of an assistant are as strict as in its file.
  const { assistant = true } = properties
  return closed({ properties: { ...mapValues(properties, closeAll), assistant: closed(assistant) } })
})

function closed(schema: Schema): FieldSchema {
  return typeof schema === 'boolean' ? {} : { ...schema, type: 'object', additionalProperties: false }
}

/** Forbids fields that a schema does not name, at any depth; a receiver has to ignore them, but people mistype them. */
function closeAll(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  const { properties, items } = schema
  if (properties !== undefined) return { ...closed(schema), properties: mapValues(properties, closeAll) }
  return items === undefined || Array.isArray(items) ? schema : { ...schema, items: closeAll(items) }
}

type FieldSchema = z.core.JSONSchema.BaseSchema
type Schema = z.core.JSONSchema._JSONSchema

/**
 * Returns the first name in a path or its value that is not in the schema; undefined if all are known. Only names are checked: values
 * may have any type.
 */
function inPath(schema: Schema, path: Path, depth: number, value: unknown): UnknownField | undefined {
  const step = path[depth]
  if (step === undefined) return inValue(schema, path, value)
  const form = formOf(schema, typeof step === 'number' ? 'array' : 'object')
  const before = formatAssignmentPath(path.slice(0, depth))
  if (form === 'free') return undefined
  if (form === undefined) {
    return typeof step === 'number'
      ? { is: 'no-list', at: before }
      : { is: 'list', at: before, rest: formatAssignmentPath(['', ...path.slice(depth)]) }
  }
  const inner = typeof step === 'number' ? form.items : ownProperty(form.properties, step)
  if (inner === undefined || Array.isArray(inner)) return unknownName(form, path, depth)
  return inPath(inner, path, depth + 1, value)
}

function inValue(schema: Schema, path: Path, value: unknown): UnknownField | undefined {
  const entries = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  for (const [step, inner] of entries) {
    const unknownField = inPath(schema, [...path, step], path.length, inner)
    if (unknownField !== undefined) return unknownField
  }
  return undefined
}

/** The form of a schema that is a list or has fields; `free` where the interface shows no shape. */
function formOf(schema: Schema, type: 'array' | 'object'): FieldSchema | 'free' | undefined {
  if (typeof schema === 'boolean') return 'free'
  const forms = (schema.anyOf ?? [schema]).filter(form => typeof form === 'object')
  const hasShape = (form: FieldSchema) => form.type === 'array' || form.additionalProperties === false
  if (!forms.some(hasShape)) return 'free'
  return forms.find(form => hasShape(form) && (form.type === 'array') === (type === 'array'))
}

function ownProperty(properties: Readonly<Record<string, Schema>> = {}, name: string): Schema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}

function unknownName({ properties = {} }: FieldSchema, path: Path, depth: number): UnknownField {
  const name = String(path[depth])
  const before = path.slice(0, depth)
  const names = Object.keys(properties)
  const owner = depth === 0 ? ownerOf(name) : undefined
  const suggestion = owner === undefined ? didYouMean(name, names) : `${owner}.${name}`
  const near = suggestion && formatAssignmentPath([...before, suggestion, ...path.slice(depth + 1)])
  return { is: 'unknown', at: formatAssignmentPath(before), name, near, names }
}

/** The object of a message that has this field: people look for it one level too high. */
function ownerOf(name: string): string | undefined {
  const owners = messageFields().properties ?? {}
  return ['call', 'customer', 'analysis'].find(owner => {
    const schema = owners[owner]
    return typeof schema === 'object' && Object.hasOwn(schema.properties ?? {}, name)
  })
}

/** A field that the interface does not have, with its path; an empty path is the message. */
type UnknownField =
  /** The path has an index where the value is not a list. */
  | { readonly is: 'no-list'; readonly at: string }
  /** The path has a name (the start of `rest`) where the value is a list. */
  | { readonly is: 'list'; readonly at: string; readonly rest: string }
  /** `near` is the path that was probably meant; `names` are the fields that exist. */
  | {
      readonly is: 'unknown'
      readonly at: string
      readonly name: string
      readonly near: string | undefined
      readonly names: readonly string[]
    }

function fieldUnknown(path: string, problem: UnknownField): CallyardError {
  const [reason, hint] = describeUnknown(problem)
  return new CallyardError('usage', `${path}: ${reason}`, {
    code: 'field-unknown',
    hint: `${hint}${hint.endsWith('?') ? '' : ';'} to send it anyway, allow unknown fields`,
    details: { path, problem },
  })
}

/** The fields that a hint names; a longer list is not read. */
const maxNamed = 15

/** Returns a reason and a hint. */
function describeUnknown(problem: UnknownField): [string, string] {
  const { is, at } = problem
  if (is === 'no-list') return [`${at} is not a list`, 'remove the index']
  if (is === 'list') return [`${at} is a list`, `add an index: ${at}[0]${problem.rest}`]
  const { name, near, names } = problem
  return [
    `${at === '' ? 'a message' : at} has no field ${name}`,
    meantHint(near) ?? `it has ${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ', …' : ''}`,
  ]
}

const fieldNotThere = (path: string) =>
  new CallyardError('usage', `${path}: no event has this field`, {
    code: 'field-not-there',
    hint: 'preview the events to see their fields',
    details: { path },
  })

const pathOutsideMessage = (path: string, inner: string) =>
  new CallyardError('usage', `${path}: paths start inside message`, {
    code: 'path-outside-message',
    hint: `use ${inner}`,
    details: { path, inner },
  })
