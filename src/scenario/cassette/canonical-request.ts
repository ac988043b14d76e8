import * as z from 'zod/mini'
import { digest } from '../../lib/hash.ts'
import { isObject, nestsAtMost, parseJson, stringifyJson } from '../../lib/json.ts'
import type { ChatMessage, ChatRequest, ChatToolCall } from '../../sandbox/model/index.ts'
import type { EnvPlaceholders } from './env-placeholders.ts'

/** A model request without run-specific parts and environment values. */
export interface CanonicalRequest {
  /** Name from the assistant's file; empty for the judge and the simulated caller. */
  readonly model: string
  readonly temperature: number
  readonly maxTokens: number
  /** Leading system message. */
  readonly prompt: string | undefined
  readonly conversation: readonly CanonicalMessage[]
  readonly tools: readonly CanonicalTool[]
  readonly schema: unknown
}

/** `arguments` is a JSON object or list, or else verbatim text. */
export const callSchema = z.strictObject({ name: z.string(), arguments: z.unknown() })

export const messageSchema = z.union([
  z.strictObject({ system: z.string() }),
  z.strictObject({ user: z.string() }),
  z.strictObject({ assistant: z.string(), calls: z.exactOptional(z.array(callSchema)) }),
  // `tool` is the 1-based number of the call in the conversation.
  z.strictObject({ tool: z.int(), answered: z.unknown() }),
])

export const cassetteToolSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.unknown(),
})

export type CanonicalMessage = z.infer<typeof messageSchema>
export type CanonicalTool = z.infer<typeof cassetteToolSchema>

/** Replaces tool call ids with numbers, sorts keys and trims line ends. */
export function canonicalizeRequest(
  { messages, tools, temperature, maxTokens, answerSchema }: ChatRequest,
  { model, placeholders }: { readonly model: string; readonly placeholders: EnvPlaceholders },
): CanonicalRequest {
  const text = (words: string) =>
    placeholders
      .hide(words)
      // UTF-8 cannot encode lone surrogates.
      .toWellFormed()
      .split('\n')
      .map(line => line.trimEnd())
      .join('\n')
  const toolIds = new Map<string, number>()
  const toCallNumber = (id: string) => {
    const number = toolIds.get(id) ?? toolIds.size + 1
    toolIds.set(id, number)
    return number
  }
  const toCall = ({ id, name, arguments: args }: ChatToolCall) => {
    toCallNumber(id)
    return { name: text(name), arguments: canonicalizeJson(args, text) }
  }
  const toMessage = (message: ChatMessage): CanonicalMessage => {
    const words = message.content
    if (message.role === 'tool')
      return { tool: toCallNumber(message.toolCallId), answered: canonicalizeJson(words, text) }
    if (message.role !== 'assistant')
      return message.role === 'user' ? { user: text(words) } : { system: text(words) }
    const { toolCalls = [] } = message
    return { assistant: text(words), ...(toolCalls.length === 0 ? {} : { calls: toolCalls.map(toCall) }) }
  }
  const [first] = messages
  const prompt = first?.role === 'system' ? text(first.content) : undefined
  return {
    model,
    temperature,
    maxTokens,
    prompt,
    conversation: messages.slice(prompt === undefined ? 0 : 1).map(toMessage),
    tools: tools.map(({ name, description, parameters }) => ({
      name: text(name),
      description: text(description),
      parameters: canonicalizeValue(parameters, text),
    })),
    schema: canonicalizeValue(answerSchema, text),
  }
}

/** Hashes everything the model sees, and nothing else. */
export function hashRequest(request: CanonicalRequest): string {
  const { model, temperature, maxTokens, prompt = null, conversation, tools, schema = null } = request
  return digest(stringifyJson([model, temperature, maxTokens, prompt, conversation, tools, schema]))
}

/** Values nested deeper are compared as text. */
const maxDepth = 100

/** Parses a JSON object or list. Returns the text if JSON would not preserve it, as with 20-digit numbers or duplicate keys. */
function canonicalizeJson(words: string, text: (words: string) => string): unknown {
  const value = parseJson(words)
  if (typeof value !== 'object' || value === null || !nestsAtMost(value, maxDepth)) return text(words)
  const compact = words.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  return JSON.stringify(value) === compact ? canonicalizeValue(value, text) : text(words)
}

function canonicalizeValue(value: unknown, text: (words: string) => string): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') {
    const words = String(value)
    const hidden = text(words)
    if (hidden !== words) return hidden
  }
  // JSON has no negative zero.
  if (value === 0) return 0
  if (Array.isArray(value)) return value.map(item => canonicalizeValue(item, text))
  if (!isObject(value)) return value
  const fields = Object.keys(value).sort()
  return Object.fromEntries(fields.map(name => [text(name), canonicalizeValue(value[name], text)]))
}
