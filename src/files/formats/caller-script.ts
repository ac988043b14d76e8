import * as z from 'zod/mini'
import { lazy } from '../../lib/lazy.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'

/** Next action of the caller, from a script (`metadata.caller`, a file) or the terminal. */
export type CallerTurn =
  | { readonly type: 'say'; readonly text: string }
  /** Said while the assistant speaks. */
  | { readonly type: 'interrupt'; readonly text: string }
  | { readonly type: 'silence'; readonly milliseconds: number }
  | { readonly type: 'keys'; readonly keys: string }
  | { readonly type: 'hang-up' }

type Parsed = { readonly turn: CallerTurn } | { readonly problem: string; readonly hint: string }

/** Seconds; the longest call. */
const maxSilenceSeconds = 7200

/** Directions by the first word of a line that starts with a slash. */
const directions = {
  '/say-nothing': argument => {
    const seconds = Number(argument)
    return /^\d+(\.\d+)?$/.test(argument) && seconds > 0 && seconds <= maxSilenceSeconds
      ? { turn: { type: 'silence', milliseconds: Math.max(1, Math.round(seconds * 1000)) } }
      : {
          problem: '/say-nothing needs a number of seconds',
          hint: `use a number up to ${maxSilenceSeconds}, as in /say-nothing 10`,
        }
  },
  '/interrupt': argument =>
    argument === ''
      ? {
          problem: '/interrupt needs what is said',
          hint: 'for example /interrupt Wait, one more thing',
        }
      : { turn: { type: 'interrupt', text: argument } },
  '/keys': argument =>
    /^[0-9*#]{1,32}$/.test(argument)
      ? { turn: { type: 'keys', keys: argument } }
      : {
          problem: '/keys needs keys of a telephone',
          hint: 'use up to 32 of 0-9, * and #, as in /keys 12#',
        },
  '/hangup': argument =>
    argument === ''
      ? { turn: { type: 'hang-up' } }
      : { problem: '/hangup stands alone', hint: `remove ${JSON.stringify(argument)}` },
} as const satisfies Record<string, (argument: string) => Parsed>

const callerDirections: readonly string[] = Object.keys(directions)

/**
 * Parses one line of the caller. Lines that start with a slash are directions: `/say-nothing <seconds>`, `/interrupt <text>`, `/keys
 * <keys>`, `/hangup`; `//text` says `/text`; other lines are said verbatim. Blank lines must be skipped by the calling function.
 */
export function parseCallerLine(line: string): Parsed {
  const text = line.trim()
  if (!text.startsWith('/')) return { turn: { type: 'say', text } }
  if (text.startsWith('//')) return { turn: { type: 'say', text: text.slice(1) } }
  const [word = ''] = text.split(/\s+/, 1)
  const parse = Object.hasOwn(directions, word) ? directions[word as keyof typeof directions] : undefined
  if (parse !== undefined) return parse(text.slice(word.length).trim())
  const suggestion = didYouMean(word, callerDirections)
  return {
    problem: `${JSON.stringify(word)} is no direction for the caller`,
    hint:
      suggestion === undefined
        ? `use one of ${callerDirections.join(', ')}; //text says “/text”`
        : `did you mean ${suggestion}? //text says “/text”`,
  }
}

/** The line that `parseCallerLine` reads as this. */
export function callerLine(turn: CallerTurn): string {
  switch (turn.type) {
    case 'say':
      return turn.text.startsWith('/') ? `/${turn.text}` : turn.text
    case 'interrupt':
      return `/interrupt ${turn.text}`
    case 'keys':
      return `/keys ${turn.keys}`
    case 'silence':
      return `/say-nothing ${turn.milliseconds / 1000}`
    case 'hang-up':
      return '/hangup'
  }
}

/**
 * `metadata` is free-form: a list of texts under `caller` is a script, one text is a script of one line, and anything else
 * is the client's own data.
 */
export function callerTurns(metadata: Readonly<Record<string, unknown>> | undefined): {
  readonly turns: readonly CallerTurn[] | undefined
  /** Problems of lines that are said verbatim because they are not valid directions. */
  readonly problems: readonly string[]
} {
  const script = scriptSchema().safeParse(metadata?.caller)
  if (!script.success) return { turns: undefined, problems: [] }
  const problems: string[] = []
  const turns = [script.data]
    .flat()
    .filter(line => line.trim() !== '')
    .map((line): CallerTurn => {
      const parsed = parseCallerLine(line)
      if ('turn' in parsed) return parsed.turn
      problems.push(`a line of metadata.caller is said unchanged: ${parsed.problem}; ${parsed.hint}`)
      return { type: 'say', text: line.trim() }
    })
  return { turns, problems }
}

const scriptSchema = lazy(() => z.union([z.string(), z.array(z.string())]))
