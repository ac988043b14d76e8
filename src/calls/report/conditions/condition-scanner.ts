import { didYouMean } from '../../../lib/text/did-you-mean.ts'

/** Why a condition cannot be read, and where: `start` and `end` are indexes in its text. */
export interface ScannedProblem {
  readonly code:
    | 'unknown-statistic'
    | 'unknown-metric'
    | 'unknown-grouping'
    | 'needs-statistic'
    | 'wrong-statistic'
    | 'needs-word'
    | 'needs-window'
    | 'needs-limit'
    | 'needs-value'
    | 'wrong-unit'
    | 'expected'
    | 'empty'
    | 'guard-only'
    | 'report-only'
  readonly start: number
  readonly end: number
  /** Valid texts, or examples of them. */
  readonly allowed: readonly string[]
  /** A known name that may be meant. */
  readonly near: string | undefined
}

/** Thrown by a scanner; `parseCondition` returns its problem. */
export class ProblemFound extends Error {
  readonly problem: ScannedProblem
  constructor(problem: ScannedProblem) {
    super(problem.code)
    this.problem = problem
  }
}

export interface Token {
  readonly text: string
  readonly start: number
}

export type Scanner = ReturnType<typeof createScanner>

/** Reads tokens from left to right. Spaces between them are ignored. */
export function createScanner(text: string) {
  let index = 0
  const skip = () => {
    index += /^\s*/.exec(text.slice(index))?.[0].length ?? 0
  }
  const take = (pattern: RegExp): Token | undefined => {
    skip()
    const [lexeme] = new RegExp(`^(?:${pattern.source})`, 'i').exec(text.slice(index)) ?? []
    if (lexeme === undefined) return undefined
    const token = { text: lexeme, start: index }
    index += lexeme.length
    return token
  }
  const fail = (
    code: ScannedProblem['code'],
    { text: tokenText, start }: Token,
    allowed: readonly string[] = [],
  ): never => {
    throw new ProblemFound({
      ...{ code, start, end: start + Math.max(1, tokenText.length), allowed },
      near: isWord.test(tokenText) ? didYouMean(tokenText.trim(), allowed) : undefined,
    })
  }
  const failHere = (code: ScannedProblem['code'], allowed: readonly string[]): never => {
    skip()
    const [word = ''] = /^[^\s()]*/.exec(text.slice(index)) ?? []
    return fail(code, { text: word, start: index }, allowed)
  }
  return {
    take,
    fail,
    /** Reports what comes next. */
    failHere,
    /** Returns the next token, or reports what was expected in its place. */
    expect(pattern: RegExp, ...allowed: readonly string[]): Token {
      return take(pattern) ?? failHere('expected', allowed)
    },
    expectEnd(...allowed: readonly string[]): void {
      skip()
      if (index < text.length) fail('expected', { text: text.slice(index), start: index }, allowed)
    },
  }
}

/** A sign or a percentile is not a misspelled word. */
const isWord = /^\s*\p{L}{2}/u
