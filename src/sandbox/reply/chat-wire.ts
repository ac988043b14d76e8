import type OpenAI from 'openai'
import * as z from 'zod/mini'
import type { ChatMessage, ChatRequest, ChatToolCall } from './chat-model.ts'
import { parseArguments } from './run-tool.ts'
import { fragmentSchema } from './tool-call-fragments.ts'

/** A piece of a streamed answer, of which only this is read. Some pieces have no choice, as the one that counts tokens. */
export const chunkSchema = z.object({
  choices: z.optional(
    z.nullable(
      z.array(
        z.object({
          delta: z.optional(
            z.nullable(
              z.object({
                content: z.optional(z.nullable(z.string())),
                tool_calls: z.optional(z.nullable(z.array(fragmentSchema))),
              }),
            ),
          ),
          finish_reason: z.optional(z.nullable(z.string())),
        }),
      ),
    ),
  ),
})

/** The body of a request. */
export function toBody(
  model: string,
  { messages, tools, temperature, maxTokens }: ChatRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: messages.map(toMessage),
    temperature,
    max_tokens: maxTokens,
    stream: true,
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
  }
}

/** The ids that the tool calls of a conversation have. */
export function callIds(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(message =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
  )
}

function toMessage(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool')
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  if (message.role !== 'assistant') return { role: message.role, content: message.content }
  const { content, toolCalls = [] } = message
  if (toolCalls.length === 0) return { role: 'assistant', content }
  return { role: 'assistant', content: content === '' ? null : content, tool_calls: toolCalls.map(toCall) }
}

/**
 * Servers read the tool calls that they are reminded of, and refuse a whole conversation for a name that is none or
 * arguments that are no object: one slip of the model would cost every later reply. The tool's answer says what was wrong.
 */
function toCall({ id, name, arguments: given }: ChatToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  const right = given.trim() !== '' && parseArguments(given) !== undefined
  return {
    id,
    type: 'function',
    function: {
      name: name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unknown',
      arguments: right ? given : '{}',
    },
  }
}

function toTool({ name, description, parameters }: ChatRequest['tools'][number]): OpenAI.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } }
}
