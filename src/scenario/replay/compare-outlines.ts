import { isDeepStrictEqual } from 'node:util'
import { type CallOutline, noTurn, type OutlinedTurn } from './call-outline.ts'

/** A difference between two calls with the same caller's turns, without the turn. Equal ones form a group. */
export type DifferenceKind =
  | {
      readonly category: 'tool-calls'
      readonly code: 'tool-dropped' | 'tool-added' | 'tool-arguments'
      readonly tool: string
    }
  | { readonly category: 'tool-calls'; readonly code: 'tool-order' }
  | { readonly category: 'ending'; readonly code: 'ends-earlier' | 'ends-later' }
  | {
      readonly category: 'ending'
      readonly code: 'ended-by' | 'forwarded-to'
      readonly before: string | undefined
      readonly after: string | undefined
    }
  | { readonly category: 'replies'; readonly code: 'welcome' }
  /** The reply from an entry changed, is gone, or is new. */
  | {
      readonly category: 'replies'
      readonly code: 'answer-changed' | 'answer-lost' | 'answer-gained'
      readonly question: string
    }
  /** Another entry is used. */
  | { readonly category: 'replies'; readonly code: 'entry'; readonly before: string; readonly after: string }
  /** Values of the call's variables are replaced by their names. */
  | { readonly category: 'replies'; readonly code: 'reply'; readonly before: string; readonly after: string }
  | { readonly category: 'analysis'; readonly code: 'success' }
  | { readonly category: 'analysis'; readonly code: 'data'; readonly fields: readonly string[] }

export type CallDifference = DifferenceKind & {
  /** Turn in which it shows; undefined for the whole call. */
  readonly turn: number | undefined
}

/**
 * Compares two calls with the same caller's turns. Turns are compared as far as both calls go. A reply is not reported in a turn with other
 * tool calls, or where one of the calls ends, because it follows from that. Pure.
 */
export function compareOutlines(
  before: CallOutline,
  after: CallOutline,
  variables: Readonly<Record<string, string>> = {},
): CallDifference[] {
  const shared = Math.min(before.turns.length, after.turns.length)
  const endings = compareEndings(before, after)
  const turns = Array.from({ length: shared }, (_, turn) => {
    const [old, now] = [before.turns[turn] ?? noTurn, after.turns[turn] ?? noTurn]
    const tools = compareTools(old, now)
    // The last words of a call that ends in another way follow from that.
    const isEnd = turn === shared - 1 && endings.length > 0
    const kinds = tools.length > 0 || isEnd ? tools : compareReplies(old, now, turn, variables)
    return kinds.map(kind => ({ ...kind, turn }))
  }).flat()
  const ending = endings.map(kind => ({ ...kind, turn: shared - 1 }))
  const analysis = compareAnalyses(before.analysis, after.analysis).map(kind => ({
    ...kind,
    turn: undefined,
  }))
  return [...turns, ...ending, ...analysis]
}

/** Returns a text that is equal for differences of one group. */
export function groupKey(difference: DifferenceKind): string {
  const { turn: _, ...kind } = { turn: undefined, ...difference }
  return JSON.stringify(kind)
}

/** Compares a recorded call with its replay on the deployed files, as far as the recording tells. */
export function compareWithRecorded(recordedOutline: CallOutline, replay: CallOutline): CallDifference[] {
  const { endedBy = replay.endedBy } = recordedOutline
  // Many recordings contain no tool calls at all.
  const knowsTools = recordedOutline.turns.some(({ tools }) => tools.length > 0)
  const heardOutline = {
    ...replay,
    turns: replay.turns.map((turn, index) => {
      const { tools = [] } = knowsTools ? turn : (recordedOutline.turns[index] ?? {})
      return { ...turn, spokenTexts: turn.heard, tools }
    }),
  }
  return compareOutlines(
    { ...recordedOutline, endedBy, forwardedTo: replay.forwardedTo, analysis: replay.analysis },
    heardOutline,
  )
}

/** True if the replay on the deployed files already differs from the recording there. */
export function isDrift({ category, turn }: CallDifference, drift: readonly CallDifference[]): boolean {
  return drift.some(
    difference =>
      difference.category === category &&
      (category === 'ending' || turn === undefined || difference.turn === turn),
  )
}

function compareTools({ tools: before }: OutlinedTurn, { tools: after }: OutlinedTurn): DifferenceKind[] {
  if (isDeepStrictEqual(before, after)) return []
  const category = 'tool-calls'
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort()
  const kinds = names.flatMap((tool): DifferenceKind[] => {
    const [old, now] = [before.filter(({ name }) => name === tool), after.filter(({ name }) => name === tool)]
    if (old.length > now.length) return [{ category, code: 'tool-dropped', tool }]
    if (old.length < now.length) return [{ category, code: 'tool-added', tool }]
    return isDeepStrictEqual(old, now) ? [] : [{ category, code: 'tool-arguments', tool }]
  })
  return kinds.length > 0 ? kinds : [{ category, code: 'tool-order' }]
}

function compareReplies(
  before: OutlinedTurn,
  after: OutlinedTurn,
  turn: number,
  variables: Readonly<Record<string, string>>,
): DifferenceKind[] {
  const [old, now] = [before.spokenTexts.join(' '), after.spokenTexts.join(' ')]
  if (old === now) return []
  const category = 'replies'
  if (turn === 0) return [{ category, code: 'welcome' }]
  const lost = before.entries.filter(entry => !after.entries.includes(entry))
  const gained = after.entries.filter(entry => !before.entries.includes(entry))
  const [[from], [to]] = [lost, gained]
  if (from !== undefined && to !== undefined) return [{ category, code: 'entry', before: from, after: to }]
  if (from !== undefined) return [{ category, code: 'answer-lost', question: from }]
  if (to !== undefined) return [{ category, code: 'answer-gained', question: to }]
  const [only, ...others] = after.entries
  if (only !== undefined && others.length === 0) return [{ category, code: 'answer-changed', question: only }]
  return [{ category, code: 'reply', before: withNames(old, variables), after: withNames(now, variables) }]
}

/** Replaces values of variables with their names, so that one changed text is one group. */
function withNames(text: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .filter(([, value]) => value.trim() !== '')
    .sort(([, one], [, other]) => other.length - one.length)
    .reduce((named, [name, value]) => named.replaceAll(value, () => `{{${name}}}`), text)
}

function compareEndings(before: CallOutline, after: CallOutline): DifferenceKind[] {
  const category = 'ending'
  if (after.turns.length < before.turns.length) return [{ category, code: 'ends-earlier' }]
  if (after.turns.length > before.turns.length) return [{ category, code: 'ends-later' }]
  if (before.endedBy !== after.endedBy)
    return [{ category, code: 'ended-by', before: before.endedBy, after: after.endedBy }]
  if (before.forwardedTo === after.forwardedTo) return []
  return [{ category, code: 'forwarded-to', before: before.forwardedTo, after: after.forwardedTo }]
}

type Analysis = CallOutline['analysis']

/** Compares success and data. A summary is words about the call, which differ whenever it does. */
function compareAnalyses(before: Analysis, after: Analysis): DifferenceKind[] {
  const category = 'analysis'
  const isSuccess = isDeepStrictEqual(before.successEvaluation, after.successEvaluation)
  const [old, now] = [toFields(before.structuredData), toFields(after.structuredData)]
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter(name => !isDeepStrictEqual(old[name], now[name]))
    .sort()
  return [
    ...(isSuccess ? [] : [{ category, code: 'success' } as const]),
    ...(fields.length === 0 ? [] : [{ category, code: 'data', fields } as const]),
  ]
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
