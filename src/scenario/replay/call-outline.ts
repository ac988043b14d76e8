import { predefinedToolNames } from '../../interface/tool.ts'
import { parseEndedBy, type ReplayableCall, splitTurns } from '../record/index.ts'
import { toSpokenText } from '../spoken-text.ts'
import type { ObservedCall, ObservedTurn } from '../verdict.ts'

/** A call, reduced to what two replays can be compared by. Without times. */
export interface CallOutline {
  /** The first turn precedes the caller's first line. */
  readonly turns: readonly OutlinedTurn[]
  /** Undefined if it is not known. */
  readonly endedBy: string | undefined
  readonly forwardedTo: string | undefined
  readonly analysis: Readonly<Record<string, unknown>>
}

export interface OutlinedTurn {
  readonly line: string | undefined
  readonly spokenTexts: readonly string[]
  /** The same without what was cut off. */
  readonly heard: readonly string[]
  readonly tools: readonly { readonly name: string; readonly arguments: unknown }[]
  /** Questions of the FAQ entries that the reply came from. */
  readonly entries: readonly string[]
}

/** Outlines a call of the sandbox. */
export function outlineObserved({ turns, record }: ObservedCall): CallOutline {
  return {
    turns: turns.map(outlineTurn),
    endedBy: parseEndedBy(record.callEndTriggerBy, record.status),
    forwardedTo: record.forwardedTo?.phoneNumber,
    analysis: record.analysis ?? {},
  }
}

function outlineTurn({ caller, messages, tools, searches }: ObservedTurn): OutlinedTurn {
  return {
    line: caller?.line,
    spokenTexts: messages.map(({ text }) => toSpokenText(text)),
    heard: messages.map(({ heard }) => toSpokenText(heard)),
    tools: toTools(tools),
    entries: searches.flatMap(({ hits, used }) =>
      used && hits[0] !== undefined ? [hits[0].entry.question] : [],
    ),
  }
}

/** Outlines a recorded call. Its entries are unknown. */
export function outlineRecorded({ steps, unplacedTools, endedBy, analysis }: ReplayableCall): CallOutline {
  const turns = splitTurns(steps).map(({ line, steps }): OutlinedTurn => {
    const spokenTexts = steps.flatMap(step => (step.kind === 'said' ? [step.text] : []))
    const tools = steps.flatMap(step => (step.kind === 'tool' ? [step.tool] : []))
    return { ...noTurn, line, spokenTexts, heard: spokenTexts, tools: toTools(tools) }
  })
  const allTurns = turns[0]?.line === undefined ? turns : [noTurn, ...turns]
  const last = allTurns.at(-1) ?? noTurn
  return {
    turns: [...allTurns.slice(0, -1), { ...last, tools: [...last.tools, ...toTools(unplacedTools)] }],
    endedBy,
    forwardedTo: undefined,
    analysis: analysis ?? {},
  }
}

/** A turn in which nothing happens. */
export const noTurn: OutlinedTurn = {
  line: undefined,
  spokenTexts: [],
  heard: [],
  tools: [],
  entries: [],
}

/** Tools of the service that show in the end of the call or in the reply. */
const implied: readonly string[] = [predefinedToolNames.endCall, predefinedToolNames.knowledgeBase]

function toTools(used: OutlinedTurn['tools']): OutlinedTurn['tools'] {
  return used
    .filter(({ name }) => !implied.includes(name))
    .map(({ name, arguments: args }) => ({ name, arguments: args }))
}
