import type { ChatMessage } from './chat-model.ts'
import type { HistoryItem } from './reply.ts'

/** An earlier call with the same caller (interface.md 2.1, persistHistory). */
export interface EarlierCall {
  /** ISO 8601. */
  readonly endedAt: string
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[]
}

interface PromptParts {
  readonly systemPrompt: string
  /** Oldest first. */
  readonly earlier: readonly EarlierCall[]
  readonly history: readonly HistoryItem[]
}

/** Characters of earlier calls that are told; the newest are kept. */
const longestMemory = 8000

/** What the model is told: its system prompt, what it remembers of the caller, and the conversation so far. */
export function toChatMessages({ systemPrompt, earlier, history }: PromptParts): ChatMessage[] {
  const system = [systemPrompt.trim(), memoryOf(earlier)].filter(part => part !== '').join('\n\n')
  return [
    ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
    ...history.flatMap(toMessages),
  ]
}

function toMessages(item: HistoryItem): ChatMessage[] {
  if (item.type === 'said') return [{ role: item.role, content: item.text }]
  const { id, name, arguments: given, content } = item
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: given }] },
    { role: 'tool', toolCallId: id, content },
  ]
}

function memoryOf(earlier: readonly EarlierCall[]): string {
  const kept: string[] = []
  let length = 0
  for (const { endedAt, messages } of earlier.toReversed()) {
    const lines = messages.map(({ role, text }) => `${role === 'user' ? 'caller' : 'you'}: ${text}`)
    const call = [`Call of ${endedAt.slice(0, 10)}:`, ...lines].join('\n')
    length += call.length
    if (length > longestMemory) break
    kept.unshift(call)
  }
  return kept.length === 0 ? '' : ['Earlier calls with this caller:', ...kept].join('\n\n')
}
