import type { Clock } from '../../context.ts'
import type { CallStore } from './call-store.ts'
import type { WatchedCall } from './watched-call.ts'

/**
 * The calls in whose id, numbers, names or texts the words of a query stand, in any case; the newest first. Pauses between
 * calls, so that events are answered meanwhile.
 */
export async function searchCalls(
  store: CallStore,
  query: string,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<number[]> {
  // In one pass over a text, without a copy of it in lower case.
  const words = query
    .split(/\s+/)
    .filter(word => word !== '')
    .map(word => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu'))
  const found: number[] = []
  let read = 0
  for (const call of [...store.calls()].reverse()) {
    if (signal.aborted) return []
    const texts = textsOf(call)
    if (words.every(word => texts.some(text => word.test(text)))) found.push(call.key)
    read += texts.reduce((sum, text) => sum + text.length, 0)
    if (read > charactersAtOnce) {
      read = 0
      await clock.sleep(0)
    }
  }
  return found
}

const charactersAtOnce = 1024 ** 2

function textsOf({ callId, builder }: WatchedCall): string[] {
  const facts = [
    callId,
    ...(['customerName', 'userNumber', 'assistantNumber', 'assistantName', 'assistantId'] as const).map(
      builder.fact,
    ),
  ]
  return [
    ...facts.filter(fact => fact !== null),
    ...builder.statuses.map(({ status }) => status),
    ...builder.messages.map(({ text }) => text),
  ]
}
