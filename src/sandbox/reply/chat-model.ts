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
