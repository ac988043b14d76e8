import type { Clock } from '../../lib/clock.ts'
import { parseRetryAfter } from '../../lib/net/retry-after.ts'
import { type ChatModel, type ChatRequest, type ChatToolCall, ModelFailure } from '../../sandbox/index.ts'

/** All of what a model answered. */
export interface WholeAnswer {
  readonly text: string
  readonly calls: readonly ChatToolCall[]
}

/** A server that is busy is asked as often as this in all, and never after a longer wait than this. */
const maxAttempts = 5
const maxWaitMs = 60_000

/**
 * Reads an answer to its end. A server that is busy and says for how long (429, 503 with Retry-After) is asked again; nothing else is.
 * @throws ModelFailure, or the signal's reason
 */
export async function askModel(
  model: ChatModel,
  request: ChatRequest,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<WholeAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await wholeAnswer(model.complete(request, signal))
    } catch (error) {
      const wait = error instanceof ModelFailure ? parseRetryAfter(error.retryAfter, clock.now()) : undefined
      if (wait === undefined || wait > maxWaitMs || attempt === maxAttempts) throw error
      await clock.sleep(wait, signal)
    }
  }
}

async function wholeAnswer(deltas: ReturnType<ChatModel['complete']>): Promise<WholeAnswer> {
  let text = ''
  const calls: ChatToolCall[] = []
  for await (const delta of deltas) {
    if (delta.type === 'text') text += delta.text
    else calls.push(delta.call)
  }
  return { text, calls }
}
