import * as z from 'zod/mini'
import { isObject, parseJson } from '../../lib/json.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import { type ChatMessage, type ChatRequest, type ChatToolCall, ModelFailure } from './chat-model.ts'

/** Servers leave out a field, or send null. */
const maybe = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema))

/** A piece of a tool call, as servers send it: the index, the id and the name may be missing. */
export const fragmentSchema = lazy(() =>
  z.object({
    index: maybe(z.number()),
    id: maybe(z.string()),
    function: maybe(
      z.object({
        name: maybe(z.string()),
        /** Text of the protocol; some servers send the object itself. */
        arguments: maybe(z.union([z.string(), z.record(z.string(), z.unknown())])),
      }),
    ),
  }),
)

type Fragment = Infer<typeof fragmentSchema>

const saidSchema = lazy(() =>
  z.object({ content: maybe(z.string()), tool_calls: maybe(z.array(fragmentSchema())) }),
)

/** Chunk of a streamed response, reduced to the used fields. Some chunks have no choice, such as token counts. */
export const chunkSchema = lazy(() =>
  z.object({
    error: z.optional(z.unknown()),
    choices: maybe(
      z.array(
        z.object({
          delta: maybe(saidSchema()),
          /** Sent instead of deltas by servers that do not stream. */
          message: maybe(saidSchema()),
          finish_reason: maybe(z.string()),
        }),
      ),
    ),
  }),
)

export type Chunk = Infer<typeof chunkSchema>

export function toRequestBody(model: string, request: ChatRequest) {
  const { messages, tools, temperature, maxTokens, answerSchema } = request
  return {
    model,
    messages: messages.map(toMessage),
    temperature,
    max_tokens: maxTokens,
    stream: true,
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(answerSchema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { ...answerSchema, strict: true } } }),
  }
}

/** The ids that the tool calls of a conversation have. */
export function callIds(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(message =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
  )
}

function toMessage(message: ChatMessage) {
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  if (message.role !== 'assistant') return { role: message.role, content: message.content }
  const { content, toolCalls = [] } = message
  if (toolCalls.length === 0) return { role: 'assistant', content }
  return { role: 'assistant', content: content === '' ? null : content, tool_calls: toolCalls.map(toCall) }
}

/**
 * Servers validate earlier tool calls and reject the whole conversation for an invalid name or arguments that are not an object, so one
 * mistake of the model would break every later reply. The tool's result says what was wrong.
 */
function toCall({ id, name, arguments: args }: ChatToolCall) {
  const right = args.trim() !== '' && parseArguments(args) !== undefined
  return {
    id,
    type: 'function',
    function: {
      name: name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown',
      arguments: right ? args : '{}',
    },
  }
}

function toTool({ name, description, parameters }: ChatRequest['tools'][number]) {
  return { type: 'function', function: { name, description, parameters } }
}

type OpenCall = { -readonly [Field in keyof ChatToolCall]: string } & { readonly index: number }

const maxCalls = 64
/** Characters of the name, the id and the arguments of one call. */
const maxCallLength = 64 * 1024

export type GatheredToolCalls = ReturnType<typeof gatherToolCalls>

/**
 * Assembles tool calls from a stream, which sends them in pieces by index with id and name in the first piece only. Some servers send the
 * same index for all calls or none: there, a new id and name start another call.
 */
export function gatherToolCalls() {
  const calls: OpenCall[] = []

  const callOf = ({ index, id, function: part }: Fragment): OpenCall => {
    const openCall = index == null ? calls.at(-1) : calls.findLast(call => call.index === index)
    const isAnother = openCall?.name && part?.name && id && id !== openCall.id
    if (openCall !== undefined && !isAnother) return openCall
    const call = { index: index ?? (openCall?.index ?? -1) + 1, id: '', name: '', arguments: '' }
    calls.push(call)
    return call
  }
  return {
    /** @throws ModelFailure when there are too many */
    add(fragments: readonly Fragment[]) {
      for (const fragment of fragments) {
        const call = callOf(fragment)
        const { name, arguments: args } = fragment.function ?? {}
        call.id ||= fragment.id ?? ''
        call.name ||= name ?? ''
        call.arguments += typeof args === 'string' ? args : args == null ? '' : JSON.stringify(args)
        const length = call.id.length + call.name.length + call.arguments.length
        if (calls.length > maxCalls || length > maxCallLength)
          throw new ModelFailure('the model does not stop calling tools')
      }
    },
    /** Returns tool calls by index. A call without an id, or with a used one, gets a new one. */
    all(usedIds: readonly string[]): ChatToolCall[] {
      const ids = new Set(usedIds)
      return calls
        .toSorted((one, other) => one.index - other.index)
        .map(({ id, name, arguments: args }) => {
          const own = id === '' || ids.has(id) ? freeId(ids) : id
          ids.add(own)
          return { id: own, name, arguments: args }
        })
    },
  }
}

/** `call-<n>`, with the first number that is free. */
function freeId(usedIds: ReadonlySet<string>): string {
  let number = 1
  while (usedIds.has(`call-${number}`)) number += 1
  return `call-${number}`
}

/** Parses the arguments from a model: a JSON object, or undefined for anything else. Empty text means no arguments. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = text.trim() === '' ? {} : parseJson(text)
  return isObject(value) ? value : undefined
}
