import { type CallKey, type CallTranscript, getCallKey } from '../../events/conversation/index.ts'
import { type RecordingItem, readTranscripts, type Transcripts } from '../../events/recordings/index.ts'
import { variablePlaceholder } from '../../interface/variables.ts'
import { toolEventTypes } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { createToolCollector, iterateNewItems, type RecordedTool, type ToolEvent } from './tool-uses.ts'

/** A recorded call: its transcript, and other facts from its events. */
export interface RecordedCall extends CallFacts {
  readonly transcript: CallTranscript
}

/** Facts from the events of a call beside its transcript. */
interface CallFacts {
  readonly tools: readonly RecordedTool[]
  /** True if the events would contain a tool that was used. */
  readonly tellsTools: boolean
  /** Variables in the events; those of the assistant may belong to another call. */
  readonly variables: Record<'ofAssistant' | 'ofCall', Record<string, string>>
  /** assistantOverrides of the call, if its events contain them (interface.md 4.1). */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Assistant texts that contain variables. */
  readonly templates: readonly string[]
  /** Idle timeout of the assistant in seconds; undefined if no event contains it. */
  readonly idleTimeout: number | undefined
  /** Ids of messages that the events mark as interrupted. */
  readonly cutOff: ReadonlySet<string>
}

export interface RecordedCalls extends Omit<Transcripts, 'calls'> {
  readonly calls: readonly (RecordedCall & { readonly key: CallKey })[]
}

/**
 * Reads the calls of a recording, or those in `only`, by first event. `onCall` is called at the first event of each. Memory grows with the
 * number of distinct messages.
 */
export async function readRecordedCalls(
  recording: AsyncIterable<RecordingItem>,
  only?: ReadonlySet<CallKey>,
  onCall?: (key: CallKey) => void,
): Promise<RecordedCalls> {
  const notes = new Map<CallKey, CallCollector>()
  const { calls, ...rest } = await readTranscripts(recording, {
    only,
    // Tests do not need unread parts, which are as large as the events.
    maxUnread: 0,
    onEvent(event) {
      const ofCall = notes.get(event.key) ?? createCallCollector()
      if (!notes.has(event.key)) onCall?.(event.key)
      notes.set(event.key, ofCall)
      ofCall.add(event)
    },
  })
  return {
    ...rest,
    calls: calls.map(transcript => {
      const { callId, conversation } = transcript
      const key = getCallKey({ callId, ...(conversation === null ? {} : { conversation }) })
      return { key, transcript, ...(notes.get(key) ?? createCallCollector()).all() }
    }),
  }
}

export type CallCollector = ReturnType<typeof createCallCollector>

export function createCallCollector() {
  const tools = createToolCollector()
  const variables: CallFacts['variables'] = { ofAssistant: {}, ofCall: {} }
  const templates = new Set<string>()
  const cutOff = new Set<string>()
  let idleTimeout: number | undefined
  let tellsTools = false
  let overrides: CallFacts['overrides'] = {}
  return {
    add(toolEvent: ToolEvent): void {
      const { event } = toolEvent
      const { assistant, call } = event
      tools.add(toolEvent)
      tellsTools ||= call.toolCalls !== undefined || hasNoTools(assistant) || isToldOfTools(assistant)
      readVariables(assistant, variables.ofAssistant)
      const message = isObject(event.body.message) ? event.body.message : event.body
      for (const fields of [message, call]) {
        readVariables(fields, variables.ofCall)
        if (isObject(fields.assistantOverrides)) overrides = { ...overrides, ...fields.assistantOverrides }
      }
      for (const name of templateNames) {
        const text = assistant[name]
        if (typeof text === 'string' && text.includes('{{')) templates.add(text)
      }
      if (typeof assistant.idleTimeout === 'number') idleTimeout = assistant.idleTimeout
      if (event.messages === undefined) return
      for (const { item } of iterateNewItems(event.messages, toolEvent.heardBefore))
        if (item.interrupted === true) cutOff.add(String(item.messageId))
    },
    all: (): CallFacts => ({
      ...{ tools: tools.all(), tellsTools, variables, overrides, idleTimeout, cutOff },
      templates: [...templates],
    }),
  }
}

/** True for a whole record of an assistant (interface.md 2.1) without function tools, the only ones that speak while they run. */
function hasNoTools({ assistantToolIds: ids, assistantModel }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(ids) ? ids.length === 0 : ids === undefined && assistantModel !== undefined
}

/** True if the assistant's events include those of its tools. */
function isToldOfTools({ assistantServer }: Readonly<Record<string, unknown>>): boolean {
  const messages = isObject(assistantServer) ? assistantServer.messages : undefined
  return Array.isArray(messages) && toolEventTypes.every(type => messages.includes(type))
}

/** Spoken assistant fields that may contain variables (interface.md 2.1). */
const templateNames = ['welcomeMessage', 'endCallMessage'] as const

/** Reads dynamic variables (interface.md 2.6) into `values`; a deployment may put them next to the overrides. */
function readVariables(fields: Readonly<Record<string, unknown>>, values: Record<string, string>): void {
  const { assistantOverrides: overrides, dynamicVariables } = fields
  // Most events have neither.
  if (dynamicVariables !== undefined) Object.assign(values, toTexts(dynamicVariables))
  if (isObject(overrides)) Object.assign(values, toTexts(overrides.dynamicVariables))
}

function toTexts(values: unknown): Record<string, string> {
  if (!isObject(values)) return {}
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      name !== '__proto__' && ['string', 'number', 'boolean'].includes(typeof value)
        ? [[name, String(value)]]
        : [],
    ),
  )
}

/** Infers variables from speech, because recordings often lack overrides: `Hello {{name}}, …` and `Hello Ada, …` give Ada. */
export function inferVariables(
  templates: readonly string[],
  spokenTexts: readonly string[],
): Record<string, string> {
  const variables = new Map<string, string>()
  for (const template of templates) {
    const parts = template.replace(/\s+/g, ' ').trim().split(variablePlaceholder)
    for (const text of spokenTexts) {
      const values = matchTemplate(parts, text)
      if (values === undefined) continue
      for (const [name, value] of values) if (!variables.has(name)) variables.set(name, value)
      break
    }
  }
  return Object.fromEntries(variables)
}

/** Matches a text against alternating literals and variable names. Returns undefined if it does not match. */
function matchTemplate(parts: readonly string[], text: string): Map<string, string> | undefined {
  const values = new Map<string, string>()
  const [first = ''] = parts
  if (!text.startsWith(first)) return undefined
  let end = first.length
  for (let index = 1; index < parts.length; index += 2) {
    const [name = '', next = ''] = parts.slice(index, index + 2)
    const isLast = index + 2 >= parts.length
    // Adjacent variables cannot be separated.
    if (next === '' && !isLast) return undefined
    const at = isLast ? text.length - next.length : text.indexOf(next, end)
    if (at < end || !text.startsWith(next, at)) return undefined
    const value = text.slice(end, at)
    if (value.trim() === '' || value.length > maxLength || (values.get(name) ?? value) !== value)
      return undefined
    values.set(name, value)
    end = at + next.length
  }
  return end === text.length ? values : undefined
}

const maxLength = 200
