import { printParseErrorCode, visit } from 'jsonc-parser'
import { byteOrderMark, maxDepth, type ParseError, tooDeep } from './diagnostic.ts'

/** Locates the first syntax error of a JSON text; some versions of Node do not report its position. */
export function jsonError(text: string): ParseError {
  const start = text.startsWith(byteOrderMark) ? 1 : 0
  let first: { readonly problem: string; readonly offset: number } | undefined
  const onError = (code: number, offset: number) => {
    first ??= { problem: printParseErrorCode(code), offset: offset + start }
  }
  let depth = 0
  let deepest = start
  const begin = (offset: number) => {
    deepest = offset + start
    depth += 1
    // The parser is recursive.
    if (depth > maxDepth) throw stop
  }
  const end = () => {
    depth -= 1
  }
  const visitor = { onObjectBegin: begin, onArrayBegin: begin, onObjectEnd: end, onArrayEnd: end, onError }
  try {
    visit(text.slice(start), visitor, { disallowComments: true })
  } catch (error) {
    if (error !== stop) throw error
    return tooDeep(deepest)
  }
  const { problem, offset } = first ?? { problem: 'ValueExpected', offset: start }
  const [message, hint = 'check for a missing quote, bracket or comma here or above'] = describeProblem(
    problem,
    text[offset],
  )
  return { code: 'broken-json', message: `not JSON: ${message}`, hint, offset }
}

const stop = new Error('nested too deeply')

type Description = readonly [message: string, hint?: string]

function describeProblem(problem: string, next: string | undefined): Description {
  if (next === undefined) return ['unexpected end of file']
  if (next === '/' || next === '#')
    return ['comments are not allowed in JSON', 'remove it, or rename the file to .yaml']
  if (next === "'") return ['strings must be in double quotes']
  const afterComma = problem === 'PropertyNameExpected' || problem === 'ValueExpected'
  if (afterComma && (next === '}' || next === ']')) return [`trailing comma before ${next}`, 'remove it']
  return descriptions[problem] ?? brokenText
}

const brokenText: Description = ['unterminated string, or a character or \\ escape that JSON does not allow']
const noValue: Description = [
  'expected a value: a string in double quotes, a number, true, false, null, [ or {',
]

/** Keyed by jsonc-parser's error codes; the others concern the characters of a string. */
const descriptions: Readonly<Record<string, Description>> = {
  InvalidSymbol: noValue,
  InvalidNumberFormat: noValue,
  UnexpectedEndOfNumber: noValue,
  ValueExpected: noValue,
  PropertyNameExpected: ['expected a field name in double quotes'],
  ColonExpected: ['expected a colon after the field name'],
  CommaExpected: ['expected a comma or the end of the list or mapping'],
  CloseBraceExpected: ['expected a comma or }'],
  CloseBracketExpected: ['expected a comma or ]'],
  EndOfFileExpected: ['unexpected text after the value'],
}
