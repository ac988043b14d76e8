import { toolEventTypes } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import type { CallTranscript } from './changes.ts'
import { createToolCollector, iterateNewItems, type RecordedTool, type ToolEvent } from './tool-uses.ts'

/** A recorded call: its transcript, and other facts from its events. */
export interface RecordedCall extends CallDetails {
  readonly transcript: CallTranscript
}

/** Facts from the events of a call beside its transcript. */
export interface CallDetails {
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

/** Collects the details of one call. */
export function createDetailsCollector() {
  const tools = createToolCollector()
  const variables: CallDetails['variables'] = { ofAssistant: {}, ofCall: {} }
  const templates = new Set<string>()
  const cutOff = new Set<string>()
  let idleTimeout: number | undefined
  let tellsTools = false
  let overrides: CallDetails['overrides'] = {}
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
    all: (): CallDetails => ({
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
