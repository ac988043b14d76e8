import { RE2JS, RE2JSException } from 're2js'
import { normalized } from './normalized.ts'
import { maxExpectedLength, problemOf, type ReadMatcher } from './problem.ts'

export interface Pattern {
  readonly kind: 'pattern'
  readonly pattern: string
  readonly flags: string
}

const flagBits: ReadonlyMap<string, number> = new Map([
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
])

/**
 * `/…/` with the flags i, m and s, in the syntax of RE2: no look-around and no back-references, so that it takes linear time on any text.
 * Undefined for a text that is no pattern.
 */
export function readPattern(text: string): ReadMatcher<Pattern> | undefined {
  const end = text.lastIndexOf('/')
  if (end < 1 || !text.startsWith('/')) return undefined
  const flags = text.slice(end + 1)
  if (!/^[a-z]*$/i.test(flags)) return undefined
  const pattern = text.slice(1, end)
  if (pattern === '') return problemOf({ code: 'empty-text', details: {} })
  if (pattern.length > maxExpectedLength)
    return problemOf({ code: 'text-too-long', details: { max: maxExpectedLength } })
  const unknown = [...flags].find(flag => !flagBits.has(flag))
  if (unknown !== undefined)
    return problemOf({ code: 'unknown-flag', details: { flag: unknown, allowed: [...flagBits.keys()] } })
  const matcher: Pattern = { kind: 'pattern', pattern, flags }
  try {
    compile(matcher)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return problemOf({ code: 'broken-pattern', details: { pattern, reason: error.message } })
  }
  return { matcher }
}

/** Whether the pattern is found in the text. Letters that Unicode writes in two ways are the same. */
export function matchesPattern(matcher: Pattern, text: string): boolean {
  return compile(matcher).test(normalized(text, 'NFC'))
}

/** A pattern is used in each run of a test. */
const compiled = new WeakMap<Pattern, RE2JS>()

function compile(matcher: Pattern): RE2JS {
  const known = compiled.get(matcher)
  if (known !== undefined) return known
  const bits = [...matcher.flags].reduce((all, flag) => all | (flagBits.get(flag) ?? 0), 0)
  const made = RE2JS.compile(normalized(matcher.pattern, 'NFC'), bits)
  compiled.set(matcher, made)
  return made
}
