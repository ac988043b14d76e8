import { EVENT_ID, SCALAR_STYLE } from 'js-yaml'
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
} from 'yaml'
import { byteOrderMark, emptyFile, maxDepth, type ParseError, tooDeep } from './diagnostic.ts'
import type { NodeEvent } from './yaml-positions.ts'

/** Parses one YAML 1.2 document into events with the position of each node, or into syntax errors. */
export function readStrictly(
  text: string,
): { readonly events: readonly NodeEvent[] } | { readonly errors: readonly ParseError[] } {
  const { documents, tooDeepAt } = compose(text)
  if (tooDeepAt !== undefined) return { errors: [tooDeep(tooDeepAt)] }
  const [document, second] = documents
  if (document === undefined || (document.contents === null && document.errors.length === 0)) {
    return { errors: [emptyFile] }
  }
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
  if (errors.length > 0) return { errors: errors.slice(0, maxSyntaxErrors) }
  const events: NodeEvent[] = [
    { type: EVENT_ID.DOCUMENT, explicitStart: false, explicitEnd: false, directives: [] },
  ]
  addNode(document.contents, events)
  return { events }
}

const noRange = { anchorStart: -1, anchorEnd: -1, tagStart: -1, tagEnd: -1 } as const

/** Adds the events of a node and its descendants. A missing node becomes an empty scalar without a position. */
function addNode(node: unknown, events: NodeEvent[]): void {
  if (isAlias(node)) {
    const nodeStub = { start: node.range?.[0], anchor: node.source }
    events.push({ type: EVENT_ID.ALIAS, anchorStart: -1, anchorEnd: -1, node: nodeStub })
    return
  }
  if (isMap(node) || isSeq(node)) {
    const { range, anchor, tag } = node
    const nodeStub = { start: range?.[0], anchor, tag }
    const type = isMap(node) ? EVENT_ID.MAPPING : EVENT_ID.SEQUENCE
    events.push({ ...noRange, type, start: range?.[0] ?? 0, style: 1, node: nodeStub })
    if (isSeq(node)) for (const item of node.items) addNode(item, events)
    else {
      for (const { key, value } of node.items) {
        addNode(key, events)
        addNode(value, events)
      }
    }
    events.push({ type: EVENT_ID.POP })
    return
  }
  const { source = '', range, anchor, tag, type } = isScalar(node) ? node : new Scalar(null)
  events.push({
    ...noRange,
    type: EVENT_ID.SCALAR,
    valueStart: -1,
    valueEnd: -1,
    style: type === undefined || type === Scalar.PLAIN ? SCALAR_STYLE.PLAIN : SCALAR_STYLE.DOUBLE_QUOTED,
    chomping: 1,
    indent: -1,
    fast: false,
    node: { start: range?.[0], text: source, anchor, tag },
  })
}

/** Later syntax errors usually follow from the first few. */
const maxSyntaxErrors = 10

function compose(text: string): { documents: Document.Parsed[]; tooDeepAt?: number } {
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
