import type { ChatModel } from './chat-model.ts'

/** One question to a model, outside a conversation. @throws ModelFailure, or the signal's reason */
export type Ask = (
  question: { readonly system: string; readonly user: string; readonly maxTokens: number },
  signal: AbortSignal,
) => Promise<string>

/** Asks without tools and with temperature 0; gives the whole text. */
export function createAsk(model: ChatModel): Ask {
  return async ({ system, user, maxTokens }, signal) => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ] as const
    let text = ''
    for await (const delta of model.complete({ messages, tools: [], temperature: 0, maxTokens }, signal)) {
      if (delta.type === 'text') text += delta.text
    }
    return text
  }
}
