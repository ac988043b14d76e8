import { describeBody } from '../../../events/conversation/index.ts'
import type { TriggeredDelivery } from '../../../events/trigger/index.ts'
import { excerpt, hang, inColumns } from '../../../lib/text/layout.ts'
import { dim, green, join, red, type Text, text } from '../../../lib/text/text.ts'

/** Renders one line, with an unexpected response below it. Width in columns. */
export function renderDelivery(delivery: TriggeredDelivery, width: number): Text {
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
