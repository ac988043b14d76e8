import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { FieldPath } from '../interface/finding.ts'
import { isObject } from '../lib/json.ts'
import { anyConflictMarker, labeledConflictMarker } from './conflict-marker.ts'
import { contentBytes } from './content-size.ts'
import { type Diagnostic, lineIndex, type Parsed, type Position, unusable } from './diagnostic.ts'
import {
  fileTooLarge,
  type IncludeRules,
  maxFileBytes,
  maxOwnFileBytes,
  readIncluded,
  readText,
} from './read-text.ts'

/** A file as it was read: its exact text, its value, and where in the text each field stands. */
export interface Source extends Pick<Parsed, 'csv' | 'offsetOf' | 'writtenAt'> {
  /** As people see it: relative to the working folder when it is inside. */
  readonly file: string
  /** Absolute. */
  readonly path: string
  /** Every character of the file, a byte order mark included; all offsets count its UTF-16 code units. */
  readonly text: string
  readonly format: 'yaml' | 'json' | 'csv'
  /** The value before references are resolved, without the `$schema` of editors; undefined when the file could not be read. */
  readonly value: unknown
  /** What is wrong with the text itself. */
  readonly diagnostics: readonly Diagnostic[]
  /** Line and column of what `offsetOf` says. */
  positionOf(path: FieldPath, at: 'key' | 'value'): Position | undefined
}

export interface ReadOptions {
  readonly cwd: string
  /** Another file names this one, by a path from its own folder: only what `${file:…}` may read is read. */
  readonly includedBy?: IncludeRules | undefined
  /** A CSV file of any columns, as a list of its records. */
  readonly isTable?: boolean | undefined
  /** Content written by callwright, which does not count toward the size limit: entry ids, or the whole file. */
  readonly own?: 'ids' | 'all' | undefined
}

/**
 * Reads a YAML 1.2, JSON (`.json`) or CSV (`.csv`) file. Never throws for what is in the file or its folder: what
 * is wrong becomes a diagnostic, and `value` is undefined when nothing could be made of the text.
 */
export async function readSource(file: string, options: ReadOptions): Promise<Source> {
  const { cwd, includedBy, isTable = false, own } = options
  const path = resolve(includedBy === undefined ? cwd : dirname(includedBy.holder), file)
  const name = displayName(path, cwd)
  const format = formatOf(path)
  const read =
    includedBy === undefined ? await readWithin(path, format, own) : await readIncluded(file, includedBy)
  const text = 'text' in read ? read.text : (read.partial ?? '')
  const { flaws, ...parsed } =
    'text' in read ? withoutSchemaKey(await parse(text, format, isTable)) : unusable(read.error)
  const positionAt = lineIndex(text)
  return {
    file: name,
    path,
    text,
    format,
    ...parsed,
    diagnostics: flaws.map(({ offset, ...flaw }) => ({
      severity: 'error',
      path: [],
      at: 'value',
      ...flaw,
      file: name,
      position: offset === undefined ? undefined : positionAt(offset),
    })),
    positionOf(path, at) {
      const offset = parsed.offsetOf(path, at)
      return offset === undefined ? undefined : positionAt(offset)
    },
  }
}

async function readWithin(path: string, format: Source['format'], own: ReadOptions['own']) {
  const read = await readText(path, own === undefined ? {} : { maxBytes: maxOwnFileBytes })
  if (!('text' in read) || own === 'all') return read
  const isWithin = Buffer.byteLength(read.text) <= maxFileBytes
  return isWithin || contentBytes(read.text, format) <= maxFileBytes ? read : { error: fileTooLarge }
}

/** `assistants/a.yaml` inside the working folder, else the absolute path. */
export function displayName(path: string, cwd: string): string {
  const inside = relative(cwd, path)
  const outside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  return outside ? path : inside
}

function formatOf(path: string): Source['format'] {
  const extension = extname(path).toLowerCase()
  if (extension === '.json') return 'json'
  return extension === '.csv' ? 'csv' : 'yaml'
}

async function parse(text: string, format: Source['format'], isTable: boolean): Promise<Parsed> {
  if (text.replace(/^\uFEFF/, '').trim() === '')
    return unusable({ code: 'empty-file', message: 'the file is empty' })
  if (format === 'csv') {
    // A CSV parser would read conflict markers as cells.
    const marker = labeledConflictMarker(text)
    if (marker !== undefined) return unusable(marker)
    const { readCsv, readTable } = await import('./read-csv.ts')
    return explainConflict(text, isTable ? readTable(text) : readCsv(text))
  }
  const { parseJsonFile, parseYaml } = await import('./parse-yaml.ts')
  return explainConflict(text, format === 'json' ? await parseJsonFile(text) : await parseYaml(text))
}

/** Replaces the parse errors of a text with the merge conflict that causes them. */
function explainConflict(text: string, parsed: Parsed): Parsed {
  if (parsed.flaws.length === 0 && typeof parsed.value === 'object') return parsed
  const marker = anyConflictMarker(text)
  return marker === undefined ? parsed : unusable(marker)
}

/**
 * Takes the top-level `$schema` out of what was parsed: it tells editors the schema of the file, and is no field of the
 * resource, so it is never checked as one and never sent.
 */
function withoutSchemaKey(parsed: Parsed): Parsed {
  const { value, flaws, offsetOf } = parsed
  if (!isObject(value) || !Object.hasOwn(value, '$schema')) return parsed
  const { $schema, ...rest } = value
  if (typeof $schema === 'string') return { ...parsed, value: rest }
  const wrong = {
    code: 'wrong-type',
    path: ['$schema'],
    message: '$schema is no text; allowed: the path or URL of the schema of this file',
    hint: 'for example ./schemas/assistant.schema.json',
    offset: offsetOf(['$schema'], 'value'),
  }
  return { ...parsed, value: rest, flaws: [...flaws, wrong] }
}
