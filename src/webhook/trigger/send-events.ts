import type { Clock } from '../../lib/clock.ts'
import { isObject } from '../../lib/json.ts'
import { type EventAnswer, postEvent } from '../send/post-event.ts'
import type { OddShape } from './odd-shapes.ts'

export interface SendEventsOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds for one event. */
  readonly timeout: number
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'now'>
}

/** A body to send, and the odd shape that it shows, if any. */
export interface TriggeredEvent {
  readonly event: Readonly<Record<string, unknown>>
  readonly shape?: OddShape
}

/** What became of one event. */
export interface TriggeredDelivery extends TriggeredEvent {
  readonly milliseconds: number
  readonly outcome:
    | {
        readonly status: number
        /** Its beginning. */
        readonly body: string
        /** Whether it is the object of interface.md 4.8 with a `message`. */
        readonly acknowledged: boolean
      }
    /** No answer came, in words. */
    | { readonly failure: string }
}

/**
 * Sends events in order, each after the answer to the one before, as the service does; whatever the answer, the next
 * one follows. Only a receiver that gives no answer ends it: nobody is there for the rest.
 * @throws CallwrightError `cancelled`
 */
export async function* sendEvents(
  events: readonly TriggeredEvent[],
  options: SendEventsOptions,
): AsyncGenerator<TriggeredDelivery, void> {
  for (const triggered of events) {
    const result = await postEvent({
      ...options,
      body: JSON.stringify(triggered.event),
      contentType: 'application/json',
    })
    if ('failure' in result) {
      const { reason, milliseconds } = result.failure
      yield { ...triggered, milliseconds, outcome: { failure: reason } }
      return
    }
    const { status, milliseconds, body } = result
    yield { ...triggered, milliseconds, outcome: { status, body, acknowledged: isAcknowledgement(body) } }
  }
}

function isAcknowledgement(body: EventAnswer['body']): boolean {
  try {
    const answer: unknown = JSON.parse(body)
    return isObject(answer) && typeof answer.message === 'string'
  } catch {
    return false
  }
}
