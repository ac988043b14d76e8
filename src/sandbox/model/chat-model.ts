import { getErrorCode } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { certificateHint, isCertificateError, networkReason } from '../../lib/net/http.ts'
import { listSecretForms } from '../../lib/net/secrets.ts'
import { escapeRegExp, oneLine } from '../../lib/text/escape.ts'

/** The model that the assistant asks for, and how. */
export interface ModelRequest {
  /** Set with assistantProvider `custom-llm` alone. */
  readonly customUrl: string | undefined
  readonly model: string
  readonly systemPrompt: string
  readonly temperature: number
  readonly maxTokens: number
  /** assistantResponseSplitter. */
  readonly splitter: string | undefined
  /** Replaces the call's variables in a text (interface.md 2.6). */
  readonly fill?: ((text: string) => string) | undefined
}

/** Purpose of a request: the assistant's reply, or the analysis of the call (interface.md 2.4). */
export type ModelUse = 'reply' | 'analysis'

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
  /** Requests a response in JSON of this schema, if the server supports it. */
  readonly answerSchema?:
    | {
        /** Letters, digits, `_` and `-`, at most 64. */
        readonly name: string
        readonly schema: Readonly<Record<string, unknown>>
      }
    | undefined
  /** True if the caller can use the response. Unusable responses are not recorded. */
  isReadable?(answer: string): boolean
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

export type CompleteResponse = Awaited<ReturnType<typeof completeResponse>>

/** Reads a response to its end. @throws ModelFailure, or the signal's reason */
export async function completeResponse(model: ChatModel, request: ChatRequest, signal: AbortSignal) {
  let text = ''
  const calls: ChatToolCall[] = []
  for await (const delta of model.complete(request, signal)) {
    if (delta.type === 'text') text += delta.text
    else calls.push(delta.call)
  }
  return { text, calls }
}

/** Missing or unusable response of a model. The message is one sentence without prompt, key or query string. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'

  constructor(
    message: string,
    /** The header Retry-After of a server that is busy (429, 503). */
    readonly retryAfter?: string,
    /** The server read the request and does not take it (400, 422). */
    readonly isRefusal = false,
  ) {
    super(message)
  }
}

/** Parts of a request that must not appear in messages. */
export interface Confidential {
  /** Keys, passwords, queries. */
  readonly secrets: readonly string[]
  readonly messages: readonly ChatMessage[]
}

/** Characters of a server's sentence that are shown. */
const maxLength = 200
/** Characters in a row that a sentence shares with the prompt only when it repeats it. */
const quotation = 16

/**
 * Returns `: ` and the server's error message (the JSON without one), truncated and escaped, or an empty string if it repeats the prompt.
 * Secrets are removed before truncation, so that no part of one remains.
 */
export function describeModelError(body: unknown, { secrets, messages }: Confidential): string {
  const errorText =
    messageIn(body) ?? (body === null || typeof body !== 'object' ? undefined : JSON.stringify(body))
  if (errorText === undefined) return ''
  const line = secrets
    .reduce(redact, errorText)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 2 * maxLength)
  if (line === '' || messages.some(({ content }) => repeats(line, content))) return ''
  const excerpt = oneLine(line)
  return `: ${excerpt.length > maxLength ? `${excerpt.slice(0, maxLength - 1)}…` : excerpt}`
}

/** Returns the reason for a missing or incomplete response. Error messages may contain a URL or a key, so only the code is shown. */
export function modelErrorReason(error: unknown): string {
  const code = getErrorCode(error)
  const reason = networkReason(error)
  if (reason !== undefined) return isCertificateError(code) ? `${reason}; ${certificateHint}` : reason
  return code !== undefined && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)
    ? `the connection failed (${code})`
    : 'the connection failed'
}

/** The shapes in which servers say it: OpenAI’s, and those of the frameworks that imitate it. */
function messageIn(body: unknown, depth = 4): string | undefined {
  if (typeof body === 'string') return body
  if (!isObject(body) || depth === 0) return undefined
  return ['error', 'message', 'detail', 'title']
    .map(field => messageIn(body[field], depth - 1))
    .find(text => text !== undefined && text.trim() !== '')
}

/** A short secret may be part of a common word, so it is only redacted as a whole word. */
function redact(text: string, secret: string): string {
  return listSecretForms([secret]).reduce(
    (rest, form) =>
      secret.length >= 8
        ? rest.replaceAll(form, '[redacted]')
        : rest.replace(new RegExp(`(?<!\\w)${escapeRegExp(form)}(?!\\w)`, 'g'), '[redacted]'),
    text,
  )
}

function repeats(line: string, content: string): boolean {
  const prompt = content.replace(/\s+/g, ' ')
  for (let start = 0; start + quotation <= line.length; start++) {
    if (prompt.includes(line.slice(start, start + quotation))) return true
  }
  return false
}
