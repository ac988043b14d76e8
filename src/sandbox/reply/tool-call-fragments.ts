import type OpenAI from 'openai'
import type { ChatToolCall } from './chat-model.ts'
import { ModelFailure } from './model-failure.ts'

type Fragment = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall

const mostCalls = 64
/** Characters of the arguments of one call. */
const longestArguments = 64 * 1024

/** Puts tool calls together: a stream brings them in pieces by index, the id and the name in the first piece alone. */
export function gatherToolCalls(): {
  /** @throws ModelFailure when there is no end to them */
  add(fragments: readonly Fragment[] | null | undefined): void
  /** In the order of their index; a call that has no id gets one. */
  all(): ChatToolCall[]
} {
  const calls = new Map<number, { id: string; name: string; arguments: string }>()
  return {
    add(fragments) {
      for (const { index = 0, id, function: part } of fragments ?? []) {
        const call = calls.get(index) ?? { id: '', name: '', arguments: '' }
        calls.set(index, call)
        if (typeof id === 'string' && id !== '') call.id = id
        if (typeof part?.name === 'string') call.name += part.name
        if (typeof part?.arguments === 'string') call.arguments += part.arguments
        if (calls.size > mostCalls || call.arguments.length > longestArguments)
          throw new ModelFailure('the model does not stop calling tools')
      }
    },
    all: () =>
      [...calls]
        .sort(([one], [other]) => one - other)
        .map(([index, call]) => ({ ...call, id: call.id === '' ? `call-${index + 1}` : call.id })),
  }
}
