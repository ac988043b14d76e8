import { formatFieldPath } from '../interface/check.ts'
import { type FieldPath, type Finding, valueError } from '../interface/finding.ts'
import { resourceKinds } from '../interface/words.ts'
import type { Environment } from '../lib/environment.ts'
import { isObject, mapTexts } from '../lib/json.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import { labeledConflictMarker } from './conflict-marker.ts'
import { lineIndex } from './diagnostic.ts'
import { type Included, readIncluded } from './read-text.ts'
import { type ResourceReference, segmentsOf, type TemplateSegment } from './template.ts'

/** What a reference to another file of the project stands for, or why it stands for nothing. */
export type FoundResource =
  /** `concealed`: it came from the environment itself. */
  | { readonly text: string; readonly concealed?: boolean }
  | { readonly problem: string; readonly hint?: string | undefined }
  /** Words for `problem` stand in src/messages. */
  | { readonly problem: string; readonly details: Readonly<Record<string, unknown>> }

export interface ReferenceOptions {
  /** Absolute path of the file that holds the references; `${file:…}` is relative to its folder. */
  readonly file: string
  readonly env: Environment
  /** The folder that `${file:…}` stays in, absolute: the project's. Asked for when there is a `${file:…}`. */
  folder(): Promise<string>
  /** `${file:…}` may name any file. */
  readonly allowOutside?: boolean | undefined
  /** What `${tool:…}`, `${kb:…}` and `${assistant:…}` stand for. */
  resource(reference: ResourceReference): FoundResource
}

/** What else than itself a value may be written with: see `Resolved.render`. */
export interface Rendering {
  resource?(reference: ResourceReference): string
  /** Instead of the value of an environment variable. */
  env?(name: string, value: string): string
}

export interface Resolved {
  readonly value: unknown
  readonly findings: readonly Finding[]
  /** Fields that hold text from the environment: not to be shown. */
  readonly fromEnvironment: readonly FieldPath[]
  /** Every `${tool:…}` and its like, each with the field that it stands in. */
  readonly resources: readonly (ResourceReference & { readonly path: FieldPath })[]
  /** What came from each environment variable. One whose default was taken is not among them. */
  readonly variables: ReadonlyMap<string, string>
  /** Every environment variable that is named, set or not. */
  readonly variableNames: ReadonlySet<string>
  /** The text of each included file, by its path as it is written. */
  readonly included: ReadonlyMap<string, string>
  /** Real paths of included files: relative to `folder`, with `/`, or absolute outside of it. */
  readonly files: readonly string[]
  /** The value once more, with other texts in place of some references. */
  render(rendering: Rendering): unknown
}

/** Called for each reference; gives the text in its place. */
type Replace = (segment: Exclude<TemplateSegment, { kind: 'text' }>, path: FieldPath) => string

/**
 * Replaces `${env:NAME}`, `${env:NAME:-default}` (also when NAME is empty), `${file:path}`, and by `options.resource`
 * `${tool:name}` and its like, in every text of a value; `$${` is a literal `${`. What comes in is not looked into again.
 * Values without references are returned as they are.
 */
export async function resolveReferences(value: unknown, options: ReferenceOptions): Promise<Resolved> {
  const names = new Set<string>()
  if (!collectFiles(value, names)) return untouched(value)
  const contents = await readAll(names, options)
  const findings: Finding[] = []
  const fromEnvironment: FieldPath[] = []
  const resources: (ResourceReference & { path: FieldPath })[] = []
  const variables = new Map<string, string>()
  const variableNames = new Set<string>()
  const replace: Replace = (segment, path) => {
    if (segment.kind === 'env') {
      if (fromEnvironment.at(-1) !== path) fromEnvironment.push(path)
      if (isOwnVariable(segment.name)) {
        findings.push(ownVariable(segment.name, path))
        return ''
      }
      variableNames.add(segment.name)
      const value = variableOf(segment, options.env)
      if (value !== undefined) variables.set(segment.name, value)
      else if (segment.fallback === undefined) findings.push(missingVariable(segment.name, path))
      return value ?? segment.fallback ?? ''
    }
    if (segment.kind === 'resource') resources.push({ ...segment.resource, path })
    const found = textOf(segment, path, contents, options)
    if (typeof found === 'string') return found
    findings.push(found)
    return segment.kind === 'file' ? '' : segment.written
  }
  return {
    value: replaceAll(value, replace),
    findings,
    fromEnvironment,
    resources,
    variables,
    variableNames,
    included: new Map(
      [...contents].flatMap(([name, found]) => ('text' in found ? [[name, found.text]] : [])),
    ),
    files: [...contents.values()].flatMap(found => ('text' in found ? [found.path] : [])),
    render: ({ resource, env }) =>
      replaceAll(value, (segment, path) => {
        if (segment.kind === 'env') {
          const text = variableOf(segment, options.env)
          return text === undefined ? (segment.fallback ?? '') : (env?.(segment.name, text) ?? text)
        }
        if (segment.kind === 'resource' && resource !== undefined) return resource(segment.resource)
        const found = textOf(segment, path, contents, options)
        return typeof found === 'string' ? found : segment.written
      }),
  }
}

/** A value without references. */
export function untouched(value: unknown): Resolved {
  return {
    value,
    findings: [],
    fromEnvironment: [],
    resources: [],
    variables: new Map(),
    variableNames: new Set(),
    included: new Map(),
    files: [],
    render: () => value,
  }
}

/** Whether the value has any reference at all; names the files that it asks for. */
function collectFiles(value: unknown, names: Set<string>): boolean {
  if (typeof value === 'string') {
    if (!value.includes('${')) return false
    for (const segment of segmentsOf(value)) if (segment.kind === 'file') names.add(segment.path)
    return true
  }
  let any = false
  if (Array.isArray(value)) for (const item of value) any = collectFiles(item, names) || any
  else if (isObject(value)) for (const key in value) any = collectFiles(value[key], names) || any
  return any
}

async function readAll(
  names: ReadonlySet<string>,
  { file, folder, allowOutside = false }: ReferenceOptions,
): Promise<ReadonlyMap<string, Included>> {
  const contents = new Map<string, Included>()
  if (names.size === 0) return contents
  const rules = { holder: file, folder: await folder(), allowOutside }
  for (const name of names) contents.set(name, withoutConflict(await readIncluded(name, rules)))
  return contents
}

/** Rejects included text with merge conflicts, which would be sent with both sides. */
function withoutConflict(included: Included): Included {
  if (!('text' in included)) return included
  const marker = labeledConflictMarker(included.text)
  if (marker === undefined) return included
  const { line } = lineIndex(included.text)(marker.offset ?? 0)
  return { error: { ...marker, message: `line ${line}: ${marker.message}` } }
}

function replaceAll(value: unknown, replace: Replace): unknown {
  return mapTexts(value, (text, path) =>
    segmentsOf(text)
      .map(segment => (segment.kind === 'text' ? segment.text : replace(segment, path)))
      .join(''),
  )
}

/** Undefined where the default stands in: for a variable that is not set, or is empty. */
function variableOf(
  { name, fallback }: Extract<TemplateSegment, { kind: 'env' }>,
  env: Environment,
): string | undefined {
  if (isOwnVariable(name)) return undefined
  const value = env[name]
  return value === '' && fallback !== undefined ? undefined : value
}

/** callwright's own settings hold its keys. Windows does not tell upper from lower case, so no platform does here. */
function isOwnVariable(name: string): boolean {
  return /^callwright_/i.test(name)
}

function ownVariable(name: string, path: FieldPath): Finding {
  const message = `${formatFieldPath(path)} reads ${name}; no file may read the variables of callwright itself`
  const hint = 'if the value belongs into the file, set a variable of another name to it'
  return valueError(path, 'own-variable', message, hint)
}

function missingVariable(name: string, path: FieldPath): Finding {
  const message = `${formatFieldPath(path)} needs the environment variable ${name}, which is not set`
  return valueError(path, 'missing-env', message, `set ${name}, or give a default: \${env:${name}:-default}`)
}

/** The text in place of a reference, or why there is none. */
function textOf(
  segment: Exclude<TemplateSegment, { kind: 'text' | 'env' }>,
  path: FieldPath,
  contents: ReadonlyMap<string, Included>,
  { resource }: ReferenceOptions,
): string | Finding {
  if (segment.kind === 'bad') return badReference(segment, path)
  const field = formatFieldPath(path)
  if (segment.kind === 'file') {
    const found = contents.get(segment.path)
    if (found === undefined || 'text' in found) return found?.text ?? ''
    const { code, message, hint = 'the path is relative to the file that names it' } = found.error
    return valueError(path, code, `${field} includes ${segment.path}: ${message}`, hint)
  }
  const { written } = segment
  const found = resource(segment.resource)
  if ('text' in found) return found.text
  if ('details' in found) {
    const details = { ...found.details, field, written }
    return { ...valueError(path, 'unknown-reference', found.problem), details }
  }
  const message = `${field} refers to ${written}: ${found.problem}`
  return valueError(path, 'unknown-reference', message, found.hint)
}

const words = ['env', 'file', ...resourceKinds]

function badReference(
  { inner, written }: Extract<TemplateSegment, { kind: 'bad' }>,
  path: FieldPath,
): Finding {
  const [, word] = /^\s*([^:\s]+)\s*:/.exec(inner ?? '') ?? []
  const meant = word === undefined ? undefined : didYouMean(word, words)
  const message =
    inner === undefined
      ? `${formatFieldPath(path)} has a \${ that no } closes`
      : `${formatFieldPath(path)} has ${written}, which is no reference; allowed: \${env:NAME}, \${env:NAME:-default}, \${file:path}, \${tool:name}, \${kb:name}, \${assistant:name}`
  const suggestion = meant === undefined || meant === word ? '' : `did you mean \${${meant}:…}? `
  const hint = `${suggestion}for the characters \${ themselves write $\${`
  return valueError(path, 'bad-reference', message, hint)
}
