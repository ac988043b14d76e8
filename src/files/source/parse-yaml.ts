import { parseJson } from '../../lib/json.ts'
import { byteOrderMark, emptyFile, failedParse, loneCarriageReturns, type Parsed } from './diagnostic.ts'
import { fieldOffsets, type Locations } from './locations.ts'
import { type ReadPart, readPlainYaml } from './plain-yaml.ts'

/**
 * Parses one YAML 1.2 document (core schema). Our own reader takes text in plain forms, and gives the parser the other fields of a
 * text. The parser reads a text again as a whole if it has anything to report.
 */
export async function parseYaml(source: string): Promise<Parsed> {
  // The parser takes a mark for indentation. An empty line keeps the offsets.
  const text = source.startsWith(byteOrderMark) ? `\n${source.slice(1)}` : source
  if (!text.includes('\n') && /\r[^\r]/.test(text)) return failedParse(loneCarriageReturns)
  let readPart: ReadPart | undefined
  const read = (locations?: Locations) => readPlainYaml(text, { locations, readPart })
  let value = read()
  if (value === undefined) {
    if (isEmpty(text)) return failedParse(emptyFile)
    const { parsePart, parseStrictly } = await import('./strict-yaml.ts')
    readPart = parsePart
    value = read()
    if (value === undefined) return parseStrictly(text)
  }
  return { value, errors: [], ...fieldOffsets(text, read) }
}

/** True if the text has only comments and blank lines. */
function isEmpty(text: string): boolean {
  return text.split('\n').every(line => /^ *(?:#[^\r]*)?\r?$/.test(line))
}

/** Parses strict JSON (RFC 8259) as YAML, which contains it. */
export async function parseJsonFile(json: string): Promise<Parsed> {
  const strict = json.startsWith(byteOrderMark) ? json.slice(1) : json
  if (parseJson(strict) === undefined) return failedParse((await import('./json-error.ts')).jsonError(json))
  // In JSON, these can only be white space.
  const parsed = await parseYaml(json.replace(/\t|\r(?!\n)/g, ' '))
  return {
    ...parsed,
    rawTextAt(path) {
      const scalar = parsed.rawTextAt?.(path)
      // Only numbers: quotes do not change the meaning of other JSON scalars.
      return scalar !== undefined && /^[-\d]/.test(scalar) ? scalar : undefined
    },
  }
}
