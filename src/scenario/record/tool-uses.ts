import { isObject, parseJson, printable, stringifyJson } from '../../lib/json.ts'
import type { TranscribedEvent } from '../../recordings/index.ts'

type Fields = Readonly<Record<string, unknown>>

/** A tool that was used in a recorded call, as far as an event shows it. */
export interface RecordedTool {
  readonly name: string
  /** An object where JSON was sent for one. */
  readonly arguments: unknown
  /** What its server answered; undefined where no event shows that. */
  readonly answer:
    | { readonly returns: unknown }
    | { readonly fails: string }
    /** The sandbox answered in its place, and does so again. */
    | { readonly simulated: true }
    | undefined
  /** How many messages of the call were there before it; undefined for one that is known by the end of the call alone. */
  readonly after: number | undefined
}

/** The tools of one call, from the events that show any: interface.md 6 has no type for them (decision 0053). */
export function createToolUses() {
  const uses = new Map<string, RecordedTool>()
  /** One without an id is the same in the same place, `where`. */
  const take = (item: Fields, isResult: boolean, where: number | string, after: number | undefined) => {
    const { id, name, arguments: given, answer } = read(item, isResult)
    const key = id === undefined ? stringifyJson([where, name, given]) : `id ${id}`
    const known = uses.get(key)
    if (known !== undefined)
      uses.set(key, { ...known, arguments: known.arguments ?? given, answer: answer ?? known.answer })
    // The result of one that is not known has no name.
    else if (name !== undefined) uses.set(key, { name, arguments: given, answer, after })
  }
  return {
    /** In the order in which they were first seen. */
    all: () => [...uses.values()],
    add({ event, heardBefore }: TranscribedEvent): void {
      const message = isObject(event.body.message) ? event.body.message : event.body
      const isResult = /result|response|output/i.test(event.type)
      for (const item of itemsIn(message)) take(item, isResult, heardBefore, heardBefore)
      // What is listed again with each event, or at the end alone, does not say when it was.
      for (const [index, item] of itemsIn(event.call).entries())
        take(item, false, `call ${index}`, event.ended ? undefined : heardBefore)
      for (const { item, index, heard } of newItemsOf(event.messages, heardBefore)) {
        const where = `message ${index}`
        for (const each of itemsIn(item)) take(each, false, where, heard)
        if (typeof item.role === 'string' && toolRole.test(item.role)) take(item, true, where, heard)
      }
    },
  }
}

/**
 * The items of an update that the one before did not have, and the last few of those that it had: an update carries all that was
 * said so far (interface.md 6). `heard` is how many messages of the call stand before the item.
 */
export function* newItemsOf(
  items: readonly unknown[] = [],
  heardBefore: number,
): Generator<{ readonly item: Fields; readonly index: number; readonly heard: number }> {
  // One that is shorter carries what is new alone.
  const isWhole = items.length >= heardBefore
  const first = isWhole ? Math.max(0, heardBefore - seenAgain) : 0
  let heard = isWhole ? 0 : heardBefore
  for (const [index, item] of items.entries()) {
    if (!isObject(item)) continue
    if (index >= first) yield { item, index, heard }
    if (typeof item.text === 'string' || typeof item.text === 'number') heard += 1
  }
}

/** A message is marked as cut off when the next one is there, a tool's answer comes after its call. */
const seenAgain = 4

const toolRole = /^(tool|function)([-_ ]?(call|result|response|use))?s?$/i

/** One, or a list of them. */
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

/** Most events and messages have none. */
function itemsIn(fields: Fields): readonly Fields[] {
  const names = toolFields.filter(name => fields[name] !== undefined)
  return names.flatMap(name => [fields[name]].flat().filter(isObject))
}

const idNames = ['id', 'toolCallId', 'tool_call_id', 'callId'] as const
const nameNames = ['name', 'toolName', 'tool_name', 'functionName', 'tool', 'function'] as const
const argumentNames = ['arguments', 'args', 'parameters', 'params', 'input'] as const
const resultNames = ['result', 'returns', 'response', 'output', 'answer', 'content'] as const
const failureNames = ['failure', 'error'] as const

function read(item: Fields, isResult: boolean) {
  const fields = isObject(item.function) ? { ...item, ...item.function } : item
  const id = idNames.map(name => textOf(item[name])).find(isPresent)
  const name = nameNames.map(each => textOf(fields[each])).find(isPresent)
  const given = argumentNames.map(each => fields[each]).find(isPresent)
  return { id, name, arguments: fromJson(given), answer: answerOf(item, isResult) }
}

function answerOf(item: Fields, isResult: boolean): RecordedTool['answer'] {
  if (item.simulated === true) return { simulated: true }
  const failure = failureNames.map(name => item[name]).find(isPresent)
  if (failure !== undefined && failure !== false && failure !== '')
    return { fails: typeof failure === 'string' ? failure : stringifyJson(printable(failure)) }
  const names = isResult ? ([...resultNames, 'text'] as const) : resultNames
  const result = names.map(name => item[name]).find(isPresent)
  return result === undefined ? undefined : { returns: fromJson(result) }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isPresent<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null
}

/** Models write arguments as JSON in a text, and so do servers. */
function fromJson(value: unknown): unknown {
  const parsed = typeof value === 'string' && /^\s*[[{]/.test(value) ? parseJson(value) : undefined
  return printable(parsed ?? value)
}
