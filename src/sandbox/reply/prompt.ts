import type { StoredCall } from '../../files/formats/control-api.ts'
import { collapseWhiteSpace } from '../../lib/text/escape.ts'
import type { HistoryItem } from '../engine/reply.ts'
import type { ChatMessage } from '../model/index.ts'

/** An earlier call with the same caller (interface.md 2.1, persistHistory). */
export interface EarlierCall {
  /** ISO 8601. */
  readonly endedAt: string
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
}

/** Characters of earlier calls in a prompt; the newest are kept. */
const maxMemoryLength = 8000
/** Characters of one line of them. */
const maxLineLength = 1000

/** Returns the messages for the model: system prompt, memories of the caller, and the conversation so far, oldest first. */
export function toChatMessages(
  systemPrompt: string,
  earlier: readonly EarlierCall[],
  history: readonly HistoryItem[],
): ChatMessage[] {
  const system = [systemPrompt.trim(), memoryOf(earlier)].filter(part => part !== '').join('\n\n')
  return [
    ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
    ...history.flatMap(toMessages),
  ]
}

function toMessages(item: HistoryItem): ChatMessage[] {
  if (item.type === 'said') return [{ role: item.role, content: item.text }]
  const { id, name, arguments: args, content } = item
  const written = typeof args === 'string' ? args : JSON.stringify(args)
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: written }] },
    { role: 'tool', toolCallId: id, content },
  ]
}

const heading = 'Earlier calls with this caller:'

/** Whole calls as long as they fit; of the newest one at least its last lines. */
function memoryOf(earlier: readonly EarlierCall[]): string {
  const recentCalls: string[] = []
  let room = maxMemoryLength - heading.length
  for (const { endedAt, messages } of earlier.toReversed()) {
    const title = `\n\nCall of ${endedAt.slice(0, 10)}:`
    const lines = lastLines(messages.map(toLine), room - title.length)
    if (lines.length === 0 || (lines.length < messages.length && recentCalls.length > 0)) break
    const call = [title, ...lines].join('\n')
    room -= call.length
    recentCalls.unshift(call)
  }
  return recentCalls.length === 0 ? '' : heading + recentCalls.join('')
}

/** One line each, so that no speaker can put words into another's mouth. */
function toLine({ role, text }: EarlierCall['messages'][number]): string {
  return `${role === 'user' ? 'caller' : 'you'}: ${collapseWhiteSpace(text).slice(0, maxLineLength)}`
}

/** Returns the last lines that fit, each with its line break. */
function lastLines(lines: readonly string[], room: number): string[] {
  const recentLines: string[] = []
  let remaining = room
  for (const line of lines.toReversed()) {
    remaining -= line.length + 1
    if (remaining < 0) break
    recentLines.unshift(line)
  }
  return recentLines
}

const day = 24 * 60 * 60 * 1000

/**
 * interface.md 2.1, persistHistory: the calls between this assistant and this number that ended within this many days before,
 * oldest first.
 */
export function earlierCalls(
  calls: Iterable<StoredCall>,
  now: StoredCall,
  days: number | undefined,
): EarlierCall[] {
  // An inline assistant has no id to identify it, so no conversations are shared.
  if (days === undefined || now.assistantId === undefined) return []
  const since = Date.parse(now.createdAt) - days * day
  return [...calls]
    .flatMap(({ id, assistantId, customer, endAt, messages = [] }): EarlierCall[] =>
      id !== now.id &&
      assistantId === now.assistantId &&
      customer.number === now.customer.number &&
      endAt !== undefined &&
      Date.parse(endAt) >= since &&
      messages.length > 0
        ? [{ endedAt: endAt, messages: messages.map(({ role, text }) => ({ role, text })) }]
        : [],
    )
    .sort((one, other) => Date.parse(one.endedAt) - Date.parse(other.endedAt))
}
