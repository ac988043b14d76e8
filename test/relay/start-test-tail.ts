import { onTestFinished } from 'vitest'
import { openTail, type TailEvent } from '../../src/events/receive/index.ts'
import { monotonicMs, systemClock } from '../../src/lib/clock.ts'
import { createDeferred } from '../../src/lib/queue.ts'
import { loadRelaySource, type RelaySourceOptions } from '../../src/relay/index.ts'

const { readFromRelay } = await loadRelaySource()

type TailOptions = Parameters<typeof openTail>[0]

interface TestTailOptions extends Partial<RelaySourceOptions> {
  /** Called with each event before the next one is read. */
  readonly onEvent?: (event: TailEvent) => unknown
  readonly parts?: Pick<TailOptions, 'recorder' | 'forwarder'>
}

/** Called when a tail has read an event. */
const waiting = new Set<() => void>()

/** Starts a tail of a relay's stream; finished when the test ends. */
export async function startTestTail(
  servers: readonly string[],
  { onEvent, parts, ...options }: TestTailOptions = {},
) {
  const source = readFromRelay({
    ...{ servers, stream: 'calls', name: 'ada', isShared: false, timeoutMs: 10_000 },
    ...{ clock: systemClock, monotonicMs, ...options },
  })
  const tail = await openTail({ source, ...parts })
  const seen: TailEvent[] = []
  const reading = (async () => {
    for await (const event of tail.events) {
      await onEvent?.(event)
      seen.push(event)
      for (const wake of [...waiting]) wake()
    }
  })()
  reading.catch(() => undefined)
  const finish = async () => {
    await tail.close()
    await reading.catch(() => undefined)
    await tail.source.finish()
    return seen.at(-1)
  }
  onTestFinished(async () => void (await finish()))
  return {
    tail,
    seen,
    /** Rejects if the source fails. */
    reading,
    /** Texts of the messages, or of those of one call, in the order of their display. */
    texts: (call?: string) =>
      seen.flatMap(event =>
        event.kind === 'message' && (call === undefined || event.callId === call) ? [event.text] : [],
      ),
    /** Waits until a condition holds after an event. */
    async until(condition: () => boolean) {
      while (!condition()) {
        const { promise, resolve } = createDeferred()
        waiting.add(resolve)
        await promise
        waiting.delete(resolve)
      }
    },
    /** Closes, saves the position, and returns the summary. */
    finish,
  }
}

/** An update of a call with its first messages, `<call> 1` to `<call> <count>`. */
export function conversation(call: string, count: number, more: Record<string, unknown> = {}) {
  const messages = Array.from({ length: count }, (_, index) => ({
    ...{ messageId: `${call}-${index + 1}`, role: 'user', text: `${call} ${index + 1}` },
  }))
  return { message: { type: 'conversation-update', call: { id: call }, messages, ...more } }
}
