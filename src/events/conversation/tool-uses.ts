import { isObject, parseJson, printable, stringifyJson } from '../../lib/json.ts'
import { readDateTime } from '../../lib/text/date-time.ts'
import type { ReadEvent } from './read/read-event.ts'

type Fields = Readonly<Record<string, unknown>>

/** Use of a tool, as far as the events of a call contain it. */
export interface RecordedTool {
  readonly name: string
  /** Parsed if it was sent as JSON text. */
  readonly arguments: unknown
  /** Result from the tool's server; undefined if no event contains it. */
  readonly result:
    | { readonly returns: unknown }
    | { readonly fails: string }
    /** Simulated by the sandbox, which will do so again. */
    | { readonly simulated: true }
    | undefined
  /** Number of messages before it; undefined if it is known only from the end of the call. */
  readonly after: number | undefined
  /** Start, ISO 8601: its own time, or else the arrival of its event. */
  readonly from: string
  /** Time of its result, likewise; undefined if no later event contains it. */
  readonly until: string | undefined
  /** When the assistant could go on: an asynchronous tool accepts before its result. Undefined if no event tells. */
  readonly respondedAt: string | undefined
}

/** An event of the call with the tools that it mentions. */
export interface ToolEvent {
  readonly event: ReadEvent
  /** Messages of the call before it. */
  readonly heardBefore: number
  /** When it arrived, ISO 8601. */
  readonly at: string
}

interface UseOrigin {
  readonly where: number | string
  readonly after: number | undefined
  readonly at: string
}

/** Collects the tools of one call from events of any shape, because interface.md 6 has no event type for them (docs/interface-decisions.md). */
export function createToolCollector() {
  const uses = new Map<string, RecordedTool>()
  /** Uses without an id are identified by their position `where`. */
  const addUse = (item: Fields, isResult: boolean, { where, after, at }: UseOrigin) => {
    const { id, name, arguments: args, result } = read(item, isResult)
    const key = id === undefined ? stringifyJson([where, name, args]) : `id ${id}`
    const knownUse = uses.get(key)
    const from = readTime(item.startedAt)
    const until = readTime(item.endedAt)
    const acceptedAt = readTime(item.acceptedAt)
    if (knownUse !== undefined) {
      const isNews = knownUse.result === undefined && result !== undefined
      const arrived = isNews && after !== undefined ? at : undefined
      uses.set(key, {
        ...knownUse,
        arguments: knownUse.arguments ?? args,
        result: result ?? knownUse.result,
        from: from ?? knownUse.from,
        until: until ?? knownUse.until ?? (isNews ? at : undefined),
        respondedAt: acceptedAt ?? knownUse.respondedAt ?? until ?? arrived,
      })
    }
    // A result without a known use has no name.
    else if (name !== undefined) {
      const respondedAt = acceptedAt ?? until
      uses.set(key, { name, arguments: args, result, after, from: from ?? at, until, respondedAt })
    }
  }
  return {
    /** Returns the uses, sorted by when each was first seen. */
    all: () => [...uses.values()],
    add({ event, heardBefore, at }: ToolEvent): void {
      const message = isObject(event.body.message) ? event.body.message : event.body
      for (const item of findToolItems(message))
        addUse(item, resultType.test(event.type), { where: heardBefore, after: heardBefore, at })
      // Lists that repeat in each event, or come only at the end, do not tell when a tool was used.
      for (const [index, item] of findToolItems(event.call).entries())
        addUse(item, false, { where: `call ${index}`, after: event.ended ? undefined : heardBefore, at })
      if (event.messages === undefined) return
      for (const { item, index, heard } of iterateNewItems(event.messages, heardBefore)) {
        const origin = { where: `message ${index}`, after: heard, at }
        for (const toolItem of findToolItems(item)) addUse(toolItem, false, origin)
        if (typeof item.role === 'string' && toolRole.test(item.role)) addUse(item, true, origin)
      }
    },
  }
}

/** Yields the new items of an update and the last few old ones, because an update contains all messages so far (interface.md 6). */
export function* iterateNewItems(
  items: readonly unknown[] = [],
  heardBefore: number,
): Generator<{ readonly item: Fields; readonly index: number; readonly heard: number }> {
  // A shorter update contains only new items.
  const isWhole = items.length >= heardBefore
  const first = isWhole ? Math.max(0, heardBefore - seenAgain) : 0
  let heard = isWhole ? 0 : heardBefore
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) continue
    if (index >= first) yield { item, index, heard }
    if (typeof item.text === 'string' || typeof item.text === 'number') heard += 1
  }
}

/** Old items can change: a message is marked as interrupted when the next one arrives, and a tool's result follows its call. */
const seenAgain = 4

const resultType = /result|response|output/i

const toolRole = /^(tool|function)([-_ ]?(call|result|response|use))?s?$/i

/** Fields with one tool use or a list. */
const toolFields = [
  'toolCall',
  'tool_call',
  'functionCall',
  'function_call',
  'toolResult',
  'tool_result',
  'toolCalls',
  'tool_calls',
  'toolCallList',
  'functionCalls',
  'toolResults',
  'tool_results',
] as const

function findToolItems(fields: Fields): readonly Fields[] {
  // Most events mention none.
  const names = toolFields.filter(name => fields[name] !== undefined)
  return names.length === 0 ? noItems : names.flatMap(name => [fields[name]].flat().filter(isObject))
}

const noItems: readonly Fields[] = []

const idNames = ['id', 'toolCallId', 'tool_call_id', 'callId'] as const
const nameNames = ['name', 'toolName', 'tool_name', 'functionName', 'tool', 'function'] as const
const argumentNames = ['arguments', 'args', 'parameters', 'params', 'input'] as const
const resultNames = ['result', 'returns', 'response', 'output', 'answer', 'content'] as const
const failureNames = ['failure', 'error'] as const

function read(item: Fields, isResult: boolean) {
  const fields = isObject(item.function) ? { ...item, ...item.function } : item
  const id = idNames.map(name => textOf(item[name])).find(isPresent)
  const name = nameNames.map(candidate => textOf(fields[candidate])).find(isPresent)
  const argumentsValue = argumentNames.map(candidate => fields[candidate]).find(isPresent)
  return { id, name, arguments: parseIfJson(argumentsValue), result: parseResult(item, isResult) }
}

function parseResult(item: Fields, isResult: boolean): RecordedTool['result'] {
  if (item.simulated === true) return { simulated: true }
  const failure = failureNames.map(name => item[name]).find(isPresent)
  if (failure !== undefined && failure !== false && failure !== '')
    return { fails: typeof failure === 'string' ? failure : stringifyJson(printable(failure)) }
  const names = isResult ? ([...resultNames, 'text'] as const) : resultNames
  const result = names.map(name => item[name]).find(isPresent)
  return result === undefined ? undefined : { returns: parseIfJson(result) }
}

function readTime(value: unknown): string | undefined {
  return typeof value === 'string' && readDateTime(value) !== undefined ? value : undefined
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isPresent<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null
}

/** Parses JSON in text, which models and servers send. */
function parseIfJson(value: unknown): unknown {
  const parsed = typeof value === 'string' && /^\s*[[{]/.test(value) ? parseJson(value) : undefined
  return printable(parsed ?? value)
}
