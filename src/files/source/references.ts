import { formatFieldPath } from '../../interface/check.ts'
import { type FieldPath, type Finding, valueError } from '../../interface/finding.ts'
import { resourceKinds } from '../../interface/words.ts'
import type { Environment } from '../../lib/environment.ts'
import { isObject, mapTexts } from '../../lib/json.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { findLabeledConflictMarker } from './conflict-marker.ts'
import { createLineIndex } from './diagnostic.ts'
import { type Included, readIncluded } from './read-text.ts'
import { parseTemplate, type ResourceReference, type TemplateSegment } from './template.ts'

export type ResourceLookup =
  /** `isSecret`: the text came from the environment. */
  | { readonly text: string; readonly isSecret?: boolean }
  /** `details` are facts that a hint of a command needs. */
  | {
      readonly problem: string
      readonly hint?: string | undefined
      readonly details?: Readonly<Record<string, unknown>>
    }

export interface ReferenceOptions {
  /** Absolute path of the file with the references; `${file:…}` is relative to its folder. */
  readonly file: string
  readonly env: Environment
  /** Absolute folder that `${file:…}` must stay in. Called only if there is a `${file:…}`. */
  folder(): Promise<string>
  /** Allows `${file:…}` to read any file. */
  readonly allowOutsideFiles?: boolean | undefined
  /** Resolves `${tool:…}`, `${kb:…}` and `${assistant:…}`. */
  resource(reference: ResourceReference): ResourceLookup
}

export interface RenderOverrides {
  resource?(reference: ResourceReference): string
  env?(name: string, value: string): string
  /** For literal text, included text and defaults. */
  text?(literal: string): string
}

export interface ResolvedReferences {
  readonly value: unknown
  readonly findings: readonly Finding[]
  /** Fields that contain text from the environment, which must not be displayed. */
  readonly fromEnvironment: readonly FieldPath[]
  /** Each `${tool:…}`, `${kb:…}` and `${assistant:…}`, with its field. */
  readonly resources: readonly (ResourceReference & { readonly path: FieldPath })[]
  /** Values of the environment variables that were used; without those that fell back to a default. */
  readonly variables: ReadonlyMap<string, string>
  /** Names of all referenced environment variables, set or not. */
  readonly variableNames: ReadonlySet<string>
  /** Text of each included file, by its path as written. */
  readonly included: ReadonlyMap<string, string>
  /** Real paths of included files: relative to `folder` with `/`, or absolute if outside it. */
  readonly files: readonly string[]
  /** Builds the value again, with other text for some references. */
  render(rendering: RenderOverrides): unknown
}

type Replace = (segment: Exclude<TemplateSegment, { kind: 'text' }>, path: FieldPath) => string

/**
 * Replaces references in all strings of a value: `${env:NAME}`, `${env:NAME:-default}` (if NAME is unset or empty), `${file:path}`,
 * and by `options.resource` `${tool:name}`, `${kb:name}` and `${assistant:name}`; `$${` is a literal `${`. Replacement text is not
 * searched again. Returns a value without references unchanged.
 */
export async function resolveReferences(
  value: unknown,
  options: ReferenceOptions,
): Promise<ResolvedReferences> {
  const names = new Set<string>()
  if (!collectIncludes(value, names)) return withoutReferences(value)
  const contents = await readIncludes(names, options)
  const findings: Finding[] = []
  const fromEnvironment: FieldPath[] = []
  const resources: (ResourceReference & { path: FieldPath })[] = []
  const variables = new Map<string, string>()
  const variableNames = new Set<string>()
  const replace: Replace = (segment, path) => {
    if (segment.kind === 'env') {
      if (fromEnvironment.at(-1) !== path) fromEnvironment.push(path)
      if (isReservedVariable(segment.name)) {
        findings.push(reservedVariable(segment.name, path))
        return ''
      }
      variableNames.add(segment.name)
      const value = readVariable(segment, options.env)
      if (value !== undefined) variables.set(segment.name, value)
      if (!value && segment.fallback === undefined) findings.push(missingVariable(segment.name, path, value))
      return value ?? segment.fallback ?? ''
    }
    if (segment.kind === 'resource') resources.push({ ...segment.resource, path })
    const result = resolveSegment(segment, path, contents, options)
    if (typeof result === 'string') return result
    findings.push(result)
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
      [...contents].flatMap(([name, content]) => ('text' in content ? [[name, content.text]] : [])),
    ),
    files: [...contents.values()].flatMap(content => ('text' in content ? [content.path] : [])),
    render: ({ resource, env, text: literal = text => text }) =>
      replaceAll(
        value,
        (segment, path) => {
          if (segment.kind === 'env') {
            const text = readVariable(segment, options.env)
            return text === undefined ? literal(segment.fallback ?? '') : (env?.(segment.name, text) ?? text)
          }
          if (segment.kind === 'resource' && resource !== undefined) return resource(segment.resource)
          const result = resolveSegment(segment, path, contents, options)
          return typeof result === 'string' ? literal(result) : segment.written
        },
        literal,
      ),
  }
}

export function withoutReferences(value: unknown): ResolvedReferences {
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

/** Returns true if the value has any reference, and adds the paths of included files to `names`. */
function collectIncludes(value: unknown, names: Set<string>): boolean {
  if (typeof value === 'string') {
    if (!value.includes('${')) return false
    for (const segment of parseTemplate(value)) if (segment.kind === 'file') names.add(segment.path)
    return true
  }
  let any = false
  if (Array.isArray(value)) for (const item of value) any = collectIncludes(item, names) || any
  else if (isObject(value)) for (const key in value) any = collectIncludes(value[key], names) || any
  return any
}

async function readIncludes(
  names: ReadonlySet<string>,
  { file, folder, allowOutsideFiles = false }: ReferenceOptions,
): Promise<ReadonlyMap<string, Included>> {
  const contents = new Map<string, Included>()
  if (names.size === 0) return contents
  const rules = { includingFile: file, folder: await folder(), allowOutsideFiles }
  for (const name of names) contents.set(name, withoutConflict(await readIncluded(name, rules)))
  return contents
}

/** Rejects included text with merge conflicts, which would be sent with both sides. */
function withoutConflict(included: Included): Included {
  if (!('text' in included)) return included
  const marker = findLabeledConflictMarker(included.text)
  if (marker === undefined) return included
  const { line } = createLineIndex(included.text)(marker.offset ?? 0)
  return { error: { ...marker, message: `line ${line}: ${marker.message}` } }
}

function replaceAll(value: unknown, replace: Replace, literal = (text: string) => text): unknown {
  return mapTexts(value, (text, path) =>
    parseTemplate(text)
      .map(segment => (segment.kind === 'text' ? literal(segment.text) : replace(segment, path)))
      .join(''),
  )
}

/** Returns undefined if the default applies: the variable is unset, or empty. */
function readVariable(
  { name, fallback }: Extract<TemplateSegment, { kind: 'env' }>,
  env: Environment,
): string | undefined {
  if (isReservedVariable(name)) return undefined
  const value = env[name]
  return value === '' && fallback !== undefined ? undefined : value
}

/** True for callyard's settings, which include API keys. Ignores case on all platforms, as Windows does. */
function isReservedVariable(name: string): boolean {
  return /^callyard_/i.test(name)
}

function reservedVariable(name: string, path: FieldPath): Finding {
  const message = `${formatFieldPath(path)} reads ${name}, but files cannot read callyard’s own variables`
  const hint = 'set a variable with another name to the same value, and refer to that'
  return valueError(path, 'own-variable', message, hint)
}

function missingVariable(name: string, path: FieldPath, value: string | undefined): Finding {
  const state = value === undefined ? 'not set' : 'empty'
  const message = `${formatFieldPath(path)} needs the environment variable ${name}, which is ${state}`
  const allow =
    value === undefined ? 'add a default: ${env:NAME:-default}' : 'allow it to be empty: ${env:NAME:-}'
  return valueError(path, 'missing-env', message, `set ${name}, or ${allow.replace('NAME', name)}`)
}

function resolveSegment(
  segment: Exclude<TemplateSegment, { kind: 'text' | 'env' }>,
  path: FieldPath,
  contents: ReadonlyMap<string, Included>,
  { resource }: ReferenceOptions,
): string | Finding {
  if (segment.kind === 'bad') return invalidReference(segment, path)
  const field = formatFieldPath(path)
  if (segment.kind === 'file') {
    const content = contents.get(segment.path)
    if (content === undefined || 'text' in content) return content?.text ?? ''
    const { code, message, hint } = content.error
    return valueError(path, code, `${field} includes ${segment.path}: ${message}`, hint)
  }
  const { written } = segment
  const lookup = resource(segment.resource)
  if ('text' in lookup) return lookup.text
  const message = `${field} refers to ${written}, but ${lookup.problem}`
  return { ...valueError(path, 'unknown-reference', message, lookup.hint), details: lookup.details }
}

const referenceKinds = ['env', 'file', ...resourceKinds]

function invalidReference(
  { inner, written }: Extract<TemplateSegment, { kind: 'bad' }>,
  path: FieldPath,
): Finding {
  const [, word] = /^\s*([^:\s]+)\s*:/.exec(inner ?? '') ?? []
  const nearestKind = word === undefined ? undefined : didYouMean(word, referenceKinds)
  const message =
    inner === undefined
      ? `${formatFieldPath(path)} has an unclosed \${`
      : `${formatFieldPath(path)} has an invalid reference ${written}; allowed: \${env:NAME}, \${env:NAME:-default}, \${file:path}, \${tool:name}, \${kb:name}, \${assistant:name}`
  const suggestion =
    nearestKind === undefined || nearestKind === word ? '' : `did you mean \${${nearestKind}:…}? `
  const hint = `${suggestion}to write a literal \${, use $\${`
  return valueError(path, 'bad-reference', message, hint)
}
