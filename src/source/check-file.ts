import { dirname } from 'node:path'
import type { ZodMiniType } from 'zod/mini'
import { check } from '../interface/check.ts'
import { type FieldPath, type Finding, valueError } from '../interface/finding.ts'
import { type Kind, kinds } from '../interface/kinds.ts'
import { toWire, type Vocabulary } from '../interface/vocabulary.ts'
import type { KindName } from '../interface/words.ts'
import { isObject } from '../lib/json.ts'
import { byPosition, type Diagnostic, type SourceHint } from './diagnostic.ts'
import { type FileRules, findProjectFile, variablesOf } from './find-files.ts'
import { readSource, type Source } from './read-source.ts'
import {
  type FoundResource,
  type Rendering,
  type Resolved,
  resolveReferences,
  untouched,
} from './references.ts'
import type { ResourceReference } from './template.ts'

export interface CheckFileOptions extends FileRules {
  readonly vocabulary: Vocabulary
  /** Unknown keys are sent as they are, without a finding. */
  readonly allowUnknown?: boolean | undefined
  /** Of the project around the file, absolute; looked for when it is needed and not given. */
  readonly folder?: string | undefined
  /** What `${tool:name}` and its like stand for; without it, for nothing. */
  readonly resource?: ((reference: ResourceReference) => FoundResource) | undefined
}

export interface CheckedFile {
  readonly kind: KindName
  readonly source: Source
  /** The file's value with references resolved; undefined when the file could not be read. */
  readonly value: unknown
  /** The request body: real words for placeholders. Send it only when no diagnostic is an error. */
  readonly body: unknown
  /** All findings, in the order of the file. */
  readonly diagnostics: readonly Diagnostic[]
  /** Fields that hold text from the environment: not to be shown. */
  readonly fromEnvironment: readonly FieldPath[]
  /** What the references of the file are, and came to. */
  readonly references: Resolved
  /** The body as the file writes it: real words for placeholders, references unresolved. No secret stands in it. */
  written(): unknown
  /** The body once more, with other texts in place of some references. */
  render(rendering: Rendering): unknown
}

/**
 * Reads a file of a kind and checks all of it: text, references, and every rule of interface.md 2.
 * @throws CallwrightError only where a file of it belongs to the project of another user
 */
export async function checkFile(
  file: string,
  kind: KindName,
  options: CheckFileOptions,
): Promise<CheckedFile> {
  const { cwd, vocabulary } = options
  const source = await readSource(file, { cwd, own: kind === 'knowledge-base' ? 'ids' : undefined })
  if (source.format === 'csv' && kind !== 'knowledge-base' && source.value !== undefined) {
    return withoutFields(source, kind, [notCsv(source, kind)])
  }
  const { mayBeEmpty = false }: Kind = kinds[kind]
  if (mayBeEmpty && isEmpty(source)) return withoutFields(source, kind, [], {})
  if (source.value === undefined) return withoutFields(source, kind, source.diagnostics)

  const schema = schemaOf(kind, vocabulary)
  const checked = await checkSource(source, schema, options)
  const { references, value } = checked
  const duplicates = kind === 'knowledge-base' ? findDuplicates(value, source) : []
  let body: unknown
  return {
    kind,
    ...checked,
    get body() {
      body ??= toWire(schema, value)
      return body
    },
    diagnostics:
      duplicates.length === 0
        ? checked.diagnostics
        : [...checked.diagnostics, ...located(duplicates, source)].sort(byPosition),
    written: () => toWire(schema, source.value),
    render: rendering => toWire(schema, references.render(rendering)),
  }
}

/** Checks what a file holds, which has a value: its references, and every rule of a schema. */
export async function checkSource(
  source: Source,
  schema: ZodMiniType,
  options: Omit<CheckFileOptions, 'vocabulary'>,
) {
  const { allowUnknown = false, allowOutside, resource = notInProject } = options
  const references = await resolveReferences(source.value, {
    file: source.path,
    env: variablesOf(options),
    folder: async () => options.folder ?? folderAround(source.path, options),
    allowOutside,
    resource,
  })
  const { value, fromEnvironment } = references
  const unresolved = new Set(references.findings.map(({ path }) => pathKey(path)))
  const redacted = concealment(fromEnvironment)
  const ofFields = check(schema, value, { allowUnknown, redacted, written: source.writtenAt }).filter(
    ({ path, code }) =>
      !unresolved.has(pathKey(path)) && !(source.format === 'csv' && code === 'unknown-key'),
  )
  const findings = [...references.findings, ...ofFields]
  const ofText = source.diagnostics.filter(({ code }) => !(allowUnknown && code === 'unknown-key'))
  const diagnostics = [...ofText, ...located(findings, source)].sort(byPosition)
  return { source, value, diagnostics, fromEnvironment, references }
}

/** Findings with their places in a file. */
export function located(findings: readonly Finding[], source: Source): Diagnostic[] {
  return findings.map(finding => ({
    ...finding,
    file: source.file,
    position: source.positionOf(finding.path, finding.at),
  }))
}

/** What a file and all that it includes belong to: its project, or its own folder. Absolute. */
async function folderAround(path: string, rules: FileRules): Promise<string> {
  return dirname((await findProjectFile(dirname(path), rules)) ?? path)
}

function notInProject(): FoundResource {
  return { problem: 'the file is not in a project', hint: 'make-project' satisfies SourceHint }
}

function isEmpty({ value, diagnostics }: Source): boolean {
  return value === undefined && diagnostics.every(({ code }) => code === 'empty-file')
}

/** Building a schema takes longer than checking a file by it, so a run over many files builds each once. */
function schemaOf(kind: KindName, vocabulary: Vocabulary): ZodMiniType {
  const built = schemas.get(vocabulary) ?? new Map<KindName, ZodMiniType>()
  schemas.set(vocabulary, built)
  const schema = built.get(kind) ?? kinds[kind].schema(vocabulary)
  built.set(kind, schema)
  return schema
}

const schemas = new WeakMap<Vocabulary, Map<KindName, ZodMiniType>>()

/** A file that could not be read, or one of comments alone, whose value is then an empty mapping. */
function withoutFields(
  source: Source,
  kind: KindName,
  diagnostics: readonly Diagnostic[],
  value?: Readonly<Record<string, never>>,
): CheckedFile {
  const references = untouched(value)
  const whole = () => value
  const own = { kind, source, value, body: value, diagnostics, references }
  return { ...own, fromEnvironment: [], written: whole, render: whole }
}

function notCsv(source: Source, kind: KindName): Diagnostic {
  const message = `a ${kinds[kind].title} cannot be a CSV file; only FAQ entries can`
  return { file: source.file, ...valueError([], 'wrong-format', message, 'write it as YAML or JSON') }
}

function concealment(paths: readonly FieldPath[]): ((path: FieldPath) => boolean) | undefined {
  if (paths.length === 0) return undefined
  const keys = new Set(paths.map(pathKey))
  return path => keys.has(pathKey(path))
}

function pathKey(path: FieldPath): string {
  return JSON.stringify(path)
}

/**
 * Entries of a FAQ file that repeat the question or the id of an earlier one. Questions are the same when they differ
 * only in white space or in how Unicode writes a letter.
 */
function findDuplicates(value: unknown, source: Source): Finding[] {
  if (!isObject(value) || !Array.isArray(value.faq)) return []
  const first = { id: new Map<string, number>(), question: new Map<string, number>() }
  const findings: Finding[] = []
  for (const [index, entry] of value.faq.entries()) {
    if (!isObject(entry)) continue
    for (const field of ['id', 'question'] as const) {
      const text = entry[field]
      if (typeof text !== 'string' || text.trim() === '') continue
      const same = isCompact.test(text) ? text : text.normalize('NFC').trim().replace(/\s+/g, ' ')
      const earlier = first[field].get(same)
      if (earlier === undefined) first[field].set(same, index)
      else findings.push(duplicate(field, index, earlier, source))
    }
  }
  return findings
}

/** Most questions: nothing of them would be folded. */
const isCompact = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

function duplicate(field: 'id' | 'question', index: number, earlier: number, source: Source): Finding {
  const line = source.positionOf(['faq', earlier, field], 'value')?.line
  const inLine = line === undefined ? '' : ` in line ${line}`
  const message = `faq[${index}].${field} is the same as faq[${earlier}].${field}${inLine}`
  const hints = {
    id: 'each entry of the service has one id; remove this one',
    question: 'merge the two entries, or ask it in other words',
  }
  return valueError(['faq', index, field], 'duplicate', message, hints[field])
}
