import { type CallKey, type CallTranscript, callKeyOf } from '../../conversation/index.ts'
import { isObject } from '../../lib/json.ts'
import {
  type RecordingItem,
  readTranscripts,
  type TranscribedEvent,
  type Transcripts,
} from '../../recordings/index.ts'
import { createToolUses, newItemsOf } from './tool-uses.ts'

/** One call of a recording: what was said in it, and what else its events show of it. */
export interface RecordedCall extends ReturnType<ReturnType<typeof createCallNotes>['all']> {
  readonly transcript: CallTranscript
}

export interface RecordedCalls extends Omit<Transcripts, 'calls'> {
  readonly calls: readonly RecordedCall[]
}

/**
 * Reads the calls of a recording, or those with keys in `only`, in the order of their first event. Memory grows with the messages,
 * not with how often they were sent.
 */
export async function readRecordedCalls(
  recording: AsyncIterable<RecordingItem>,
  only?: ReadonlySet<CallKey>,
): Promise<RecordedCalls> {
  const notes = new Map<CallKey, ReturnType<typeof createCallNotes>>()
  const { calls, ...rest } = await readTranscripts(recording, {
    only,
    // Not needed for tests, and as large as the events.
    maxUnread: 0,
    onEvent(event) {
      const ofCall = notes.get(event.key) ?? createCallNotes()
      notes.set(event.key, ofCall)
      ofCall.add(event)
    },
  })
  return {
    ...rest,
    calls: calls.map(transcript => {
      const { callId, conversation } = transcript
      const key = callKeyOf({ callId, ...(conversation === null ? {} : { conversation }) })
      return { transcript, ...(notes.get(key) ?? createCallNotes()).all() }
    }),
  }
}

function createCallNotes() {
  const tools = createToolUses()
  const variables: Record<'ofAssistant' | 'ofCall', Record<string, string>> = { ofAssistant: {}, ofCall: {} }
  const templates = new Set<string>()
  const cutOff = new Set<string>()
  let idleTimeout: number | undefined
  return {
    add(seen: TranscribedEvent): void {
      const { event } = seen
      const { assistant, call } = event
      tools.add(seen)
      Object.assign(variables.ofAssistant, variablesIn(assistant))
      const message = isObject(event.body.message) ? event.body.message : event.body
      for (const fields of [message, call]) Object.assign(variables.ofCall, variablesIn(fields))
      for (const name of templateNames) {
        const text = assistant[name]
        if (typeof text === 'string' && text.includes('{{')) templates.add(text)
      }
      if (typeof assistant.idleTimeout === 'number') idleTimeout = assistant.idleTimeout
      for (const { item } of newItemsOf(event.messages, seen.heardBefore))
        if (item.interrupted === true) cutOff.add(String(item.messageId))
    },
    all: () => ({
      tools: tools.all(),
      /** That the events name: those of the assistant may be of another call. */
      variables,
      /** Texts of the assistant in which variables stand. */
      templates: [...templates],
      /** Seconds of silence after which the assistant asks whether the caller is there; undefined: no event says so. */
      idleTimeout,
      /** Ids of the messages that were cut off, where the events mark them. */
      cutOff,
    }),
  }
}

/** What an assistant says that variables may stand in (interface.md 2.1). */
const templateNames = ['welcomeMessage', 'endCallMessage'] as const

/** interface.md 2.6; a deployment may put them beside the overrides. */
function variablesIn(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const { assistantOverrides: overrides, dynamicVariables } = fields
  const ofOverrides = isObject(overrides) ? toTexts(overrides.dynamicVariables) : {}
  return { ...toTexts(dynamicVariables), ...ofOverrides }
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

/**
 * The values of `{{name}}` in templates, from what was said of them: `Hello {{name}}, …` and `Hello Ada, …` give Ada. A recording of the
 * service shows what was said, and often not the overrides of the call. Linear in the texts.
 */
export function inferVariables(
  templates: readonly string[],
  said: readonly string[],
): Record<string, string> {
  const found = new Map<string, string>()
  for (const template of templates) {
    const parts = template
      .replace(/\s+/g, ' ')
      .trim()
      .split(/\{\{\s*([^\s{}]+)\s*\}\}/)
    for (const text of said) {
      const values = valuesIn(parts, text)
      if (values === undefined) continue
      for (const [name, value] of values) if (!found.has(name)) found.set(name, value)
      break
    }
  }
  return Object.fromEntries(found)
}

/** `parts` are texts and, in between, names. Undefined: the text was not made of them. */
function valuesIn(parts: readonly string[], text: string): Map<string, string> | undefined {
  const values = new Map<string, string>()
  const [first = ''] = parts
  if (!text.startsWith(first)) return undefined
  let end = first.length
  for (let index = 1; index < parts.length; index += 2) {
    const [name = '', next = ''] = parts.slice(index, index + 2)
    const isLast = index + 2 >= parts.length
    // Two variables that touch cannot be told apart.
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
