/** A message of the `/chat/completions` protocol. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ChatToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string }

export interface ChatToolCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it; it may be none. */
  readonly arguments: string
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  /** Function tools; none are sent when empty. */
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    readonly parameters: Readonly<Record<string, unknown>>
  }[]
  readonly temperature: number
  readonly maxTokens: number
}

/** Text as it arrives; tool calls when they are complete. */
export type ChatDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ChatToolCall }

/** A language model behind an OpenAI-compatible server. */
export interface ChatModel {
  /** Streams one completion. @throws ModelFailure with a sentence that holds no key and no prompt */
  complete(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatDelta>
}

/** A model gave no answer, or none that can be read. The message is one sentence without prompt, key or query string. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
}

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
