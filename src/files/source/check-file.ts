import { dirname } from 'node:path'
import type { ZodMiniType } from 'zod/mini'
import { check } from '../../interface/check.ts'
import { type FieldPath, type Finding, hasErrors, valueError } from '../../interface/finding.ts'
import { toWire, type Vocabulary } from '../../interface/vocabulary.ts'
import type { KindName } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { type Kind, kinds } from '../formats/kinds.ts'
import { findLostValue } from '../tables/index.ts'
import { comparePositions } from '../text/index.ts'
import type { Diagnostic } from './diagnostic.ts'
import { fileHints } from './file-hints.ts'
import { type FileRules, findProjectFile, templateVariables } from './find-files.ts'
import {
  entriesPath,
  type ReadProjectFile,
  readEntriesTable,
  withIdOfProject,
} from './knowledge-base-file.ts'
import { type ReadOptions, readSource, type Source } from './read-source.ts'
import {
  type RenderOverrides,
  type ResolvedReferences,
  type ResourceLookup,
  resolveReferences,
  withoutReferences,
} from './references.ts'
import type { ResourceReference } from './template.ts'

export interface CheckFileOptions extends FileRules {
  readonly vocabulary: Vocabulary
  /** Unknown keys are sent unchanged, without a finding. */
  readonly allowUnknown?: boolean | undefined
  /** Absolute path of the project folder; found on demand if not given. */
  readonly folder?: string | undefined
  /** Default: reads the file each time. */
  readonly readProjectFile?: ReadProjectFile | undefined
  /** Reads the file as a table of FAQ entries, whatever its extension, with the headings of fields. */
  readonly faqColumns?: Readonly<Record<string, string>> | undefined
  /** Encoding of such a table that is not in Unicode. */
  readonly encoding?: string | undefined
  /** Resolves `${tool:name}`, `${kb:name}` and `${assistant:name}`; by default each is a finding. */
  readonly resource?: ((reference: ResourceReference) => ResourceLookup) | undefined
}

export interface CheckedFile {
  readonly kind: KindName
  /** Absolute path of the file. */
  readonly path: string
  /** The file, or the table that a knowledge base names, with the id of the knowledge base. */
  readonly source: Source
  /** The file itself. */
  readonly own: Source
  /** The file's value with references resolved; undefined if the file could not be read. */
  readonly value: unknown
  /** The request body, with the vocabulary's names. Send it only if no diagnostic is an error. */
  readonly body: unknown
  /** Sorted by position. */
  readonly diagnostics: readonly Diagnostic[]
  /** Fields that contain text from the environment, which must not be displayed. */
  readonly fromEnvironment: readonly FieldPath[]
  readonly references: ResolvedReferences
  /** The body with references unresolved, and therefore without secrets. */
  unresolvedBody(): unknown
  /** Builds the body again, with other text for some references. */
  render(rendering: RenderOverrides): unknown
}

/**
 * Reads a file and checks its syntax, its references and every rule of interface.md 2.
 * @throws CallyardError only if the file belongs to another user's project
 */
export async function checkFile(
  file: string,
  kind: KindName,
  options: CheckFileOptions,
): Promise<CheckedFile> {
  const { cwd, vocabulary } = options
  const isBase = kind === 'knowledge-base'
  const reading = {
    ...{ cwd, ownContent: isBase ? ('ids' as const) : undefined },
    ...{ keepsColumns: options.allowUnknown, faqColumns: options.faqColumns },
    ...(options.faqColumns && {
      encoding: options.encoding,
      encodingHint: 'give its encoding, or save it as UTF-8',
    }),
  }
  const own = await readSource(file, reading)
  if (isBase && entriesPath(own) !== undefined) return checkLinked(own, options, reading)
  const source = isBase && own.format === 'csv' ? await withIdOfProject(own, options) : own
  if (source.format === 'csv' && kind !== 'knowledge-base' && source.value !== undefined) {
    return withoutFields(source, kind, [csvNotSupported(source, kind)])
  }
  const { mayBeEmpty = false }: Kind = kinds[kind]
  if (mayBeEmpty && isEmpty(source)) return withoutFields(source, kind, [], {})
  if (source.value === undefined) return withoutFields(source, kind, source.diagnostics)

  const schema = schemaOf(kind, vocabulary)
  return checkParsed(source, kind, schema, options)
}

/** Checks a knowledge base whose entries are in a table. */
async function checkLinked(
  own: Source,
  options: CheckFileOptions,
  reading: ReadOptions,
): Promise<CheckedFile> {
  const kind = 'knowledge-base'
  const schema = schemaOf(kind, options.vocabulary)
  const { diagnostics } = await checkSource(own, schema, options)
  if (hasErrors(diagnostics)) return withoutFields(own, kind, diagnostics)
  const folder = options.folder ?? (await findIncludeFolder(own.path, options))
  const includedBy = {
    ...{ includingFile: own.path, folder },
    allowOutsideFiles: options.allowOutsideFiles ?? false,
  }
  const table = await readEntriesTable(own, { ...reading, includedBy })
  if (table.source.value === undefined)
    return withoutFields(own, kind, [...diagnostics, ...table.diagnostics])
  const source = { ...table.source, diagnostics: table.diagnostics }
  const checked = await checkParsed(source, kind, schema, options)
  return { ...checked, own, path: own.path, diagnostics: [...diagnostics, ...checked.diagnostics] }
}

/** Checks a file that parsed. */
async function checkParsed(
  source: Source,
  kind: KindName,
  schema: ZodMiniType,
  options: CheckFileOptions,
): Promise<CheckedFile> {
  const checked = await checkSource(source, schema, options)
  const { references, value } = checked
  const entryFindings =
    kind === 'knowledge-base' ? [...findDuplicates(value, source), ...findLostCells(source)] : []
  let body: unknown
  return {
    kind,
    path: source.path,
    own: source,
    ...checked,
    get body() {
      body ??= toWire(schema, value)
      return body
    },
    diagnostics: [
      ...withCellHints(checked.diagnostics, source),
      ...toDiagnostics(entryFindings, source),
    ].sort(comparePositions),
    unresolvedBody: () => toWire(schema, source.value),
    render: rendering => toWire(schema, references.render(rendering)),
  }
}

/** Hints for the cells of a table of entries. */
const cellHints: Readonly<Record<string, string>> = {
  'out-of-range': 'fill the cell, or remove the row',
  'wrong-type': 'write true or false',
}

function withCellHints(diagnostics: readonly Diagnostic[], { csv }: Source): readonly Diagnostic[] {
  if (csv === undefined) return diagnostics
  return diagnostics.map(diagnostic => ({
    ...diagnostic,
    hint: cellHints[diagnostic.code] ?? diagnostic.hint,
  }))
}

/** Checks the references of a file that parsed, and its value against a schema. */
export async function checkSource(
  source: Source,
  schema: ZodMiniType,
  options: Omit<CheckFileOptions, 'vocabulary'>,
) {
  const { allowUnknown = false, allowOutsideFiles, resource = notInProject } = options
  const references = await resolveReferences(source.value, {
    file: source.path,
    env: templateVariables(options),
    folder: async () => options.folder ?? findIncludeFolder(source.path, options),
    allowOutsideFiles,
    resource,
  })
  const { value, fromEnvironment } = references
  const unresolved = new Set(references.findings.map(({ path }) => pathKey(path)))
  const redacted = pathMatcher(fromEnvironment)
  const fieldFindings = check(schema, value, { allowUnknown, redacted, written: source.rawTextAt }).filter(
    ({ path }) => !unresolved.has(pathKey(path)),
  )
  const findings = [...references.findings, ...fieldFindings]
  const textDiagnostics = source.diagnostics.filter(({ code }) => !(allowUnknown && code === 'unknown-key'))
  const diagnostics = [...textDiagnostics, ...toDiagnostics(findings, source)].sort(comparePositions)
  return { source, value, diagnostics, fromEnvironment, references }
}

/** Adds file and position to findings. */
export function toDiagnostics(findings: readonly Finding[], source: Source): Diagnostic[] {
  return findings.map(finding => ({
    ...finding,
    file: source.file,
    position: source.positionOf(finding.path, finding.at),
  }))
}

/** Returns the absolute folder that includes must stay in: the project's, or the file's own. */
async function findIncludeFolder(path: string, rules: FileRules): Promise<string> {
  return dirname((await findProjectFile(dirname(path), rules)) ?? path)
}

function notInProject(): ResourceLookup {
  return { problem: 'the file is not in a project', hint: fileHints.useProject }
}

function isEmpty({ value, diagnostics }: Source): boolean {
  return value === undefined && diagnostics.every(({ code }) => code === 'empty-file')
}

/** Cached, because building a schema takes longer than checking a file against it. */
function schemaOf(kind: KindName, vocabulary: Vocabulary): ZodMiniType {
  const schemasByKind = schemas.get(vocabulary) ?? new Map<KindName, ZodMiniType>()
  schemas.set(vocabulary, schemasByKind)
  const schema = schemasByKind.get(kind) ?? kinds[kind].schema(vocabulary)
  schemasByKind.set(kind, schema)
  return schema
}

const schemas = new WeakMap<Vocabulary, Map<KindName, ZodMiniType>>()

/** Result for a file that could not be read, or for one with only comments, whose value is then an empty mapping. */
function withoutFields(
  source: Source,
  kind: KindName,
  diagnostics: readonly Diagnostic[],
  value?: Readonly<Record<string, never>>,
): CheckedFile {
  const references = withoutReferences(value)
  const whole = () => value
  const file = { kind, path: source.path, source, own: source, value, body: value, diagnostics, references }
  return { ...file, fromEnvironment: [], unresolvedBody: whole, render: whole }
}

function csvNotSupported(source: Source, kind: KindName): Diagnostic {
  const message = `a ${kinds[kind].title} cannot be a CSV file; only FAQ entries can`
  return { file: source.file, ...valueError([], 'wrong-format', message, 'use YAML or JSON') }
}

function pathMatcher(paths: readonly FieldPath[]): ((path: FieldPath) => boolean) | undefined {
  if (paths.length === 0) return undefined
  const keys = new Set(paths.map(pathKey))
  return path => keys.has(pathKey(path))
}

function pathKey(path: FieldPath): string {
  return JSON.stringify(path)
}

/** Finds FAQ entries that repeat an earlier question or id, ignoring white space and Unicode normalization forms. */
function findDuplicates(value: unknown, source: Source): Finding[] {
  if (!isObject(value) || !Array.isArray(value.faq)) return []
  const firstIndexes = { id: new Map<string, number>(), question: new Map<string, number>() }
  const findings: Finding[] = []
  for (const [index, entry] of value.faq.entries()) {
    if (!isObject(entry)) continue
    for (const field of ['id', 'question'] as const) {
      const text = entry[field]
      if (typeof text !== 'string' || text.trim() === '') continue
      const normalized = isNormalized.test(text) ? text : text.normalize('NFC').trim().replace(/\s+/g, ' ')
      const earlier = firstIndexes[field].get(normalized)
      if (earlier === undefined) firstIndexes[field].set(normalized, index)
      else findings.push(duplicateFinding(field, index, earlier, source))
    }
  }
  return findings
}

/** Fast path: most texts are normalized already. */
const isNormalized = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

function duplicateFinding(field: 'id' | 'question', index: number, earlier: number, source: Source): Finding {
  const line = source.positionOf(['faq', earlier, field], 'value')?.line
  const inLine = line === undefined ? '' : ` (line ${line})`
  const message = `faq[${index}].${field} repeats faq[${earlier}].${field}${inLine}`
  const hints = {
    id: 'remove this id: the service assigns each entry its own',
    question: 'merge the two entries, or reword the question',
  }
  return valueError(['faq', index, field], 'duplicate', message, hints[field])
}

/** Finds fields of FAQ entries that a spreadsheet has replaced with an error, or shortened. In YAML, people may mean them. */
function findLostCells({ value, csv }: Source): Finding[] {
  if (!isObject(value) || !Array.isArray(value.faq)) return []
  const findings: Finding[] = []
  for (const [index, entry] of value.faq.entries()) {
    for (const [field, text] of Object.entries(isObject(entry) ? entry : {})) {
      const lostValue = typeof text === 'string' ? findLostValue(text, `faq[${index}].${field}`) : undefined
      if (lostValue === undefined) continue
      const severity = csv === undefined ? 'warning' : 'error'
      findings.push({ ...lostValue, path: ['faq', index, field], at: 'value', severity })
    }
  }
  return findings
}
