import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { formatFieldPath } from '../../interface/check.ts'
import {
  byteOrderMark,
  emptyFile,
  failedParse,
  maxDepth,
  type Parsed,
  type ParseError,
  tooDeep,
} from './diagnostic.ts'
import { fieldOffsets, type Locations } from './locations.ts'
import type { PartLimits } from './plain-yaml.ts'

/** Parses one YAML 1.2 document strictly. Reports what JSON cannot represent or is likely a mistake. */
export function parseStrictly(text: string): Parsed {
  const { documents, tooDeepAt } = compose(text, maxDepth)
  if (tooDeepAt !== undefined) return failedParse(tooDeep(tooDeepAt))
  const [document, second] = documents
  if (document === undefined || (document.contents === null && document.errors.length === 0))
    return failedParse(emptyFile)
  const errors = document.errors.map(error => brokenYaml(error, text))
  if (second !== undefined) errors.push(severalDocuments(second, text))
  if (document.directives?.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
    errors.push({
      code: 'yaml-version',
      message: 'unsupported YAML version (supported: 1.2)',
      hint: 'remove the %YAML line',
      offset: text.startsWith(byteOrderMark) ? 1 : Math.max(0, text.indexOf('%YAML')),
    })
  }
  if (errors.length > 0) return failedParse(...errors.slice(0, maxSyntaxErrors))
  const builder = new ValueBuilder()
  const value = builder.build(document)
  return {
    value,
    errors: builder.errors,
    // The document takes many times the memory of the text.
    ...fieldOffsets(text, locations =>
      new ValueBuilder(locations).build(compose(text, maxDepth).documents[0]),
    ),
  }
}

/** Parses a text that is a part of another; undefined if anything in it is to be reported, or refers to other parts. */
export function parsePart(text: string, { maxDepth, locations, base }: PartLimits): unknown {
  const { documents } = compose(text, maxDepth)
  const [document] = documents
  if (document === undefined || documents.length > 1) return undefined
  const { contents, errors, warnings } = document
  // A field or an item in block style, not several in flow style.
  if (!(isMap(contents) || isSeq(contents)) || contents.flow === true || contents.items.length !== 1)
    return undefined
  if (errors.length + warnings.length > 0) return undefined
  const builder = new ValueBuilder(locations, base)
  const value = builder.build(document)
  return builder.errors.length > 0 || builder.hasProperties ? undefined : value
}

/** Later syntax errors usually follow from the first few. */
const maxSyntaxErrors = 10

function compose(text: string, maxDepth: number): { documents: Document.Parsed[]; tooDeepAt?: number } {
  const parser = new Parser()
  const composer = new Composer({ merge: false, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' })
  const documents: Document.Parsed[] = []
  let offset = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token))
    if (parser.stack.length > maxDepth) return { documents: [], tooDeepAt: offset }
    offset = parser.offset
  }
  for (const token of parser.end()) documents.push(...composer.next(token))
  documents.push(...composer.end())
  return { documents: documents.filter(document => document instanceof Object) }
}

/** Limits the nodes that all aliases of a file expand to; nested anchors multiply ("billion laughs"). */
const maxAliasedNodes = 100_000

const standardTag = 'tag:yaml.org,2002:'
const knownTags = [
  '!',
  ...['str', 'map', 'seq', 'int', 'float', 'bool', 'null'].map(name => standardTag + name),
]

/** Converts a document to a JSON value: aliases share the value of their anchor. */
class ValueBuilder {
  readonly errors: ParseError[] = []
  /** True if the document has anchors, aliases or tags. */
  hasProperties = false
  readonly #locations: Locations | undefined
  readonly #base: number
  readonly #path: (string | number)[] = []
  /** Latest value of each anchor, with its nodes; undefined while it is being read. */
  readonly #anchors = new Map<string, { readonly value: unknown; readonly size: number } | undefined>()
  /** Nodes so far, with aliases expanded. */
  #size = 0
  #aliased = 0

  constructor(locations?: Locations, base = 0) {
    this.#locations = locations
    this.#base = base
  }

  build(document: Document.Parsed | undefined): unknown {
    if (this.#locations !== undefined) this.#locations.start = this.#offsetOf(document?.contents)
    const value = this.#read(document?.contents)
    return this.#aliased > maxAliasedNodes ? undefined : value
  }

  /** Undefined for a missing node without even a colon. */
  #offsetOf(node: unknown): number | undefined {
    const [start] = (node as Partial<Scalar> | null | undefined)?.range ?? []
    return start === undefined ? undefined : start + this.#base
  }

  #read(node: unknown): unknown {
    if (isAlias(node)) return this.#resolveAlias(node.source, node)
    if (!(isMap(node) || isSeq(node) || isScalar(node))) return null
    const { anchor, tag } = node
    if (anchor !== undefined || tag !== undefined) this.hasProperties = true
    if (tag !== undefined && !knownTags.includes(tag)) {
      this.#report(node, {
        code: 'tag',
        message: `the tag ${tag.replace(standardTag, '!!')} is not supported`,
        hint: 'remove it, and use only text, numbers, true, false, lists and mappings',
      })
    }
    const sizeBefore = this.#size
    this.#size += 1
    if (anchor !== undefined) this.#anchors.set(anchor, undefined)
    const value = isMap(node)
      ? this.#readMapping(node)
      : isSeq(node)
        ? this.#readList(node.items)
        : this.#readScalar(node)
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#size - sizeBefore })
    return value
  }

  #readMapping({ items }: YAMLMap): Record<string, unknown> {
    const fields: Record<string, unknown> = {}
    for (const { key: keyNode, value: valueNode } of items) {
      const key = this.#readKey(keyNode)
      const [keyStart, start] = [this.#offsetOf(keyNode), this.#offsetOf(valueNode)]
      // Also of a field that is left out: a finding may be about its key.
      if (isScalar(keyNode)) this.#locations?.add(fields, keyNode.source ?? '', keyStart, start)
      if (key === undefined) continue
      this.#path.push(key)
      const value = this.#read(valueNode)
      if (!Object.hasOwn(fields, key)) fields[key] = value
      else {
        this.#report(keyNode, {
          at: 'key',
          code: 'duplicate-key',
          message: `${formatFieldPath(this.#path)} is given twice`,
          hint: 'remove or rename one of them',
        })
      }
      this.#path.pop()
    }
    return fields
  }

  #readList(nodes: readonly unknown[]): unknown[] {
    const items: unknown[] = []
    for (const node of nodes) {
      this.#path.push(items.length)
      items.push(this.#read(node))
      this.#locations?.add(items, items.length - 1, undefined, this.#offsetOf(node))
      this.#path.pop()
    }
    return items
  }

  #readScalar(node: Scalar): unknown {
    const { value, source = '' } = node
    if (typeof value !== 'number') return value !== null && typeof value === 'object' ? source : value
    const field = formatFieldPath(this.#path)
    if (!Number.isFinite(value)) {
      const message = `${field} is ${source}, which JSON cannot represent`
      this.#report(node, { code: 'not-json', message, hint: 'write a finite number, or quote it' })
      return null
    }
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.#report(node, {
        code: 'imprecise-number',
        severity: 'warning',
        message: `${field} has too many digits to be stored exactly; it is read as ${value}`,
        hint: 'quote it to keep it as text',
      })
    }
    return value
  }

  #resolveAlias(name: string, node: unknown): unknown {
    this.hasProperties = true
    const anchored = this.#anchors.get(name)
    if (anchored !== undefined) {
      const wasOverLimit = this.#aliased > maxAliasedNodes
      this.#size += anchored.size
      this.#aliased += anchored.size
      if (this.#aliased > maxAliasedNodes && !wasOverLimit) {
        this.#report(node, {
          code: 'alias-explosion',
          message: `the aliases of this file expand to more than ${maxAliasedNodes} values`,
          hint: 'replace nested anchors with their values',
        })
      }
      // Fields inside an alias have its position.
      return this.#locations === undefined ? anchored.value : {}
    }
    const isRecursive = this.#anchors.has(name)
    this.#report(node, {
      code: isRecursive ? 'recursive-alias' : 'unknown-anchor',
      message: isRecursive
        ? `*${name} refers to the anchor that contains it`
        : `there is no anchor &${name} before *${name}`,
    })
    return null
  }

  /** Returns undefined for a key that cannot be a field name. */
  #readKey(node: unknown): string | undefined {
    if (!isScalar(node) && node !== null) {
      this.#report(node, {
        at: 'key',
        code: 'key-not-text',
        message: 'a key must be text, not a list, mapping or alias',
        hint: 'quote text that begins with [, { or *',
      })
      return undefined
    }
    const { value, source: key = '', type, anchor, tag } = node ?? new Scalar(null)
    if (anchor !== undefined || tag !== undefined) this.hasProperties = true
    const isMerge = key === '<<' && type === Scalar.PLAIN
    if (typeof value === 'string' && !isMerge && key !== '__proto__') return key
    this.#path.push(key)
    const [code, message, hint] = isMerge
      ? mergeKey
      : key === '__proto__'
        ? ['unknown-key', '__proto__ is not allowed as a field name']
        : ['key-not-text', `the key ${key} is not text`, `quote it: "${key}"`]
    this.#report(node, { at: 'key', code, message, hint })
    this.#path.pop()
    return code === 'key-not-text' ? key : undefined
  }

  #report(node: unknown, error: ParseError): void {
    this.errors.push({ path: [...this.#path], ...error, offset: this.#offsetOf(node) })
  }
}

const mergeKey = [
  'merge-key',
  'merge keys (<<) are not part of YAML 1.2',
  'write the fields out, or use an alias as the whole value',
] as const

function brokenYaml({ code, message, pos }: YAMLError, text: string): ParseError {
  return {
    code: 'broken-yaml',
    message: message.charAt(0).toLowerCase() + message.slice(1),
    hint: hints[code] ?? 'check the quotes and the indentation here and above',
    offset: Math.min(pos[0], text.length),
  }
}

const hints: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'quote text that contains ": "',
  TAB_AS_INDENT: 'indent with spaces',
  BAD_SCALAR_START: 'quote the text',
  MISSING_CHAR: 'check for a missing quote, bracket or comma here or above',
  BAD_INDENT: 'align it with the fields above',
  MULTILINE_IMPLICIT_KEY: 'check for a missing colon at the end of the line above',
}

function severalDocuments(second: Document.Parsed, text: string): ParseError {
  const marker = text.lastIndexOf('---', second.range[0])
  return {
    code: 'several-documents',
    message: 'the file contains several YAML documents',
    hint: 'split it at the --- lines: one resource per file',
    offset: marker === -1 ? second.range[0] : marker,
  }
}
