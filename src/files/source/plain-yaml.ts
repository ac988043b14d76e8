import { parseJson } from '../../lib/json.ts'
import { maxDepth } from './diagnostic.ts'
import type { Locations } from './locations.ts'

/** Parses a text with one field or item, which is not plain; undefined if it has an error. `base` is the offset of the text. */
export type ReadPart = (text: string, limits: PartLimits) => unknown

export interface PartLimits {
  readonly maxDepth: number
  readonly base: number
  readonly locations: Locations | undefined
}

/**
 * Reads YAML in the forms that people and callyard write, several times faster than a parser: mappings, lists, values on one line, literal
 * and folded text, and collections in flow style. Returns undefined for any other text, also for one with an error; parse it then.
 */
export function readPlainYaml(
  text: string,
  {
    locations,
    readPart,
  }: { readonly locations?: Locations | undefined; readonly readPart?: ReadPart | undefined } = {},
): unknown {
  if (unusual.test(text) || !text.isWellFormed()) return undefined
  try {
    return new PlainReader(text, locations, readPart).read()
  } catch (error) {
    if (error === notPlain || error === notReadable) return undefined
    throw error
  }
}

/** Anything but printable characters, tabs and usual line ends: parsers differ about the others and about byte order marks. */
const unusual = /[^\t\r\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]|\r(?!\n)/

const notPlain = new Error('not plain YAML')
/** A part could not be parsed either. */
const notReadable = new Error('not readable in parts')

const [tab, carriageReturn, space, hash, dash] = [0x09, 0x0d, 0x20, 0x23, 0x2d]

/** A plain or quoted key with its colon. */
const keyPattern = /(?:([\w$./@-]+)|"([^"\\\t\r\n]+)"):(?=[ \r\n]|$)/y
const plainStart = /^(?:[^\s?:,[\]{}#&*!|>'"%@`-]|-[^\s,[\]{}])/
/** End of a plain scalar in flow style. */
const flowEnd = /[,[\]{}\r\n]|:(?=[\s,[\]{}]|$)| #/g
const blockHeader = /([|>])([-+]?) *$/y
/** Longest implicit key of YAML, and less. */
const maxKeyLength = 500

class PlainReader {
  readonly #text: string
  readonly #locations: Locations | undefined
  readonly #readPart: ReadPart | undefined
  /** Column of the current line's first character; -1 at the end. Blank lines and comments are skipped. */
  #column = -1
  /** Offsets of the next character, of the current line's end and of the next line. */
  #start = 0
  #end = 0
  #next = 0
  #depth = 0

  constructor(text: string, locations: Locations | undefined, readPart: ReadPart | undefined) {
    this.#text = text
    this.#locations = locations
    this.#readPart = readPart
  }

  read(): unknown {
    this.#advance()
    if (this.#column === 0 && this.#text.slice(this.#start, this.#end) === '---') this.#advance()
    if (this.#column === -1) throw notPlain
    const start = this.#start
    const value = this.#isAtFlow() ? this.#readInline(-1) : this.#readBlock()
    if (this.#column !== -1) throw notPlain
    if (this.#locations !== undefined) this.#locations.start = start
    return value
  }

  #advance(): void {
    const text = this.#text
    while (this.#next < text.length) {
      const line = this.#next
      this.#endLine(text.indexOf('\n', line))
      let start = line
      while (text.charCodeAt(start) === space) start += 1
      const first = text.charCodeAt(start)
      if (start === this.#end || first === hash) continue
      if (first === tab) throw notReadable
      this.#start = start
      this.#column = start - line
      return
    }
    this.#column = -1
  }

  #endLine(newline: number): void {
    const end = newline === -1 ? this.#text.length : newline
    this.#next = end + 1
    this.#end = newline > 0 && this.#text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end
  }

  #readBlock(): unknown {
    this.#enter()
    const value = this.#isAtItem() ? this.#readList(this.#column) : this.#readMapping(this.#column)
    this.#depth -= 1
    return value
  }

  #enter(): void {
    this.#depth += 1
    if (this.#depth >= maxDepth) throw notReadable
  }

  #isAtItem(): boolean {
    const after = this.#start + 1
    const isDash = this.#column !== -1 && this.#text.charCodeAt(this.#start) === dash
    return isDash && (after === this.#end || this.#text.charCodeAt(after) === space)
  }

  /** True at a line between documents, or before the first one. */
  #isAtMarker(start: number): boolean {
    return /^(?:---|\.\.\.|%)/.test(this.#text.slice(start, start + 3))
  }

  #isAtFlow(): boolean {
    const first = this.#text[this.#start]
    return first === '[' || first === '{'
  }

  #readMapping(column: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {}
    while (this.#column === column && !this.#isAtItem()) {
      const start = this.#start
      const depth = this.#depth
      try {
        this.#readField(fields, column)
      } catch (error) {
        const part = this.#parsePart(start, column, error)
        this.#depth = depth
        for (const [key, value] of Object.entries(part)) {
          if (Object.hasOwn(fields, key)) throw notReadable
          fields[key] = value
          const location = this.#locations?.find(part, key)
          this.#locations?.add(fields, key, location?.key, location?.value)
        }
      }
    }
    if (this.#column > column) throw notPlain
    return fields
  }

  #readField(fields: Record<string, unknown>, column: number): void {
    const keyStart = this.#start
    const key = this.#readKey()
    if (key === '__proto__' || Object.hasOwn(fields, key)) throw notReadable
    const isInline = this.#skipSpaces(keyPattern.lastIndex)
    let start = this.#start
    if (isInline) fields[key] = this.#readInline(column)
    else {
      this.#advance()
      const isList = this.#column === column && this.#isAtItem()
      const isBlock = isList || this.#column > column
      if (isBlock) start = this.#start
      fields[key] = isBlock ? this.#readBlock() : null
    }
    this.#locations?.add(fields, key, keyStart, start)
  }

  #readList(column: number): unknown[] {
    const items: unknown[] = []
    while (this.#column === column && this.#isAtItem()) {
      const start = this.#start
      const depth = this.#depth
      try {
        this.#readItem(items, column)
      } catch (error) {
        const part = this.#parsePart(start, column, error)
        this.#depth = depth
        items.push(...Object.values(part))
        this.#locations?.add(items, items.length - 1, undefined, this.#locations.find(part, 0)?.value)
      }
    }
    if (this.#column > column) throw notPlain
    return items
  }

  #readItem(items: unknown[], column: number): void {
    const dashAt = this.#start
    const isInline = this.#skipSpaces(dashAt + 1)
    let start = this.#start
    keyPattern.lastIndex = start
    if (!isInline) {
      this.#advance()
      if (this.#column > column) start = this.#start
      items.push(this.#column > column ? this.#readBlock() : null)
    } else if (keyPattern.test(this.#text) || this.#isAtItem()) {
      this.#column = column + start - dashAt
      items.push(this.#readBlock())
    } else items.push(this.#readInline(column))
    this.#locations?.add(items, items.length - 1, undefined, start)
  }

  /** Parses the field or item that begins at an offset and that the reader failed at. It ends above the next line at its column. */
  #parsePart(start: number, column: number, error: unknown): object {
    if (error !== notPlain || this.#readPart === undefined) throw error
    if (column === 0 && this.#isAtMarker(start)) throw notReadable
    const isItem =
      this.#text.charCodeAt(start) === dash && /^-[ \r\n]/.test(this.#text.slice(start, start + 2))
    this.#endLine(this.#text.indexOf('\n', start))
    do this.#advance()
    while (this.#column > column || (!isItem && this.#column === column && this.#isAtItem()))
    const end = this.#column === -1 ? this.#text.length : this.#start - this.#column
    const text = ' '.repeat(column) + this.#text.slice(start, end)
    const limits = { maxDepth: maxDepth - this.#depth, base: start - column, locations: this.#locations }
    const part = this.#readPart(text, limits)
    if (typeof part !== 'object' || part === null || Array.isArray(part) !== isItem) throw notReadable
    return part
  }

  /** Moves to the first character that is not a space, from an offset of the line on; false at its end or a comment. */
  #skipSpaces(offset: number): boolean {
    let start = offset
    while (this.#text.charCodeAt(start) === space) start += 1
    this.#start = start
    const isComment = this.#text.charCodeAt(start) === hash
    if (isComment && start === offset) throw notPlain
    return start < this.#end && !isComment
  }

  #readKey(): string {
    keyPattern.lastIndex = this.#start
    const [, plain, key = plain ?? ''] = keyPattern.exec(this.#text) ?? []
    if (key === '' || key.length > maxKeyLength) throw notPlain
    if (plain !== undefined && !(plainStart.test(plain) && typeof resolvePlain(plain) === 'string'))
      throw notPlain
    return key
  }

  /** Reads a value that begins on the line of its key or dash, whose column is `column`. */
  #readInline(column: number): unknown {
    const first = this.#text[this.#start]
    if (first === '|' || first === '>') return this.#readBlockText(column)
    if (!this.#isAtFlow() && first !== '"' && first !== "'") return this.#readPlain(column)
    const value = this.#isAtFlow() ? this.#readFlow(column) : this.#readQuoted()
    this.#endValue(column)
    return value
  }

  /** Moves to the line below a value; it would continue in one that is indented deeper. */
  #endValue(column: number): void {
    if (this.#skipSpaces(this.#start)) throw notPlain
    this.#advance()
    if (this.#column > column) throw notPlain
  }

  #readPlain(column: number): unknown {
    let written = this.#readPlainLine()
    const value = toPlainValue(written)
    while (typeof value === 'string' && this.#start === this.#end) {
      const next = this.#next
      this.#advance()
      if (this.#column <= column) return written
      // Blank lines and comments are in between.
      if (this.#start - this.#column !== next) throw notPlain
      written += ` ${this.#readPlainLine()}`
    }
    this.#endValue(column)
    return typeof value === 'string' ? written : value
  }

  /** Moves to the end of the line, or to a comment. */
  #readPlainLine(): string {
    const line = this.#text.slice(this.#start, this.#end)
    const comment = line.indexOf(' #')
    const written = withoutTrailingSpaces(comment === -1 ? line : line.slice(0, comment))
    if (written.includes(': ') || written.endsWith(':') || written.includes('\t')) throw notPlain
    this.#start = comment === -1 ? this.#end : this.#start + comment
    return written
  }

  #readQuoted(): string {
    const text = this.#text
    const quote = text.charAt(this.#start)
    const isEscaped = (at: number) => {
      let start = at
      while (text[start - 1] === '\\') start -= 1
      return (at - start) % 2 === 1
    }
    let end = text.indexOf(quote, this.#start + 1)
    if (quote === '"') while (end !== -1 && isEscaped(end)) end = text.indexOf(quote, end + 1)
    else while (end !== -1 && text[end + 1] === quote) end = text.indexOf(quote, end + 2)
    if (end === -1 || end > this.#end) throw notPlain
    const inner = text.slice(this.#start + 1, end)
    if (inner.includes('\t')) throw notPlain
    this.#start = end + 1
    if (quote === "'") return inner.replaceAll("''", quote)
    const value = inner.includes('\\') ? parseJson(`"${inner}"`) : inner
    if (typeof value !== 'string') throw notPlain
    return value
  }

  #readFlow(column: number, level = 1): unknown {
    const isMapping = this.#text[this.#start] === '{'
    const close = isMapping ? '}' : ']'
    const fields: Record<string, unknown> = {}
    const items: unknown[] = []
    this.#enter()
    this.#start += 1
    while (this.#skipInFlow(column, level) !== close) {
      const keyStart = this.#start
      const key = isMapping ? this.#readFlowKey() : undefined
      const next = this.#skipInFlow(column, level)
      const start = this.#start
      const isOmitted = isMapping && (next === ',' || next === close)
      const value = isOmitted ? null : this.#readFlowValue(column, level)
      if (key === undefined) {
        items.push(value)
        this.#locations?.add(items, items.length - 1, undefined, start)
      } else {
        if (key === '__proto__' || Object.hasOwn(fields, key)) throw notReadable
        fields[key] = value
        this.#locations?.add(fields, key, keyStart, start)
      }
      const after = this.#skipInFlow(column, level)
      if (after === ',') this.#start += 1
      else if (after !== close) throw notPlain
    }
    this.#start += 1
    this.#depth -= 1
    return isMapping ? fields : items
  }

  #readFlowKey(): string {
    const key = this.#readFlowValue(-1, 0)
    if (typeof key !== 'string') throw notPlain
    this.#skipSpaces(this.#start)
    if (this.#text[this.#start] !== ':') throw notPlain
    this.#start += 1
    return key
  }

  #readFlowValue(column: number, level: number): unknown {
    const first = this.#text[this.#start]
    if (first === '"' || first === "'") return this.#readQuoted()
    if (first === '[' || first === '{') {
      if (level === 0) throw notPlain
      return this.#readFlow(column, level + 1)
    }
    flowEnd.lastIndex = this.#start
    const end = flowEnd.exec(this.#text)?.index ?? this.#text.length
    const written = withoutTrailingSpaces(this.#text.slice(this.#start, end))
    this.#start = end
    return toPlainValue(written)
  }

  /** Moves to the next character of a collection in flow style, and returns it. Its lines are indented deeper than its key. */
  #skipInFlow(column: number, level: number): string {
    while (!this.#skipSpaces(this.#start)) {
      this.#advance()
      const first = this.#text.charAt(this.#start)
      const isClosed = level === 1 && this.#column === column && (first === ']' || first === '}')
      if (this.#column <= column && !isClosed) throw notPlain
      if (this.#column === 0 && this.#isAtMarker(this.#start)) throw notReadable
    }
    return this.#text.charAt(this.#start)
  }

  #readBlockText(column: number): string {
    const text = this.#text
    blockHeader.lastIndex = 0
    const [, style, chomping] = blockHeader.exec(text.slice(this.#start, this.#end)) ?? []
    if (style === undefined) throw notPlain
    const lines: string[] = []
    let indent = -1
    while (this.#next < text.length) {
      const line = this.#next
      const newline = text.indexOf('\n', line)
      const end = text.charCodeAt(newline - 1) === carriageReturn ? newline - 1 : newline
      let start = line
      while (text.charCodeAt(start) === space) start += 1
      const isBlank = start === end
      if (!isBlank && start - line <= column) break
      if (!isBlank && indent === -1) indent = start - line
      // Parsers differ about a missing line feed at the end, about longer blank lines, and about the markers of documents.
      const isUnclear = isBlank
        ? start - line > Math.max(0, indent)
        : start - line < indent || text.startsWith('---', start) || text.charCodeAt(start) === tab
      if (isUnclear || newline === -1) throw notPlain
      lines.push(isBlank ? '' : text.slice(line + indent, end))
      this.#next = newline + 1
    }
    if (indent === -1) throw notPlain
    this.#advance()
    return toBlockText(lines, style === '>', chomping ?? '')
  }
}

function toBlockText(lines: readonly string[], isFolded: boolean, chomping: string): string {
  const length = lines.findLastIndex(line => line !== '') + 1
  const content = lines.slice(0, length)
  const text = isFolded ? fold(content) : content.join('\n')
  if (chomping === '-') return text
  return `${text}\n${chomping === '+' ? '\n'.repeat(lines.length - length) : ''}`
}

/** Joins lines with spaces, except at blank and indented ones. */
function fold(lines: readonly string[]): string {
  const first = lines.findIndex(line => line !== '')
  let text = '\n'.repeat(first)
  let separator = ''
  let wasIndented = false
  for (const line of lines.slice(first)) {
    if (line === '') {
      if (separator === '\n') text += '\n'
      else separator = '\n'
      continue
    }
    const isIndented = /^[ \t]/.test(line)
    if (isIndented && separator === ' ') separator = '\n'
    else if (isIndented && !wasIndented && separator === '\n') separator = '\n\n'
    text += separator + line
    separator = isIndented ? '\n' : ' '
    wasIndented = isIndented
  }
  return text
}

/** Other white space is text. */
function withoutTrailingSpaces(text: string): string {
  let end = text.length
  while (text.charCodeAt(end - 1) === space) end -= 1
  return text.slice(0, end)
}

function toPlainValue(written: string): unknown {
  if (!plainStart.test(written) || written.includes('\t')) throw notPlain
  const value = resolvePlain(written)
  // Reported with its position.
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
  )
    throw notReadable
  return value
}

/** Characters of numbers, and the words: most text and hashes are neither. */
const typedForm = /^(?:[a-f\dx+o\-i.n]*|~|null|true|false)$/i

/** Resolves an unquoted scalar by the core schema of YAML 1.2. */
function resolvePlain(text: string): unknown {
  if (!typedForm.test(text)) return text
  if (/^(?:~|[Nn]ull|NULL)?$/.test(text)) return null
  if (/^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/.test(text)) return /^t/i.test(text)
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8)
  if (/^0x[\da-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16)
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text)
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return Number.NaN
  return /^[-+]?\.(?:inf|Inf|INF)$/.test(text) ? Number.POSITIVE_INFINITY : text
}
