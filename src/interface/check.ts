import { closest, distance } from 'fastest-levenshtein'
import * as z from 'zod'
import type { FieldPath, Finding } from '../errors.ts'
import { refusedFields } from './refused-fields.ts'
import { isObject, unwrap } from './vocabulary.ts'

export interface CheckOptions {
  /** Unknown keys are no finding. */
  readonly allowUnknown?: boolean
  /** Fields whose value must not be shown, for it came from the environment. */
  readonly concealed?: ((path: FieldPath) => boolean) | undefined
}

/**
 * Every finding about a value, in one pass: files before they are sent, requests that the sandbox receives. Each says
 * which field, what was found and what is allowed, and for a mistyped key or word what was probably meant.
 */
export function check(schema: z.ZodType, value: unknown, options: CheckOptions = {}): Finding[] {
  const { allowUnknown = false, concealed } = options
  const result = schema.safeParse(value)
  if (result.success) return []
  return result.error.issues
    .flatMap(issue => toFindings(schema, value, issue))
    .filter(({ code }) => !(allowUnknown && code === 'unknown-key'))
    .map(finding => (concealed?.(finding.path) === true ? conceal(finding) : finding))
}

/** The value itself is left out, in the message and in a hint that was made from it. */
function conceal({ hint: _, ...finding }: Finding): Finding {
  if (finding.at === 'key') return finding
  const [, allowed] = /; (allowed: .*)$/s.exec(finding.message) ?? []
  const field = formatPath(finding.path)
  return {
    ...finding,
    message: `${field} holds text from the environment that does not fit${allowed === undefined ? '' : `; ${allowed}`}`,
    hint: 'a reference always gives text; its value is not shown',
  }
}

/** The word that was probably meant: at most a third of its letters differ, or they stand in another order. */
export function didYouMean(word: string, allowed: readonly string[]): string | undefined {
  if (allowed.length === 0) return undefined
  const folded = new Map(allowed.map(candidate => [candidate.toLowerCase(), candidate]))
  const nearest = closest(word.toLowerCase(), [...folded.keys()])
  const far = distance(word.toLowerCase(), nearest)
  const near = far <= Math.max(1, Math.floor(nearest.length / 3)) || (far === 2 && sameLetters(word, nearest))
  return near ? folded.get(nearest) : undefined
}

function sameLetters(word: string, other: string): boolean {
  const sorted = (text: string) => [...text.toLowerCase()].sort().join('')
  return sorted(word) === sorted(other)
}

/** `config.speech.ttsData[0].vendor`; the whole document is called so. */
export function formatPath(path: FieldPath): string {
  const text = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return text === '' ? 'the document' : text.replace(/^\./, '')
}

function toFindings(schema: z.ZodType, root: unknown, issue: z.core.$ZodIssue): Finding[] {
  const path = issue.path.map(part => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(schema, path, key))
  if (issue.code === 'custom') return [ownFinding(issue, path)]
  if (issue.code === 'invalid_union') return unionFindings(schema, root, issue, path)
  if (issue.code === 'invalid_key') return [badKey(path)]
  const found = valueAt(root, path)
  if (found === undefined) return [missing(schemaAt(schema, path), path)]
  return [badValue(issue.code, schemaAt(schema, path), found, path)]
}

function unknownKey(schema: z.ZodType, path: FieldPath, key: string): Finding {
  const parent = schemaAt(schema, path)
  const allowed = parent instanceof z.ZodObject ? Object.keys(parent.shape) : []
  const refused = parent && refusedFields.get(parent)?.[key]
  return {
    code: 'unknown-key',
    severity: 'error',
    path: [...path, key],
    at: 'key',
    message: refused ?? `${formatPath([...path, key])} is not a known field`,
    hint: refused === undefined ? hintForKey(key, allowed) : undefined,
  }
}

/** The fields that a hint names; of a longer list nobody reads more. */
const mostNamed = 12

function hintForKey(key: string, allowed: readonly string[]): string | undefined {
  const meant = didYouMean(key, allowed)
  if (meant !== undefined) return `did you mean ${meant}?`
  return allowed.length > mostNamed
    ? '`callwright schema` prints every field'
    : `allowed here: ${allowed.join(', ')}`
}

function ownFinding(issue: z.core.$ZodIssueCustom, path: FieldPath): Finding {
  const { code = 'rule', at = 'value', severity = 'error', hint } = (issue.params ?? {}) as Partial<Finding>
  return { code, severity, at, path, message: issue.message, hint }
}

/** A union is right in one of its forms: report the form that the value has, not all that it has not. */
function unionFindings(
  schema: z.ZodType,
  root: unknown,
  issue: z.core.$ZodIssueInvalidUnion,
  path: FieldPath,
): Finding[] {
  const found = valueAt(root, path)
  const union = schemaAt(schema, path)
  const options = union instanceof z.ZodUnion ? (union.options as z.ZodType[]) : []
  const form = options.findIndex(option =>
    option instanceof z.ZodArray ? Array.isArray(found) : option instanceof z.ZodObject && isObject(found),
  )
  const inner = form === -1 ? undefined : issue.errors[form]
  if (inner === undefined) return [badValue('invalid_union', union, found, path)]
  return inner.flatMap(one =>
    toFindings(schema, root, { ...one, path: [...path, ...one.path] } as z.core.$ZodIssue),
  )
}

function badKey(path: FieldPath): Finding {
  const key = String(path.at(-1))
  return {
    code: 'unknown-key',
    severity: 'error',
    path,
    at: 'key',
    message: `${JSON.stringify(key)} is not a placeholder of the interface`,
    hint: 'allowed: <provider_1>, <model_1>, <vendor>, <phone_vendor_1> and their like, Rtc, Service',
  }
}

function missing(schema: z.ZodType | undefined, path: FieldPath): Finding {
  const field = formatPath(path)
  const allowed = schema === undefined ? undefined : describeAllowed(schema)
  return {
    code: 'missing',
    severity: 'error',
    path,
    at: 'value',
    message: `${field} is missing`,
    hint: allowed === undefined ? `add ${field}` : `add ${field}: ${allowed}`,
  }
}

const codes: Readonly<Record<string, string>> = {
  invalid_type: 'wrong-type',
  invalid_value: 'not-allowed',
  too_small: 'out-of-range',
  too_big: 'out-of-range',
  invalid_union: 'not-allowed',
  invalid_format: 'wrong-format',
}

function badValue(code: string, schema: z.ZodType | undefined, found: unknown, path: FieldPath): Finding {
  const allowed = schema === undefined ? undefined : describeAllowed(schema)
  return {
    code: codes[code] ?? code,
    severity: 'error',
    path,
    at: 'value',
    message: `${formatPath(path)} is ${show(found)}${allowed === undefined ? '' : `; allowed: ${allowed}`}`,
    hint: schema === undefined ? undefined : hintFor(schema, found),
  }
}

function hintFor(schema: z.ZodType, found: unknown): string | undefined {
  if (typeof found !== 'string') return undefined
  const inner = unwrap(schema)
  if (inner instanceof z.ZodBoolean && /^(yes|no|on|off)$/i.test(found))
    return 'YAML 1.2 reads yes, no, on and off as text'
  if (inner instanceof z.ZodEnum) {
    const meant = didYouMean(found, inner.options.map(String))
    return meant === undefined ? undefined : `did you mean ${meant}?`
  }
  if (inner instanceof z.ZodNumber && found.trim() !== '' && Number.isFinite(Number(found)))
    return 'remove the quotes'
  return undefined
}

/** What a field takes, in words: `a whole number from 5 to 600`, `true or false`, `one of a, b`. */
function describeAllowed(schema: z.ZodType): string {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodEnum)
    return inner.options.length === 1 ? String(inner.options[0]) : `one of ${inner.options.join(', ')}`
  if (inner instanceof z.ZodLiteral) return [...inner.values].join(', ')
  if (inner instanceof z.ZodBoolean) return 'true or false'
  if (inner instanceof z.ZodNumber) return describeNumber(inner)
  if (inner instanceof z.ZodString) return describeString(inner)
  if (inner instanceof z.ZodArray) return `a list, each item ${describeAllowed(inner.element as z.ZodType)}`
  if (inner instanceof z.ZodUnion)
    return inner.options.map(option => describeAllowed(option as z.ZodType)).join(', or ')
  if (inner instanceof z.ZodRecord) return 'a mapping of names to values'
  if (inner instanceof z.ZodObject) return `a mapping with ${Object.keys(inner.shape).join(', ')}`
  if (inner instanceof z.ZodNullable) return describeAllowed(inner.unwrap() as z.ZodType)
  return 'any value'
}

function describeNumber(schema: z.ZodNumber): string {
  const name = schema.format?.includes('int') ? 'a whole number' : 'a number'
  const { minValue, maxValue } = schema
  const bounded =
    minValue !== null &&
    maxValue !== null &&
    Number.isFinite(minValue) &&
    Math.abs(minValue) < Number.MAX_SAFE_INTEGER
  return bounded ? `${name} from ${minValue} to ${maxValue}` : name
}

function describeString(schema: z.ZodString): string {
  const prefix = schema.def.checks
    ?.map(({ _zod }) => ('prefix' in _zod.def ? String(_zod.def.prefix) : undefined))
    .find(found => found !== undefined)
  const limits = [
    prefix === undefined ? undefined : `that starts with ${prefix}`,
    schema.maxLength === null ? undefined : `of at most ${schema.maxLength} characters`,
  ].filter(limit => limit !== undefined)
  return [schema.minLength ? 'text that is not empty' : 'text', ...limits].join(' ')
}

function show(found: unknown): string {
  if (Array.isArray(found)) return found.length === 0 ? 'an empty list' : 'a list'
  if (isObject(found)) return 'a mapping'
  if (found === null) return 'empty (null)'
  const json = JSON.stringify(found) ?? String(found)
  return json.length > 60 ? `${json.slice(0, 57)}…` : json
}

function schemaAt(schema: z.ZodType, path: FieldPath): z.ZodType | undefined {
  let current: z.ZodType | undefined = unwrap(schema)
  for (const part of path) {
    if (current instanceof z.ZodNullable) current = current.unwrap() as z.ZodType
    if (current instanceof z.ZodUnion) current = memberFor(current, part)
    if (current instanceof z.ZodObject) current = current.shape[part] as z.ZodType | undefined
    else if (current instanceof z.ZodArray) current = current.element as z.ZodType
    else if (current instanceof z.ZodRecord) current = current.valueType as z.ZodType
    else return undefined
    if (current === undefined) return undefined
    current = unwrap(current)
  }
  return current
}

function memberFor(union: z.ZodUnion, part: string | number): z.ZodType | undefined {
  const options = union.options as z.ZodType[]
  return options.find(option =>
    typeof part === 'number' ? option instanceof z.ZodArray : option instanceof z.ZodObject,
  )
}

function valueAt(root: unknown, path: FieldPath): unknown {
  let current: unknown = root
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<string | number, unknown>)[part]
  }
  return current
}
