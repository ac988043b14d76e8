import { printParseErrorCode, visit } from 'jsonc-parser'
import { byteOrderMark, type ParseError } from './diagnostic.ts'

/** The first place where a text is not JSON. JSON.parse tells none in some versions of Node. */
export function jsonError(text: string): ParseError {
  const start = text.startsWith(byteOrderMark) ? 1 : 0
  let first: { readonly problem: string; readonly offset: number } | undefined
  const onError = (code: number, offset: number) => {
    first ??= { problem: printParseErrorCode(code), offset: offset + start }
  }
  visit(text.slice(start), { onError }, { disallowComments: true })
  const { problem, offset } = first ?? { problem: 'ValueExpected', offset: start }
  const [message, hint] = describeProblem(problem, text[offset])
  return { code: 'broken-json', message: `not JSON: ${message}`, hint, offset }
}

type Description = readonly [message: string, hint?: string]

function describeProblem(problem: string, next: string | undefined): Description {
  if (next === undefined) return ['the file ends in the middle of a value']
  if (next === '/' || next === '#') return ['JSON has no comments', 'remove it, or name the file .yaml']
  if (next === "'") return ['text must stand in double quotes']
  const afterComma = problem === 'PropertyNameExpected' || problem === 'ValueExpected'
  if (afterComma && (next === '}' || next === ']'))
    return [`a comma may not stand before ${next}`, 'remove the comma']
  return descriptions[problem] ?? brokenText
}

const brokenText: Description = [
  'this text does not end on its line, or holds a character or \\ escape that JSON does not know',
]
const noValue: Description = [
  'a value is expected: text in double quotes, a number, true, false, null, [ or {',
]

/** By the codes of jsonc-parser; the others are about the characters of a text. */
const descriptions: Readonly<Record<string, Description>> = {
  InvalidSymbol: noValue,
  InvalidNumberFormat: noValue,
  UnexpectedEndOfNumber: noValue,
  ValueExpected: noValue,
  PropertyNameExpected: ['a field name in double quotes is expected'],
  ColonExpected: ['a colon is expected after the field name'],
  CommaExpected: ['a comma or the end of the list or mapping is expected'],
  CloseBraceExpected: ['a comma or } is expected'],
  CloseBracketExpected: ['a comma or ] is expected'],
  EndOfFileExpected: ['nothing may follow the value'],
}
