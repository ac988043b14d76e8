import { predefinedToolNames } from '../../interface/tool.ts'
import { acceptedResponse } from '../../interface/words.ts'
import { isObject, mapValues, nestsAtMost } from '../../lib/json.ts'
import { isPlainText } from '../expect/value.ts'
import { findDistinctivePhrase } from './distinctive-phrase.ts'
import { findAssistant, type ProjectNames } from './project-names.ts'
import type { ReplayableCall, ReplayStep } from './replayable-call.ts'

export const expectationKinds = ['says', 'calls', 'ends', 'analysis', 'interruptions'] as const
export type ExpectationKind = (typeof expectationKinds)[number]

export interface Proposal {
  /** Index in `turns`, or undefined for the whole call. */
  readonly turn: number | undefined
  readonly kind: ExpectationKind
  /** Value of the field `kind` in a test file. */
  readonly value: unknown
}

/** A gap in a drafted test that the user has to fill. */
export type DraftNote =
  /** Id and name are undefined if no event contains them. */
  | { readonly code: 'unknown-assistant'; readonly id: string | undefined; readonly name: string | undefined }
  | { readonly code: 'unknown-tool'; readonly name: string }
  | { readonly code: 'unknown-answer'; readonly name: string }

export type TestDraft = ReturnType<typeof draftTest>

/** Drafts a test that repeats a call. All proposed expectations held in that call. Pure. */
export function draftTest(course: ReplayableCall, project: ProjectNames | undefined) {
  const assistant = findAssistant(course.assistant, project)?.name
  const notes = new Map<string, DraftNote>()
  if (assistant === undefined) notes.set('', { code: 'unknown-assistant', ...course.assistant })
  const tools = collectTools(course, project, notes)
  const turns = splitTurns(course.steps)
  const last = turns.length - 1
  const proposals: Proposal[] = turns.flatMap(({ steps }, turn) => [
    ...proposePhrases(steps).map(value => ({ turn, kind: 'says' as const, value })),
    ...proposeCalls(listTools(steps), tools.nameOf).map(value => ({ turn, kind: 'calls' as const, value })),
  ])
  if (course.endedBy !== undefined) {
    const turn = course.endedBy === 'user' ? undefined : last
    proposals.push({ turn, kind: 'ends', value: course.endedBy })
  }
  for (const value of proposeCalls(course.unplacedTools, tools.nameOf, true))
    proposals.push({ turn: undefined, kind: 'calls', value })
  const analysis = proposeAnalysis(course.analysis)
  if (analysis !== undefined) proposals.push({ turn: undefined, kind: 'analysis', value: analysis })
  const interruptions = turns.filter(({ line }) => line?.startsWith('/interrupt ')).length
  proposals.push({ turn: undefined, kind: 'interruptions', value: interruptions })
  return {
    assistant,
    at: course.at,
    variables: mapValues(course.variables, value => escapeText(value)),
    /** Canned results by tool, as in a test file. */
    tools: tools.answers,
    /** Caller line; undefined for the welcome. */
    turns: turns.map(({ line }) => ({ line: line === undefined ? undefined : escapeText(line) })),
    proposals,
    notes: [...notes.values()],
  }
}

/** Selects the proposals of the given kinds. If there are none, selects the first of any kind, because a test needs an expectation. */
export function selectActive(
  { proposals }: TestDraft,
  kinds: readonly ExpectationKind[],
): ReadonlySet<Proposal> {
  const selectedProposals = proposals.filter(({ kind }) => kinds.includes(kind))
  if (selectedProposals.length > 0) return new Set(selectedProposals)
  const first = proposals.find(({ kind }) => kind === 'says') ?? proposals[0]
  return new Set(proposals.filter(({ kind, turn }) => kind === first?.kind && turn === first.turn))
}

/** Splits steps into turns. The first is the welcome, omitted if empty. */
export function splitTurns(steps: readonly ReplayStep[]) {
  const turns: { readonly line: string | undefined; readonly steps: ReplayStep[] }[] = [
    { line: undefined, steps: [] },
  ]
  for (const step of steps) {
    if (step.kind === 'caller') turns.push({ line: step.line, steps: [] })
    else turns.at(-1)?.steps.push(step)
  }
  return turns.filter(turn => turn.line !== undefined || turn.steps.length > 0)
}

/** Returns a text or a list of texts, or nothing if no phrase is distinctive. */
function proposePhrases(steps: readonly ReplayStep[]): (string | string[])[] {
  const parts = steps.flatMap(step => {
    const part = step.kind === 'said' ? findDistinctivePhrase(step.text) : undefined
    return part === undefined ? [] : [escapeText(part)]
  })
  const [first, ...more] = new Set(parts)
  if (first === undefined) return []
  return [more.length === 0 ? first : [first, ...more]]
}

const predefined: ReadonlySet<string> = new Set(Object.values(predefinedToolNames))

type UsedTool = Extract<ReplayStep, { kind: 'tool' }>['tool']

function listTools(steps: readonly ReplayStep[]): UsedTool[] {
  return steps.flatMap(step => (step.kind === 'tool' ? [step.tool] : []))
}

/** Maps tools to their arguments. Returns a list if a tool is used twice or `inOrder` is set, because only a list keeps the order. */
function proposeCalls(
  used: readonly UsedTool[],
  nameOf: (tool: UsedTool) => string | undefined,
  inOrder = false,
): (Record<string, unknown> | Record<string, unknown>[])[] {
  const calls = used.flatMap(tool => {
    const name = nameOf(tool)
    return name === undefined ? [] : [[name, toArgumentsMatcher(tool.arguments)] as const]
  })
  if (calls.length === 0) return []
  const isMap = !inOrder && new Set(calls.map(([name]) => name)).size === calls.length
  return [isMap ? Object.fromEntries(calls) : calls.map(([name, args]) => ({ [name]: args }))]
}

/** Below the limits of test files and of the YAML parser. */
const maxLevels = 30

function toArgumentsMatcher(args: unknown): unknown {
  if (!isObject(args) || Object.keys(args).length === 0 || !nestsAtMost(args, maxLevels)) return 'any'
  return toMatcher(args)
}

/** Skips texts that a test would interpret as a pattern or a comparison. */
function toMatcher(value: unknown): unknown {
  if (typeof value === 'string')
    return isPlainText(escapeText(value)) && replaceControls(value) === value ? escapeText(value) : 'any'
  if (Array.isArray(value)) return value.map(toMatcher)
  return isObject(value) ? mapFields(value, toMatcher) : value
}

function mapFields(value: Readonly<Record<string, unknown>>, mapField: (value: unknown) => unknown) {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      name === '__proto__' ? [] : [[escapeText(name), mapField(field)]],
    ),
  )
}

function collectTools(
  { steps, unplacedTools }: ReplayableCall,
  project: ProjectNames | undefined,
  notes: Map<string, DraftNote>,
) {
  const answers = new Map<string, Record<string, unknown>[]>()
  const nameOf = ({ name }: UsedTool): string | undefined => {
    if (predefined.has(name)) return undefined
    if (project === undefined) return name === '__proto__' ? undefined : name
    return project.tools.find(tool => tool.functionNames.includes(name) || tool.name === name)?.name
  }
  const note = (code: 'unknown-tool' | 'unknown-answer', name: string) =>
    notes.set(`${code} ${name}`, { code, name })
  for (const tool of [...listTools(steps), ...unplacedTools]) {
    const { result } = tool
    if (predefined.has(tool.name) || (result !== undefined && 'simulated' in result)) continue
    const name = nameOf(tool)
    if (name === undefined) {
      note('unknown-tool', tool.name)
      continue
    }
    const isKnown = result !== undefined && nestsAtMost(result, maxLevels)
    if (!isKnown) note('unknown-answer', name)
    // The event's sender got this response; the tool's server may have sent another.
    const answer = isKnown ? result : { returns: acceptedResponse }
    answers.set(name, [...(answers.get(name) ?? []), mapFields(answer, escapeValue)])
  }
  // The last result repeats, so a list of equal ones is redundant.
  for (const [name, list] of answers)
    if (new Set(list.map(answer => JSON.stringify(answer))).size === 1) answers.set(name, list.slice(0, 1))
  return { answers: Object.fromEntries(answers), nameOf }
}

/** Expects at least the same success and equal data. Summaries differ each time. */
function proposeAnalysis(analysis: ReplayableCall['analysis']): Record<string, unknown> | undefined {
  if (analysis === undefined) return undefined
  const { successEvaluation: success, structuredData: data } = analysis
  const expected: Record<string, unknown> = {}
  if (typeof success !== 'object' && /^\d+(\.\d+)?$/.test(String(success)))
    expected.successEvaluation = `>= ${success}`
  else if (typeof success === 'string' && success !== '') expected.successEvaluation = toMatcher(success)
  if (isObject(data) && Object.keys(data).length > 0 && nestsAtMost(data, maxLevels))
    expected.structuredData = toMatcher(data)
  return Object.keys(expected).length === 0 ? undefined : expected
}

/** Escapes references and placeholders, which speech may contain, and control characters, which a terminal may interpret. */
export function escapeText(text: string): string {
  return replaceControls(text).replaceAll('${', '$$${').replaceAll('{{', '{ {')
}

function replaceControls(text: string): string {
  return text.toWellFormed().replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

function escapeValue(value: unknown): unknown {
  if (typeof value === 'string') return escapeText(value)
  if (Array.isArray(value)) return value.map(escapeValue)
  return isObject(value) ? mapFields(value, escapeValue) : value
}
