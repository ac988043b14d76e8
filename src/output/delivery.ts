import { isObject } from '../interface/is-object.ts'
import { excerpt, hang, inColumns } from './layout.ts'
import { dim, green, join, red, type Text, text } from './text.ts'

/** An event by what a person tells it by. */
export interface DescribedEvent {
  readonly type: string
  readonly callId: string | null
  /** Of the call. */
  readonly callStatus: string | null
  /** How many it carries; null where it carries no conversation. */
  readonly messages: number | null
}

/** One event that was sent, and the answer to it: a status, or why there is none. */
export interface DescribedDelivery extends DescribedEvent {
  readonly kind: 'delivery'
  readonly sent: unknown
  readonly milliseconds: number
  readonly status?: number
  readonly body?: string
  readonly acknowledged?: boolean
  readonly failure?: string
}

export function describeEvent(message: Readonly<Record<string, unknown>>): DescribedEvent {
  const call = isObject(message.call) ? message.call : {}
  return {
    type: typeof message.type === 'string' ? message.type : '',
    callId: typeof call.id === 'string' ? call.id : null,
    callStatus: typeof call.status === 'string' ? call.status : null,
    messages: Array.isArray(message.messages) ? message.messages.length : null,
  }
}

/** One line, and the answer below it unless it is the one that the interface asks for. Width in columns. */
export function renderDelivery(delivery: DescribedDelivery, width: number): Text {
  const { type, callStatus, messages, status, milliseconds, body = '', acknowledged, failure } = delivery
  const facts = [
    ...(callStatus === null ? [] : [callStatus]),
    ...(messages === null ? [] : [`${messages} ${messages === 1 ? 'message' : 'messages'}`]),
  ].join(' · ')
  const good = status !== undefined && status >= 200 && status <= 299
  const answer = status === undefined ? red('no answer') : (good ? green : red)(String(status))
  const line = text`${inColumns(type, typeWidth)}  ${dim(inColumns(facts, factsWidth))}  ${answer}  ${dim(`${milliseconds} ms`)}`
  const below = failure ?? (acknowledged === true ? '' : body.trim())
  return below === '' ? line : join([line, hang('  ', 2, excerpt(below), width, dim)], '\n')
}

const typeWidth = 'conversation-update'.length
const factsWidth = 'ongoing · 999 messages'.length
