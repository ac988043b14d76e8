import type { Analysis, AnalysisResult } from '../../interface/analysis.ts'
import type { CallState } from '../engine/call-state.ts'
import { rubricOf } from './rubric.ts'
import { checkStructuredData } from './structured-data.ts'

/** What an analysis is made from. */
export interface AnalysedCall
  extends Pick<CallState, 'messages' | 'startedAt' | 'endedAt' | 'endedBy' | 'asked' | 'answered'> {
  readonly assistantName: string | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly toolCalls: readonly { readonly name: string; readonly failure?: unknown }[]
}

export interface MadeAnalysis {
  readonly analysis: AnalysisResult
  /** What is missing and why: one sentence each. */
  readonly failures: readonly string[]
}

/**
 * interface.md 2.4, by rule and without a model.
 * - summary: one sentence on who talked for how long and who ended it, and the caller's first line.
 * - successEvaluation: the share of the caller's lines that were answered by more than a stopgap (an end phrase needs no
 *   answer), in the words of the rubric.
 * - structuredData: for each property of the schema the metadata of the same name, else the first text in the caller's
 *   lines that fits its type and format (date, time, email, phone; number, integer, boolean); else the property is absent.
 *   What does not pass the schema is left out and told.
 */
export async function analyseByRule(
  { summary, successEvaluation, structuredData }: Analysis,
  call: AnalysedCall,
): Promise<MadeAnalysis> {
  const schema = structuredData?.schema
  const checked =
    structuredData?.enabled === true
      ? await checkStructuredData(schema, extract(schema?.properties ?? {}, call))
      : undefined
  const { asked, answered } = call
  const share = asked === 0 ? 0 : answered / asked
  return {
    analysis: {
      ...(summary?.enabled === true ? { summary: summarise(call) } : {}),
      ...(successEvaluation?.enabled === true
        ? { successEvaluation: rubricOf(successEvaluation.rubric).fromShare(share) }
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

function summarise({ messages, startedAt, endedAt, endedBy, assistantName }: AnalysedCall): string {
  const seconds = Math.round(((endedAt ?? 0) - (startedAt ?? endedAt ?? 0)) / 1000)
  const who = assistantName === undefined ? 'The assistant' : assistantName
  const first = messages.find(({ role }) => role === 'user')
  const length = `${who} and the caller exchanged ${count(messages.length, 'message')} in ${count(seconds, 'second')}`
  const ending = endedBy === undefined ? '' : `; ${enders[endedBy]}`
  const topic = first === undefined ? ' The caller said nothing.' : ` The caller began with “${first.text}”.`
  return `${length}${ending}.${topic}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

interface Property {
  readonly type?: string | undefined
  readonly format?: string | undefined
}

const patterns = {
  date: /\b\d{4}-\d{2}-\d{2}\b/,
  time: /\b\d{1,2}:\d{2}\b/,
  // Begins where a word does: a long line without an address is read once, not once for each of its letters.
  email: /(?<![^\s@<>,;])[^\s@<>,;]+@[^\s@<>,;]+\.[\p{L}\d-]+/u,
  phone: /\+?\d[\d ()-]{5,}\d/,
} as const satisfies Record<string, RegExp>

function extract(
  properties: Readonly<Record<string, Property>>,
  { messages, metadata }: AnalysedCall,
): Record<string, unknown> {
  const said = messages.filter(({ role }) => role === 'user').map(({ text }) => text)
  const found = Object.entries(properties).map(([name, property]): [string, unknown] => [
    name,
    fromMetadata(metadata, name, property) ?? fromLines(said, property),
  ])
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function fromMetadata(metadata: AnalysedCall['metadata'], name: string, { type }: Property): unknown {
  if (metadata === undefined || !Object.hasOwn(metadata, name)) return undefined
  const value = metadata[name]
  const fits = type === 'integer' ? Number.isInteger(value) : type === undefined || typeof value === type
  return fits ? value : undefined
}

function fromLines(said: readonly string[], { type, format }: Property): unknown {
  if (type === 'number' || type === 'integer') {
    const digits = firstMatch(
      said.map(withoutMarks),
      type === 'integer' ? /(?<![\d.])-?\d+(?!\.?\d)/ : /-?\d+(?:\.\d+)?/,
    )
    return digits === undefined ? undefined : Number(digits)
  }
  if (type === 'boolean') {
    const word = firstMatch(said, /\b(yes|no)\b/i)
    return word === undefined ? undefined : word.toLowerCase() === 'yes'
  }
  const pattern = Object.entries(patterns).find(([name]) => name === format)?.[1]
  if (pattern === undefined) return undefined
  return firstMatch(format === 'phone' ? said.map(withoutDates) : said, pattern)
}

/** The digits of dates, times, addresses and phone numbers are no numbers, and those of dates no phone numbers. */
function withoutMarks(line: string): string {
  return Object.values(patterns).reduce((text, pattern) => text.replace(new RegExp(pattern, 'gu'), ' '), line)
}

function withoutDates(line: string): string {
  return line.replace(new RegExp(patterns.date, 'g'), ' ')
}

function firstMatch(lines: readonly string[], pattern: RegExp): string | undefined {
  return lines.map(line => pattern.exec(line)?.[0]).find(found => found !== undefined)
}
