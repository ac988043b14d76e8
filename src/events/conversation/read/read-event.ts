import { isObject, parseJson } from '../../../lib/json.ts'
import { findEventKind } from './event-kinds.ts'
import { type Fields, hasEnded, is, readTextValue, readTime, withExactNumbers } from './event-values.ts'

/** An event of interface.md 6 as everything reads it, in one form for all that its fields came in. */
export interface ReadEvent {
  /** The body as it came. */
  readonly body: Fields
  /** `unknown` if `message.type` is not a string. */
  readonly type: string
  /** null for an event that names no call. */
  readonly callId: string | null
  /** Fields of interface.md 2.9; empty without a call. */
  readonly call: Fields
  readonly customer: Fields
  readonly assistant: Fields
  /** Raw value as text; undefined if missing. */
  readonly status: string | undefined
  /** Result of `hasEnded`. */
  readonly ended: boolean
  readonly messages: readonly unknown[] | undefined
  /** Value next to the call (interface.md 6), or inside it (interface.md 2.9); undefined if both are missing. */
  readonly analysis: unknown
  /** Invalid parts with their paths: `call.status is an object`. */
  readonly odd: readonly string[]
  /**
   * Present if the messages continue those of an earlier event: that event, and the number of leading messages that are unchanged and
   * can be skipped.
   */
  readonly growth?: {
    readonly token: object
    readonly before: object | undefined
    readonly unchanged: number
  }
}

/** Parses a body; returns a message for a body that is not a JSON object. Never throws. */
export function parseEvent(text: string): ReadEvent | string {
  const body = parseJson(text)
  if (body === undefined) return 'the body is not JSON'
  if (!isObject(body)) return 'the body is not a JSON object'
  if (!hasLargeNumber(getEventMessage(body))) return readEvent(body)
  const exact = parseJson(withExactNumbers(text))
  return isObject(exact) ? { ...readEvent(exact), body } : readEvent(body)
}

/**
 * Reads what can be read of a JSON object; never throws. A number is taken for the text that it should be, a call, customer or
 * assistant that is a text for its id or number.
 */
export function readEvent(body: Fields): ReadEvent {
  const odd: string[] = []
  const message = getEventMessage(body)
  if (message !== body.message) odd.push(`message ${is(body.message)}`)
  const type = typeof message.type === 'string' && message.type !== '' ? message.type : undefined
  if (type === undefined && message !== nothing) odd.push(`type ${is(message.type)}`)
  const call = fieldsOf(message.call, 'call', 'id', odd)
  const customer = fieldsOf(message.customer, 'customer', 'number', odd)
  const assistant = fieldsOf(message.assistant, 'assistant', '_id', odd)
  const callId = fieldOf(call, 'call', 'id', odd) ?? null
  const status = fieldOf(call, 'call', 'status', odd)
  const messages = messagesOf(message.messages, odd)
  const event: ReadEvent = {
    body,
    type: type ?? 'unknown',
    callId,
    call,
    customer,
    assistant,
    status,
    ended: hasEnded({ type: type ?? 'unknown', status, call }),
    messages,
    analysis: hasResults(message.analysis)
      ? message.analysis
      : hasResults(call.analysis)
        ? call.analysis
        : undefined,
    odd,
  }
  if (customer !== nothing) {
    fieldOf(customer, 'customer', 'number', odd)
    fieldOf(customer, 'customer', 'name', odd)
  }
  const problems = odd.length === 0 ? findEventKind(event.type)?.read(message) : undefined
  if (problems !== undefined) odd.push(problems)
  return event
}

/** The fields of an event may be in the body itself. */
export function getEventMessage(body: Fields): Fields {
  if (isObject(body.message)) return body.message
  return body.message === undefined && typeof body.type === 'string' ? body : nothing
}

/** One item of `messages` (interface.md 2.9). */
export interface ReadMessage {
  readonly messageId: string | undefined
  readonly role: string
  readonly text: string
  /** ISO 8601, or the original value if it is not a time. */
  readonly timestamp: string | undefined
}

/** An item that has a text is a message, even if all else is missing. */
export function readMessage(item: unknown): ReadMessage | undefined {
  if (!isObject(item)) return undefined
  const { text } = item
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  return {
    messageId: readTextValue(item.messageId),
    role: readTextValue(item.role) ?? 'unknown',
    text: String(text),
    timestamp: readTime(item.timestamp),
  }
}

const nothing: Fields = Object.freeze({})

function fieldsOf(value: unknown, path: string, main: string, odd: string[]): Fields {
  if (isObject(value)) return value
  if (!isSaid(value)) return nothing
  const text = readTextValue(value)
  if (text !== undefined) return { [main]: text }
  odd.push(`${path} ${is(value)}`)
  return nothing
}

function fieldOf(fields: Fields, path: string, name: string, odd: string[]): string | undefined {
  const value = fields[name]
  const text = readTextValue(value)
  if (text === undefined && isSaid(value)) odd.push(`${path}.${name} ${is(value)}`)
  return text
}

/** Accepts a single message without a list. */
function messagesOf(value: unknown, odd: string[]): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (readMessage(value) !== undefined) return [value]
  if (isSaid(value)) odd.push(`messages ${is(value)}`)
  return undefined
}

function isSaid(value: unknown): boolean {
  return isPresent(value) && value !== ''
}

/** An empty analysis says nothing yet. */
function hasResults(analysis: unknown): boolean {
  return isObject(analysis) ? Object.values(analysis).some(isPresent) : isSaid(analysis)
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** True if JSON.parse has rounded an id or number. */
export function hasLargeNumber(message: Fields): boolean {
  const { call, customer, messages } = message
  if (isLarge(call) || isLarge(customer)) return true
  if (isObject(call) && idsOfCall.some(name => isLarge(call[name]))) return true
  if (isObject(customer) && isLarge(customer.number)) return true
  if (!Array.isArray(messages)) return false
  // The ids of one call are of one type: where neither end has a number, looking at each costs more than it finds.
  const hasNumbers = typeof idOf(messages[0]) === 'number' || typeof idOf(messages.at(-1)) === 'number'
  return hasNumbers && messages.some(item => isLarge(idOf(item)))
}

function idOf(item: unknown): unknown {
  return isObject(item) ? item.messageId : undefined
}

const idsOfCall = ['id', 'userNumber', 'assistantNumber', 'teamId', 'assistantId']

function isLarge(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}
