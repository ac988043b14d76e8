import * as z from 'zod/mini'
import { isObject } from '../lib/json.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import { describeAllowed, quotesHint } from './allowed.ts'
import { refusedFields } from './fields.ts'
import { type FieldPath, type Finding, keyError, seeSchema, valueError } from './finding.ts'
import { findIssues } from './issues.ts'
import { findField, unwrap } from './vocabulary.ts'

interface CheckOptions {
  readonly allowUnknown?: boolean
  /** Fields whose value must not be shown, for it came from the environment. */
  readonly redacted?: ((path: FieldPath) => boolean) | undefined
  /** The characters of a field that a file writes without quotes: `+12025550123`, where the value is 12025550123. */
  readonly written?: ((path: FieldPath) => string | undefined) | undefined
}

/**
 * Returns all findings about a value in one pass, for files before they are sent and requests that the sandbox receives. Each finding has
 * the field, the value, what is allowed, and a suggestion for a typo.
 */
export function check(schema: z.ZodMiniType, value: unknown, options: CheckOptions = {}): Finding[] {
  const { allowUnknown = false, redacted, written } = options
  const issues = findIssues(schema, value)
  if (issues === undefined) return [tooManyFindings]
  return issues
    .flatMap(issue => toFindings(schema, issue, written))
    .filter(({ code }) => !(allowUnknown && code === 'unknown-key'))
    .map(finding => (redacted?.(finding.path) === true ? redact(finding) : finding))
}

const tooManyFindings = valueError(
  [],
  'too-many-findings',
  'a list in the document has too many errors to show',
  'check a file with only its first entries',
)

/** The value itself is left out, in the message and in a hint that was made from it. */
function redact({ hint: _, ...finding }: Finding): Finding {
  if (finding.at === 'key') return finding
  const [, allowed] = /; (allowed: .*)$/s.exec(finding.message) ?? []
  const field = formatFieldPath(finding.path)
  return {
    ...finding,
    message: `${field} contains text from the environment that is not valid${allowed === undefined ? '' : `; ${allowed}`}`,
    hint: 'a reference is always text; its value is not shown',
  }
}

/** `config.speech.ttsData[0].vendor`; the whole document is called so. */
export function formatFieldPath(path: FieldPath): string {
  const text = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
  return text === '' ? 'the document' : text.replace(/^\./, '')
}

function toFindings(
  schema: z.ZodMiniType,
  issue: z.core.$ZodIssue,
  written: CheckOptions['written'],
): Finding[] {
  const path = issue.path.map(part => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(schema, path, key))
  if (issue.code === 'custom') return [ownFinding(issue, path)]
  if (issue.code === 'invalid_key') return [badKey(path)]
  const field = schemaAt(schema, path)
  if (issue.code === 'invalid_union') {
    if ('options' in issue) {
      const { input, discriminator = '', options } = issue
      return [badWord(Object(input)[discriminator], options.map(String), path)]
    }
    const inner = issuesOfForm(field, issue)
    if (inner !== undefined)
      return inner.flatMap(one => toFindings(schema, { ...one, path: [...path, ...one.path] }, written))
  }
  if (issue.input === undefined) return [missing(path, field && describeAllowed(field))]
  return [badValue(issue, field, path, written?.(path))]
}

/** A union is right in one of its forms: returns the issues of the form that the value has, not all that it has not. */
function issuesOfForm(union: z.ZodMiniType | undefined, { input, errors }: z.core.$ZodIssueInvalidUnion) {
  const options = union instanceof z.ZodMiniUnion ? (union.def.options as z.ZodMiniType[]) : []
  const form = options.findIndex(option =>
    option instanceof z.ZodMiniArray ? Array.isArray(input) : isMapping(option) && isObject(input),
  )
  return errors[form]
}

function unknownKey(schema: z.ZodMiniType, path: FieldPath, key: string): Finding {
  const parentSchema = schemaAt(schema, path)
  const parent = parentSchema instanceof z.ZodMiniUnion ? memberFor(parentSchema, key) : parentSchema
  const fields = parent instanceof z.ZodMiniObject ? Object.keys(parent.shape) : []
  const reasons = (parent && refusedFields.get(parent)) ?? {}
  const reason = Object.hasOwn(reasons, key) ? reasons[key] : undefined
  const field = [...path, key]
  if (reason !== undefined) return keyError(field, reason)
  return keyError(field, `${formatFieldPath(field)} is not a known field`, hintForKey(key, fields))
}

/** The fields that a hint names; a longer list is not read. */
const maxNamed = 12

function hintForKey(key: string, allowed: readonly string[]): string | undefined {
  const allowedText = `allowed here: ${allowed.join(', ')}`
  return hintForWord(key, allowed) ?? (allowed.length > maxNamed ? seeSchema : allowedText)
}

function hintForWord(word: string, allowed: readonly string[]): string | undefined {
  const suggestion = didYouMean(word, allowed)
  return suggestion && `did you mean ${suggestion}?`
}

/** A rule in code says what it found; or only what is allowed. */
function ownFinding({ params = {}, ...issue }: z.core.$ZodIssueCustom, path: FieldPath): Finding {
  const {
    code = 'rule',
    at = 'value',
    severity = 'error',
    hint,
    allowed,
  } = params as Partial<Finding> & { readonly allowed?: string }
  const message =
    allowed === undefined
      ? issue.message
      : `${formatFieldPath(path)} is ${show(issue.input)}; allowed: ${allowed}`
  return { code, severity, at, path, message, hint }
}

/** The field that tells the forms of a union apart. */
function badWord(value: unknown, allowed: readonly string[], path: FieldPath): Finding {
  const words = `one of ${allowed.join(', ')}`
  if (value === undefined) return missing(path, words)
  const message = `${formatFieldPath(path)} is ${show(value)}; allowed: ${words}`
  return valueError(
    path,
    'not-allowed',
    message,
    typeof value === 'string' ? hintForWord(value, allowed) : undefined,
  )
}

function badKey(path: FieldPath): Finding {
  return keyError(
    path,
    `${JSON.stringify(String(path.at(-1)))} is not a placeholder of the interface`,
    'allowed: <provider_1>, <model_1>, <vendor>, <phone_vendor_1> and similar, Rtc, Service',
  )
}

function missing(path: FieldPath, allowed: string | undefined): Finding {
  const field = formatFieldPath(path)
  const hint = allowed === undefined ? `add ${field}` : `add ${field}: ${allowed}`
  return valueError(path, 'missing', `${field} is missing`, hint)
}

const codes: Readonly<Record<string, string>> = {
  invalid_type: 'wrong-type',
  invalid_value: 'not-allowed',
  too_small: 'out-of-range',
  too_big: 'out-of-range',
  invalid_union: 'not-allowed',
  invalid_format: 'wrong-format',
}

function badValue(
  issue: z.core.$ZodIssue,
  schema: z.ZodMiniType | undefined,
  path: FieldPath,
  written: string | undefined,
): Finding {
  const { input } = issue
  const code = codes[issue.code] ?? issue.code
  const message = `${formatFieldPath(path)} is ${show(input)}`
  if (schema === undefined) return valueError(path, code, message)
  const mayNeedQuotes = code === 'wrong-type' || code === 'not-allowed'
  const hint = hintFor(schema, input) ?? (mayNeedQuotes ? quotesHint(schema, input, written) : undefined)
  return valueError(path, code, `${message}; allowed: ${describeAllowed(schema)}`, hint)
}

function hintFor(schema: z.ZodMiniType, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const inner = unwrap(schema)
  if (inner instanceof z.ZodMiniCustomStringFormat && inner.def.format === 'web-url')
    return 'for example https://example.com/calls'
  if (inner instanceof z.ZodMiniBoolean && /^(yes|no|on|off)$/i.test(value))
    return 'YAML 1.2 reads yes, no, on and off as text'
  if (inner instanceof z.ZodMiniEnum) return hintForWord(value, inner.options.map(String))
  if (inner instanceof z.ZodMiniUnion) {
    for (const option of inner.def.options) {
      const hint = hintFor(option as z.ZodMiniType, value)
      if (hint !== undefined) return hint
    }
  }
  if (inner instanceof z.ZodMiniNumber && value.trim() !== '' && Number.isFinite(Number(value)))
    return 'remove the quotes'
  return undefined
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (isObject(value)) return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping'
  if (value === null) return 'empty (null)'
  // JSON has no NaN and no bigint.
  const json = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return json.length > 60 ? `${json.slice(0, 57)}…` : json
}

function schemaAt(schema: z.ZodMiniType, path: FieldPath): z.ZodMiniType | undefined {
  let current: z.ZodMiniType | undefined = unwrap(schema)
  for (const part of path) {
    if (current instanceof z.ZodMiniNullable) current = current.def.innerType as z.ZodMiniType
    if (current instanceof z.ZodMiniUnion) current = memberFor(current, part)
    if (current instanceof z.ZodMiniObject) current = findField(current, part) ?? otherField(current)
    else if (current instanceof z.ZodMiniArray) current = current.def.element as z.ZodMiniType
    else if (current instanceof z.ZodMiniRecord) current = current.def.valueType as z.ZodMiniType
    else return undefined
    if (current === undefined) return undefined
    current = unwrap(current)
  }
  return current
}

/** The schema of fields that an object does not name, if it may have any. */
function otherField({ def: { catchall } }: z.ZodMiniObject): z.ZodMiniType | undefined {
  return catchall instanceof z.ZodMiniNever ? undefined : (catchall as z.ZodMiniType | undefined)
}

function memberFor(union: z.ZodMiniUnion, part: string | number): z.ZodMiniType | undefined {
  const options = union.def.options as z.ZodMiniType[]
  return options.find(option =>
    typeof part === 'number' ? option instanceof z.ZodMiniArray : isMapping(option),
  )
}

function isMapping(schema: z.ZodMiniType): boolean {
  return schema instanceof z.ZodMiniObject || schema instanceof z.ZodMiniRecord
}
