import { maxDepth } from './diagnostic.ts'
import { resolvePlain } from './yaml-value.ts'

/** Parses a collection in flow style; undefined if it is ambiguous or has an error. */
type ReadFlow = (text: string, maxDepth: number) => unknown

/**
 * Reads YAML in the form in which callyard and most people write it, several times faster than a parser: mappings and lists in block
 * style, and values on one line or as literal text. Returns undefined for any other text, also for one with an error; parse it then.
 */
export function readPlainYaml(text: string, readFlow: ReadFlow): unknown {
  if (unusual.test(text) || !text.isWellFormed()) return undefined
  try {
    return new PlainReader(text, readFlow).read()
  } catch (error) {
    if (error === notPlain) return undefined
    throw error
  }
}

/** Anything but printable characters and line feeds: parsers differ about other line ends, tabs and byte order marks. */
const unusual = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]/

const notPlain = new Error('not plain YAML')

const [space, hash, dash] = [0x20, 0x23, 0x2d]

/** A plain or quoted key with its colon. */
const keyPattern = /(?:([\w$./@-]+)|"([^"\\\n]+)"):(?= |\n|$)/y
const quoted = /(?:"([^"\\\n]*)"|'([^'\n]*)')(?=\n|$)/y
const plainStart = /^(?:[^\s?:,[\]{}#&*!|>'"%@`-]|-\S)/
/** Longest implicit key of YAML, and less. */
const maxKeyLength = 500

class PlainReader {
  readonly #text: string
  readonly #readFlow: ReadFlow
  /** Column of the current line's first character; -1 at the end. Blank lines and comments are skipped. */
  #column = -1
  /** Offsets of the current line's first character, of its end and of the next line. */
  #start = 0
  #end = 0
  #next = 0
  #depth = 0

  constructor(text: string, readFlow: ReadFlow) {
    this.#text = text
    this.#readFlow = readFlow
  }

  read(): unknown {
    this.#advance()
    if (this.#column === -1) throw notPlain
    const value = this.#readBlock()
    if (this.#column !== -1) throw notPlain
    return value
  }

  #advance(): void {
    const text = this.#text
    while (this.#next < text.length) {
      const line = this.#next
      const newline = text.indexOf('\n', line)
      this.#end = newline === -1 ? text.length : newline
      this.#next = this.#end + 1
      let start = line
      while (text.charCodeAt(start) === space) start += 1
      if (start === this.#end || text.charCodeAt(start) === hash) continue
      this.#start = start
      this.#column = start - line
      return
    }
    this.#column = -1
  }

  #readBlock(): unknown {
    this.#depth += 1
    if (this.#depth >= maxDepth) throw notPlain
    const value = this.#isAtItem() ? this.#readList(this.#column) : this.#readMapping(this.#column)
    this.#depth -= 1
    return value
  }

  #isAtItem(): boolean {
    const after = this.#start + 1
    const isDash = this.#column !== -1 && this.#text.charCodeAt(this.#start) === dash
    return isDash && (after === this.#end || this.#text.charCodeAt(after) === space)
  }

  #readMapping(column: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {}
    while (this.#column === column && !this.#isAtItem()) {
      const key = this.#readKey()
      if (key === '__proto__' || Object.hasOwn(fields, key)) throw notPlain
      if (this.#skipSpaces(keyPattern.lastIndex)) fields[key] = this.#readInline(column)
      else {
        this.#advance()
        const isList = this.#column === column && this.#isAtItem()
        fields[key] = isList || this.#column > column ? this.#readBlock() : null
      }
    }
    if (this.#column > column) throw notPlain
    return fields
  }

  #readList(column: number): unknown[] {
    const items: unknown[] = []
    while (this.#column === column && this.#isAtItem()) {
      const dashAt = this.#start
      if (!this.#skipSpaces(dashAt + 1)) {
        this.#advance()
        items.push(this.#column > column ? this.#readBlock() : null)
        continue
      }
      keyPattern.lastIndex = this.#start
      if (!keyPattern.test(this.#text)) items.push(this.#readInline(column))
      else {
        this.#column = column + this.#start - dashAt
        items.push(this.#readBlock())
      }
    }
    if (this.#column > column) throw notPlain
    return items
  }

  /** Moves to the first character that is not a space, from an offset of the line on; false at its end. */
  #skipSpaces(offset: number): boolean {
    let start = offset
    while (this.#text.charCodeAt(start) === space) start += 1
    this.#start = start
    return start < this.#end
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
    if (first === '|') return this.#readLiteral(column)
    const written = this.#text.slice(this.#start, this.#end)
    const value =
      first === '"' || first === "'"
        ? this.#readQuoted()
        : first === '[' || first === '{'
          ? this.#readFlow(written, maxDepth - this.#depth)
          : readPlain(written)
    if (value === undefined) throw notPlain
    this.#advance()
    // It would continue there.
    if (this.#column > column) throw notPlain
    return value
  }

  #readQuoted(): string | undefined {
    quoted.lastIndex = this.#start
    const [, double, single] = quoted.exec(this.#text) ?? []
    return double ?? single
  }

  #readLiteral(column: number): string {
    const text = this.#text
    const header = text.slice(this.#start, this.#end)
    if (header !== '|' && header !== '|-' && header !== '|+') throw notPlain
    const lines: string[] = []
    let indent = -1
    while (this.#next < text.length) {
      const line = this.#next
      const end = text.indexOf('\n', line)
      let start = line
      while (text.charCodeAt(start) === space) start += 1
      const isBlank = start === end
      if (!isBlank && start - line <= column) break
      if (!isBlank && indent === -1) indent = start - line
      // Parsers differ about a missing line feed at the end, and about the markers of documents.
      const isUnclear = isBlank
        ? indent === -1 && start > line
        : start - line < indent || text.startsWith('---', start)
      if (isUnclear || end === -1) throw notPlain
      lines.push(isBlank && start - line <= indent ? '' : text.slice(line + Math.max(0, indent), end))
      this.#next = end + 1
    }
    if (indent === -1) throw notPlain
    this.#advance()
    return chomped(lines, header)
  }
}

function chomped(lines: string[], header: string): string {
  let length = lines.length
  while (header !== '|+' && lines[length - 1] === '') length -= 1
  const content = lines.slice(0, length).join('\n')
  return header === '|-' ? content : `${content}\n`
}

function readPlain(written: string): unknown {
  const last = written.charCodeAt(written.length - 1)
  if (!plainStart.test(written) || last === space || last === 0x3a) throw notPlain
  if (written.includes(': ') || written.includes(' #')) throw notPlain
  const value = resolvePlain(written)
  // Reported with its position.
  if (
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)))
  )
    throw notPlain
  return value
}
