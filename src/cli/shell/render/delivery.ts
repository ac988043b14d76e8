import type * as z from 'zod/mini'
import { describeBody } from '../../../events/conversation/index.ts'
import type { Immutable } from '../../../lib/json.ts'
import { isObject } from '../../../lib/json.ts'
import { excerpt, hang, inColumns } from '../../../lib/text/layout.ts'
import { dim, green, join, red, type Text, text } from '../../../lib/text/text.ts'
import type { deliverySchema } from './delivery-schema.ts'

export type DescribedDelivery = Immutable<z.infer<typeof deliverySchema>>

/** Describes a body of any shape. `messages`: number of messages; null without a conversation. */
export function describeDelivery({ message: inner }: Readonly<Record<string, unknown>>) {
  const message = isObject(inner) ? inner : {}
  const call = isObject(message.call) ? message.call : {}
  return {
    type: typeof message.type === 'string' ? message.type : '',
    callId: textOf(call.id),
    callStatus: textOf(call.status),
    messages: Array.isArray(message.messages) ? message.messages.length : null,
  }
}

/** Converts a number that should have been text. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

/** Renders one line, with an unexpected response below it. Width in columns. */
export function renderDelivery(delivery: DescribedDelivery, width: number): Text {
  const { shape, type, sent, status, milliseconds, body = '', acknowledged, failure } = delivery
  const facts = describeBody(sent)
  const good = status !== undefined && status >= 200 && status <= 299
  const response = status === undefined ? red('no response') : (good ? green : red)(String(status))
  // Name an odd shape: its type and facts may be what is odd about it.
  const [name, rest] =
    shape === undefined ? [type, inColumns(facts, factsWidth)] : [shape, inColumns(type, factsWidth)]
  const line = text`${inColumns(name, nameWidth)}  ${dim(rest)}  ${response}  ${dim(`${milliseconds} ms`)}`
  const below = failure ?? (acknowledged === true ? '' : body.trim())
  return below === '' ? line : join([line, hang('  ', 2, excerpt(below), width, dim)])
}

const nameWidth = 'numeric-phone-numbers'.length
const factsWidth = 'ongoing · 999 messages'.length
