import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { FieldPath } from '../../interface/finding.ts'
import { extensionOf } from '../../lib/fs/extension.ts'
import { isObject } from '../../lib/json.ts'
import { maxFileBytes, maxOwnFileBytes } from '../formats/file-limits.ts'
import { type DecodedTable, decodeTable, decodeText, encodeText, withoutMark } from '../text/index.ts'
import { findConflictMarker, findLabeledConflictMarker } from './conflict-marker.ts'
import { contentBytes } from './content-size.ts'
import {
  type CsvTable,
  createLineIndex,
  type Diagnostic,
  type FieldOffsets,
  failedParse,
  type Parsed,
  type ParseError,
  type Position,
  writeFields,
} from './diagnostic.ts'
import { findOddSpace } from './odd-space.ts'
import type { FaqTableOptions } from './read-csv.ts'
import { fileTooLarge, type IncludeRules, readDecoded, readIncludedAs, type Unreadable } from './read-text.ts'
import { explainPlaceholders } from './unquoted-placeholder.ts'

/** A parsed file: its exact text, its value, and the position of each field. */
export interface Source extends FieldOffsets {
  /** Display name: relative to the working folder if inside it. */
  readonly file: string
  /** Absolute. */
  readonly path: string
  /** Exact content, including a byte order mark. Offsets are in its UTF-16 code units. */
  readonly text: string
  /** Name in the WHATWG Encoding Standard. */
  readonly encoding: string
  readonly format: 'yaml' | 'json' | 'csv'
  /** References unresolved, without `$schema`; undefined if the file could not be read. */
  readonly value: unknown
  readonly csv?: CsvTable
  readonly diagnostics: readonly Diagnostic[]
  positionOf(path: FieldPath, at: 'key' | 'value'): Position | undefined
}

export interface FileOptions {
  readonly cwd: string
  /** The file is named by another file, relative to that file's folder; restricted as `${file:…}` is. */
  readonly includedBy?: IncludeRules | undefined
  /** Encoding of a table that is not in Unicode; default: the one that its words suggest, with a warning. */
  readonly encoding?: string | undefined
}

export interface ReadOptions extends FileOptions, FaqTableOptions {
  /** Allows any columns in a CSV file, and reads it as a list of records; its header has some of these names. */
  readonly usedColumns?: readonly string[] | undefined
  /** Next step for a table whose encoding is guessed or wrong; by default that of a file that nothing describes. */
  readonly encodingHint?: string | undefined
  /** Content written by callyard, exempt from the size limit: entry ids, or the whole file. */
  readonly ownContent?: 'ids' | 'all' | undefined
  /** Returns the part of the text to parse. Positions are those in it. */
  readonly partOf?: ((text: string) => string) | undefined
}

/** Reads a YAML 1.2, JSON (`.json`) or CSV (`.csv`) file. Problems with the file are returned as diagnostics, never thrown. */
export async function readSource(file: string, options: ReadOptions): Promise<Source> {
  const { cwd, includedBy, ownContent } = options
  const path = resolve(includedBy === undefined ? cwd : dirname(includedBy.includingFile), file)
  const name = displayName(path, cwd)
  const format = options.faqColumns === undefined ? formatOf(path) : 'csv'
  const maxBytes = ownContent === undefined ? maxFileBytes : maxOwnFileBytes
  const decoding = {
    maxBytes,
    decode: format === 'csv' ? (bytes: Buffer) => decodeSourceTable(bytes, options) : decodeText,
  }
  const data: DecodedTable | Unreadable =
    includedBy === undefined
      ? await readDecoded<DecodedTable>(path, decoding)
      : await readIncludedAs<DecodedTable>(file, includedBy, decoding)
  const text = 'text' in data ? data.text : (data.partial ?? '')
  const { errors, ...parsed } =
    'text' in data ? withoutSchemaKey(await parseDecoded(data, format, options)) : failedParse(data.error)
  const positionAt = createLineIndex(text)
  return {
    file: name,
    path,
    text,
    encoding: 'text' in data ? data.encoding : 'utf-8',
    format,
    ...parsed,
    diagnostics: errors.map(({ offset, ...error }) => ({
      severity: 'error',
      path: [],
      at: 'value',
      ...error,
      file: name,
      position: offset === undefined ? error.position : positionAt(offset),
    })),
    positionOf(path, at) {
      const offset = parsed.offsetOf(path, at)
      return offset === undefined ? undefined : positionAt(offset)
    },
  }
}

/** Returns a relative path inside the working folder, else the absolute path. */
export function displayName(path: string, cwd: string): string {
  const inside = relative(cwd, path)
  const outside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  return outside ? path : inside
}

function formatOf(path: string): Source['format'] {
  const extension = extensionOf(path)
  if (extension === '.json') return 'json'
  return extension === '.csv' || extension === '.tsv' ? 'csv' : 'yaml'
}

async function parseDecoded(
  read: DecodedTable,
  format: Source['format'],
  options: ReadOptions,
): Promise<Parsed> {
  const { text, doubt } = read
  const parsed = await parse(options.partOf?.(text) ?? text, format, options)
  if (doubt === undefined) return parsed
  const warning: ParseError = {
    ...{ severity: 'warning', ...doubt },
    hint: doubt.hint ?? options.encodingHint ?? encodingHint,
  }
  return { ...parsed, errors: [...parsed.errors, warning] }
}

const encodingHint = 'save it as UTF-8, or name it under entries of a knowledge base, with its encoding'

/** Decodes a table. One to which ids are added must be the same bytes when it is encoded again. */
async function decodeSourceTable(
  bytes: Buffer,
  { encoding: named, ownContent, faqColumns, encodingHint: hint = encodingHint }: ReadOptions,
): Promise<DecodedTable | Unreadable> {
  const decoded = await decodeTable(bytes, { encoding: named })
  if ('error' in decoded) {
    const { error } = decoded
    return error.code === 'wrong-encoding'
      ? { ...decoded, error: { ...error, hint: error.hint ?? hint } }
      : decoded
  }
  const { text, encoding } = decoded
  const isWritten = ownContent === 'ids' && faqColumns === undefined && !encoding.startsWith('utf-')
  if (!isWritten || isSameEncoded(text, encoding, bytes)) return decoded
  const message = `the file is in ${encoding}, in which ids cannot be written`
  return { error: { code: 'wrong-encoding', message, hint: 'save it as UTF-8' } }
}

function isSameEncoded(text: string, encoding: string, bytes: Buffer): boolean {
  try {
    return encodeText(text, encoding).equals(bytes)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

async function parse(text: string, format: Source['format'], options: ReadOptions): Promise<Parsed> {
  const { usedColumns, ownContent } = options
  if (withoutMark(text).trim() === '' && format !== 'csv')
    return failedParse({ code: 'empty-file', message: 'the file is empty', hint: writeFields })
  const isTooLarge = (csv?: CsvTable) =>
    ownContent === 'ids' && Buffer.byteLength(text) > maxFileBytes && contentBytes(text, csv) > maxFileBytes
  if (format === 'csv') {
    // A CSV parser reads conflict markers as cells.
    const marker = findLabeledConflictMarker(text)
    if (marker !== undefined) return failedParse(marker)
    const { readFaqTable, readRowTable } = await import('./read-csv.ts')
    const parsed = await (usedColumns === undefined
      ? readFaqTable(text, options)
      : readRowTable(text, usedColumns))
    return isTooLarge(parsed.csv) ? failedParse(fileTooLarge(maxFileBytes)) : explainConflict(text, parsed)
  }
  if (isTooLarge()) return failedParse(fileTooLarge(maxFileBytes))
  const { parseJsonFile, parseYaml } = await import('./parse-yaml.ts')
  const parsed = format === 'json' ? await parseJsonFile(text) : await parseYaml(text)
  const oddSpace = findOddSpace(text, parsed)
  if (oddSpace !== undefined) return failedParse(oddSpace)
  return explainConflict(
    text,
    format === 'json' ? parsed : await explainPlaceholders(text, parsed, parseYaml),
  )
}

/** Replaces the parse errors of a text with the merge conflict that causes them. */
function explainConflict(text: string, parsed: Parsed): Parsed {
  const hasErrors = parsed.errors.some(({ severity = 'error' }) => severity === 'error')
  if (!hasErrors && typeof parsed.value === 'object') return parsed
  const marker = findConflictMarker(text)
  return marker === undefined ? parsed : failedParse(marker)
}

/** Removes the top-level `$schema`, which is for editors: it is not checked as a field of the resource, and not sent. */
function withoutSchemaKey(parsed: Parsed): Parsed {
  const { value, errors, offsetOf } = parsed
  if (!isObject(value) || !Object.hasOwn(value, '$schema')) return parsed
  const { $schema, ...rest } = value
  if (typeof $schema === 'string') return { ...parsed, value: rest }
  const wrong = {
    code: 'wrong-type',
    path: ['$schema'],
    message: '$schema must be a string: the path or URL of a JSON Schema',
    hint: 'for example ./schemas/assistant.schema.json',
    offset: offsetOf(['$schema'], 'value'),
  }
  return { ...parsed, value: rest, errors: [...errors, wrong] }
}
