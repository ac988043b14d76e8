import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import type { Parsed } from './diagnostic.ts'
import { byteOrderMark, type ParseError } from './diagnostic.ts'
import { nodesToValue, offsetOfField, writtenAt } from './node-value.ts'
import { maxDepth, tooDeep } from './parse-yaml.ts'

/**
 * Strict JSON (RFC 8259) as the same nodes that YAML gives, so that positions and splicing are one thing for both.
 * JSON.parse tells no positions of values, and those of its errors differ between versions of Node.
 */
export function parseJson(text: string): Parsed {
  try {
    const root = new JsonReader(text).read()
    const document = new Document<Node>(null)
    document.contents = root
    const { value, flaws } = nodesToValue(root)
    return {
      value,
      flaws,
      document,
      offsetOf: (path, at) => offsetOfField(root, path, at),
      writtenAt: path => writtenAt(root, path),
    }
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error
    return { value: undefined, flaws: [error.error], offsetOf: () => undefined }
  }
}

class BrokenJson extends Error {
  readonly error: ParseError

  constructor(error: ParseError) {
    super(error.message)
    this.error = error
  }
}

const space = /[ \t\r\n]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /[A-Za-z_$][\w$]*/y
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

class JsonReader {
  readonly #text: string
  #offset: number

  constructor(text: string) {
    this.#text = text
    this.#offset = text.startsWith(byteOrderMark) ? 1 : 0
  }

  read(): Node {
    const root = this.#value(0)
    this.#skipSpace()
    if (this.#offset < this.#text.length) this.#fail('nothing may follow the value')
    return root
  }

  #value(depth: number): Node {
    this.#skipSpace()
    if (depth > maxDepth) throw new BrokenJson(tooDeep(this.#offset))
    const start = this.#offset
    const node = this.#nodeAt(this.#text[start], depth)
    node.range = [start, this.#offset, this.#offset]
    return node
  }

  #nodeAt(first: string | undefined, depth: number): Node {
    if (first === '{') return this.#object(depth)
    if (first === '[') return this.#array(depth)
    if (first === '"') return quoted(this.#string())
    return this.#literal()
  }

  #object(depth: number): YAMLMap {
    const map = new YAMLMap()
    map.flow = true
    this.#offset += 1
    if (this.#take('}')) return map
    do {
      this.#skipSpace()
      const start = this.#offset
      if (this.#text[start] === '}') this.#fail('a comma may not stand before }', 'remove the comma')
      if (this.#text[start] !== '"') this.#fail('a field name in double quotes is expected')
      const key = quoted(this.#string())
      key.range = [start, this.#offset, this.#offset]
      if (!this.#take(':')) this.#fail('a colon is expected after the field name')
      map.items.push(new Pair(key, this.#value(depth + 1)))
    } while (this.#take(','))
    if (!this.#take('}')) this.#fail('a comma or } is expected')
    return map
  }

  #array(depth: number): YAMLSeq {
    const list = new YAMLSeq()
    list.flow = true
    this.#offset += 1
    if (this.#take(']')) return list
    do {
      this.#skipSpace()
      if (this.#text[this.#offset] === ']') this.#fail('a comma may not stand before ]', 'remove the comma')
      list.items.push(this.#value(depth + 1))
    } while (this.#take(','))
    if (!this.#take(']')) this.#fail('a comma or ] is expected')
    return list
  }

  /** Looks for the end by hand: an expression would run out of stack on a text of many megabytes. */
  #string(): string {
    let end = this.#text.indexOf('"', this.#offset + 1)
    while (end !== -1 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1)
    const value = end === -1 ? undefined : unquoted(this.#text.slice(this.#offset, end + 1))
    if (value === undefined) {
      this.#fail(
        'this text does not end on its line, or holds a character or \\ escape that JSON does not know',
      )
    }
    this.#offset = end + 1
    return value
  }

  #isEscaped(quote: number): boolean {
    let before = quote - 1
    while (this.#text[before] === '\\') before -= 1
    return (quote - before) % 2 === 0
  }

  #literal(): Scalar {
    const digits = this.#match(number)
    if (digits !== undefined) {
      const scalar = new Scalar<unknown>(Number(digits))
      scalar.source = digits
      return scalar
    }
    const start = this.#offset
    const found = this.#match(word)
    if (found !== undefined && words.has(found)) return new Scalar(words.get(found))
    this.#offset = start
    if (start >= this.#text.length) this.#fail('the file ends in the middle of a value')
    const next = this.#text[start]
    if (next === '/' || next === '#') this.#fail('JSON has no comments', 'remove it, or name the file .yaml')
    if (next === "'") this.#fail('text must stand in double quotes')
    return this.#fail('a value is expected: text in double quotes, a number, true, false, null, [ or {')
  }

  /** Goes past white space and the character, when that is what comes next. */
  #take(character: string): boolean {
    this.#skipSpace()
    if (this.#text[this.#offset] !== character) return false
    this.#offset += 1
    return true
  }

  #skipSpace(): void {
    this.#match(space)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset
    const found = pattern.exec(this.#text)?.[0]
    this.#offset += found?.length ?? 0
    return found
  }

  #fail(message: string, hint?: string): never {
    throw new BrokenJson({ code: 'broken-json', message: `not JSON: ${message}`, hint, offset: this.#offset })
  }
}

function quoted(text: string): Scalar<string> {
  const scalar = new Scalar(text)
  scalar.type = Scalar.QUOTE_DOUBLE
  return scalar
}

function unquoted(literal: string): string | undefined {
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}
