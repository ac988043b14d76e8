import { Composer, type Document, Lexer, Parser, type YAMLError } from 'yaml'
import type { Parsed } from './diagnostic.ts'
import { byteOrderMark, type ParseError } from './diagnostic.ts'
import { nodesToValue, offsetOfField, writtenAt } from './node-value.ts'

/** Deeper than any resource; the composer recurses, and running out of stack in it ends the process. */
export const maxDepth = 100

/** One YAML 1.2 document (core schema) with the place of each node. */
export function parseYaml(text: string): Parsed {
  const { documents, tooDeepAt } = compose(text)
  if (tooDeepAt !== undefined) return unusable([tooDeep(tooDeepAt)])
  const [document, second] = documents
  if (document === undefined || (document.contents === null && document.errors.length === 0)) {
    return unusable([{ code: 'empty-file', message: 'the file holds no value, only comments or markers' }])
  }
  const flaws = document.errors.map(error => brokenYaml(error, text))
  if (second !== undefined) flaws.push(severalDocuments(second, text))
  if (document.directives?.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
    flaws.push(otherVersion(text))
  }
  if (flaws.length > 0) return unusable(flaws.slice(0, maxSyntaxErrors))
  const { value, flaws: ofNodes } = nodesToValue(document.contents)
  return {
    value,
    flaws: ofNodes,
    document,
    offsetOf: (path, at) => offsetOfField(document.contents, path, at),
    writtenAt: path => writtenAt(document.contents, path),
  }
}

/** After the first few, syntax errors are only echoes of each other. */
const maxSyntaxErrors = 10

function unusable(flaws: readonly ParseError[]): Parsed {
  return { value: undefined, flaws, offsetOf: () => undefined }
}

function compose(text: string): { documents: Document.Parsed[]; tooDeepAt?: number } {
  const parser = new Parser()
  const composer = new Composer({ merge: false, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' })
  const documents: Document.Parsed[] = []
  let offset = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) documents.push(...composer.next(token))
    if (parser.stack.length > maxDepth * tokensPerLevel) return { documents: [], tooDeepAt: offset }
    offset = parser.offset
  }
  for (const token of parser.end()) documents.push(...composer.next(token))
  documents.push(...composer.end())
  return { documents: documents.filter(found => found instanceof Object) }
}

const tokensPerLevel = 1

export function tooDeep(offset: number): ParseError {
  return {
    code: 'too-deep',
    message: `nested deeper than ${maxDepth} levels`,
    hint: 'no resource needs this; is it the right file?',
    offset,
  }
}

function brokenYaml({ code, message, pos }: YAMLError, text: string): ParseError {
  return {
    code: 'broken-yaml',
    message: lowerFirst(message),
    hint: hints[code],
    offset: Math.min(pos[0], text.length),
  }
}

const hints: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put text that contains ": " in quotes',
  TAB_AS_INDENT: 'indent with spaces',
  BAD_SCALAR_START: 'put the text in quotes',
  MISSING_CHAR: 'a quote, bracket or comma is missing here or in a line above',
  BAD_INDENT: 'align it with the fields above',
  MULTILINE_IMPLICIT_KEY: 'is a colon missing at the end of the line above?',
}

function severalDocuments(second: Document.Parsed, text: string): ParseError {
  const marker = text.lastIndexOf('---', second.range[0])
  return {
    code: 'several-documents',
    message: 'the file holds several documents',
    hint: 'one resource per file: split it at the --- lines',
    offset: marker === -1 ? second.range[0] : marker,
  }
}

function otherVersion(text: string): ParseError {
  return {
    code: 'yaml-version',
    message: 'only YAML 1.2 is read',
    hint: 'remove the %YAML line',
    offset: text.startsWith(byteOrderMark) ? 1 : Math.max(0, text.indexOf('%YAML')),
  }
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
