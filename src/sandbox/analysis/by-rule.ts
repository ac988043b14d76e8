import type { Analysis, AnalysisResult } from '../../interface/analysis.ts'
import { lazy } from '../../lib/lazy.ts'
import { count } from '../../lib/text/count.ts'
import { wholeSeconds } from '../../lib/text/date-time.ts'
import { spaceWords } from '../../lib/text/words.ts'
import type { CallState } from '../engine/call-state.ts'
import type { CheckedData, DataSchema } from '../schema-checks/checks.ts'
import { runCheck } from '../schema-checks/run-check.ts'

export interface AnalyzedCall extends CallState {
  readonly assistantName: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly toolCalls: readonly { readonly name: string; readonly failure?: unknown }[]
}

export interface MadeAnalysis {
  readonly analysis: AnalysisResult
  /** Missing parts with the reason, one sentence each. */
  readonly failures: readonly string[]
}

/**
 * interface.md 2.4, by rule and without a model.
 * - summary: one sentence on who talked for how long and who ended it, and the caller's first line.
 * - successEvaluation: the share of the caller's lines that got more than a fallback reply (an end phrase needs none), in the words of
 *   the rubric.
 * - structuredData: for each property of the schema the metadata of the same name, else the first text in the caller's
 *   lines that fits its type and format (date, time, email, phone; number, integer, boolean); else the property is absent.
 *   Values that do not match the schema are left out and reported.
 */
export async function analyzeByRule(
  { summary, successEvaluation, structuredData }: Analysis,
  call: AnalyzedCall,
): Promise<MadeAnalysis> {
  const schema = structuredData?.schema
  const checked =
    structuredData?.enabled === true
      ? await checkStructuredData(schema, extract(schema?.properties ?? {}, call))
      : undefined
  const { questionCount, answerCount } = call
  const share = questionCount === 0 ? 0 : answerCount / questionCount
  return {
    analysis: {
      ...(summary?.enabled === true ? { summary: summarize(call) } : {}),
      ...(successEvaluation?.enabled === true
        ? { successEvaluation: findRubric(successEvaluation.rubric).fromShare(share) }
        : {}),
      ...(checked === undefined ? {} : { structuredData: checked.data }),
    },
    failures: checked?.problems ?? [],
  }
}

const enders = {
  user: 'the caller hung up',
  assistant: 'the assistant ended it',
  system: 'the service ended it',
  control: 'it was ended through the control URL',
} as const

function summarize({ messages, startedAt, endedAt, endedBy, assistantName }: AnalyzedCall): string {
  const seconds = wholeSeconds((endedAt ?? 0) - (startedAt ?? endedAt ?? 0))
  const subject = assistantName === undefined ? 'The assistant' : assistantName
  const first = messages.find(({ role }) => role === 'user')
  const length = `${subject} and the caller exchanged ${count(messages.length, 'message')} in ${count(seconds, 'second')}`
  const ending = endedBy === undefined ? '' : `; ${enders[endedBy]}`
  const topic = first === undefined ? ' The caller said nothing.' : ` The caller began with “${first.text}”.`
  return `${length}${ending}.${topic}`
}

interface Property {
  readonly type?: string | undefined
  readonly format?: string | undefined
}

const patterns = lazy(
  () =>
    ({
      date: /\b\d{4}-\d{2}-\d{2}\b/,
      time: /\b\d{1,2}:\d{2}\b/,
      // Begins where a word does: a long line without an address is read once, not once for each of its letters.
      email: /(?<![^\s@<>,;])[^\s@<>,;]+@[^\s@<>,;]+\.[\p{L}\d-]+/u,
      phone: /\+?\d[\d ()-]{5,}\d/,
    }) as const satisfies Record<string, RegExp>,
)

function extract(
  properties: Readonly<Record<string, Property>>,
  { messages, metadata }: AnalyzedCall,
): Record<string, unknown> {
  const userLines = messages.filter(({ role }) => role === 'user').map(({ text }) => text)
  const entries = Object.entries(properties).map(([name, property]): [string, unknown] => [
    name,
    fromMetadata(metadata, name, property) ?? fromLines(userLines, property),
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function fromMetadata(metadata: AnalyzedCall['metadata'], name: string, { type }: Property): unknown {
  if (metadata === undefined || !Object.hasOwn(metadata, name)) return undefined
  const value = metadata[name]
  const fits = type === 'integer' ? Number.isInteger(value) : type === undefined || typeof value === type
  return fits ? value : undefined
}

function fromLines(userLines: readonly string[], { type, format }: Property): unknown {
  if (type === 'number' || type === 'integer') {
    const digits = firstMatch(
      userLines.map(withoutMarks),
      type === 'integer' ? /(?<![\d.])-?\d+(?!\.?\d)/ : /-?\d+(?:\.\d+)?/,
    )
    return digits === undefined ? undefined : Number(digits)
  }
  if (type === 'boolean') {
    const word = firstMatch(userLines, /\b(yes|no)\b/i)
    return word === undefined ? undefined : word.toLowerCase() === 'yes'
  }
  const pattern = Object.entries(patterns()).find(([name]) => name === format)?.[1]
  if (pattern === undefined) return undefined
  return firstMatch(format === 'phone' ? userLines.map(withoutDates) : userLines, pattern)
}

/** Removes digits of dates, times, addresses and phone numbers, which are not numbers; those of dates are not phone numbers. */
function withoutMarks(line: string): string {
  return Object.values(patterns()).reduce(
    (text, pattern) => text.replace(new RegExp(pattern, 'gu'), ' '),
    line,
  )
}

function withoutDates(line: string): string {
  return line.replace(new RegExp(patterns().date, 'g'), ' ')
}

function firstMatch(lines: readonly string[], pattern: RegExp): string | undefined {
  return lines.map(line => pattern.exec(line)?.[0]).find(match => match !== undefined)
}

/** Scale of the success evaluation (interface.md 2.4, successEvaluation.rubric). */
interface Rubric {
  /** Expected form; the prompt asks for it. */
  readonly answerFormat: string
  /** Extracts the result from a model's response; undefined if there is none. */
  parse(answer: string): string | undefined
  /** Returns the result for a share, 0 to 1, of the caller's lines that got a reply. */
  fromShare(share: number): string
}

/** `NumericScale` is the one that the interface shows; the others are the usual ones. */
const rubrics = {
  NumericScale: {
    answerFormat: 'one whole number from 1 (failed) to 10 (reached its goal in full)',
    parse: answer => numberIn(answer, 1, 10)?.toString(),
    fromShare: share => String(Math.round(1 + 9 * share)),
  },
  PercentageScale: {
    answerFormat: 'one whole number of percent from 0 to 100',
    parse: answer => {
      const percent = numberIn(answer, 0, 100)
      return percent === undefined ? undefined : `${percent}%`
    },
    fromShare: share => `${Math.round(100 * share)}%`,
  },
  DescriptiveScale: scale(['Poor', 'Fair', 'Good', 'Excellent']),
  LikertScale: scale(['Strongly disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly agree'], answer =>
    answer.replace(/neither agree nor disagree/gi, 'neutral'),
  ),
  PassFail: {
    answerFormat: 'one word, pass or fail',
    parse: answer => wordIn(answer.replace(/\b(pass|fail)ed\b/gi, '$1'), ['pass', 'fail']),
    fromShare: share => (share === 1 ? 'pass' : 'fail'),
  },
} as const satisfies Record<string, Rubric>

/** Maximum characters of a result in an unknown rubric. */
const maxEvaluationLength = 500

/** Without a name it is pass or fail. A name that the sandbox does not know is the model's to interpret. */
export function findRubric(name: string | undefined): Rubric {
  if (name === undefined) return rubrics.PassFail
  if (Object.hasOwn(rubrics, name)) return rubrics[name as keyof typeof rubrics]
  return {
    ...rubrics.PassFail,
    answerFormat: `an evaluation by the rubric ${name}, as short as possible`,
    parse: answer => (answer.trim() === '' ? undefined : answer.trim().slice(0, maxEvaluationLength)),
  }
}

/** Words from the worst to the best. */
function scale(words: readonly string[], normalize = (answer: string) => answer): Rubric {
  return {
    answerFormat: `one of: ${words.join(', ')}`,
    parse: answer => wordIn(normalize(answer), words),
    fromShare: share => words[Math.round(share * (words.length - 1))] ?? '',
  }
}

/** The only such number that is in the text, also as `8/10`, `8 out of 10`, `on a scale of 1 to 10: 8` or `80 %`. */
function numberIn(text: string, least: number, most: number): number | undefined {
  const rest = text
    .replace(/\s+/g, ' ')
    .replace(new RegExp(`(?<![\\d.,])${least} ?(?:-|–|to) ?${most}(?![.,]?\\d)`, 'gi'), ' ')
    .replace(new RegExp(` ?(?:/|out of) ?${most}(?![.,]?\\d)`, 'gi'), ' ')
  const numbers = [...rest.matchAll(/(?<![\d.,-])\d+(?![.,]?\d)/g)].map(([digits]) => Number(digits))
  const [number] = numbers
  return number !== undefined && numbers.length === 1 && number >= least && number <= most
    ? number
    : undefined
}

/**
 * Returns the word that the text starts with (`Fail: …`), else the only word in the text, preferring the longest if words contain each
 * other. Undefined for negations (`did not pass`).
 */
function wordIn(text: string, words: readonly string[]): string | undefined {
  const [beginning = ''] = text.trim().split(/[.,:;!?()\n–—]| - /, 1)
  const leading = words.find(word => toWords(word) === toWords(beginning))
  if (leading !== undefined) return leading
  let rest = toWords(text)
  // “didn’t” has become “didn t”.
  if (/ (?:not|no|never|neither|nor|cannot|t) /.test(rest)) return undefined
  const matches = words
    .toSorted((one, other) => other.length - one.length)
    .filter(word => {
      const before = rest
      rest = rest.replaceAll(toWords(word), '  ')
      return rest !== before
    })
  return matches.length === 1 ? matches[0] : undefined
}

/** In small letters, one space around each word. */
function toWords(text: string): string {
  return ` ${spaceWords(text.toLowerCase())} `
}

/** Keeps the values that pass the schema; see checkData of schema-checks/. */
export async function checkStructuredData(
  schema: DataSchema,
  values: Readonly<Record<string, unknown>>,
): Promise<CheckedData> {
  return runCheck('data', { schema, values })
}
