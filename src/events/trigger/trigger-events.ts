import { randomUUID } from 'node:crypto'
import type { WebhookStatus } from '../../interface/words.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { type PostEventOptions, postEvent } from '../forward/index.ts'
import { type Assignment, assignAll, unsetAll } from './assign.ts'
import type { TriggeredDelivery } from './delivery-schema.ts'
import type { Path } from './field-path.ts'
import { oddEvents } from './odd-events.ts'
import type { OddShape, Trigger } from './odd-shapes.ts'
import { sampleCall, sampleEvent, sampleSequence } from './sample-events.ts'

export interface SampleOptions {
  /** Id of the call; default: a new one. */
  readonly call?: string | undefined
  /** Messages of the conversation; default: 6. */
  readonly messages?: number | undefined
  /** Default: by the event. */
  readonly status?: WebhookStatus | undefined
  /** Shapes for `odd`. Default: all. */
  readonly shape?: readonly OddShape[] | undefined
  readonly set?: readonly Assignment[] | undefined
  readonly unset?: readonly Path[] | undefined
  readonly allowUnknown?: boolean | undefined
  /** Milliseconds since the epoch, at which the call ends. */
  readonly now: number
}

/**
 * The events of `webhook trigger` (interface.md 6), in the order in which the service sends them.
 * @throws CallyardError as assignAll and unsetAll do
 */
export function eventsToTrigger(trigger: Trigger, options: SampleOptions): TriggeredEvent[] {
  const { now, shape: shapes, status, messages = defaultMessages } = options
  if (trigger === 'odd') {
    const { call: id = `CC-${randomUUID().slice(0, 8)}` } = options
    return oddEvents({ id, now }).filter(({ shape }) => shapes?.includes(shape) ?? true)
  }
  const { call: id = `CC-${randomUUID()}`, set = [], unset = [], allowUnknown = false } = options
  const call = sampleCall({ id, messages, now })
  const events = trigger === 'call' ? sampleSequence(call) : [sampleEvent(trigger, call, status)]
  const changedEvents = assignAll(unsetAll(events, unset), set, { allowUnknown })
  return changedEvents.map(({ message }) => ({ event: { message } }))
}

const defaultMessages = 6

/** A body to send, and the odd shape that it shows, if any. */
export interface TriggeredEvent {
  readonly event: Readonly<Record<string, unknown>>
  readonly shape?: OddShape
}

/** Describes an event with a body of any shape as a delivery without a response. */
export function toDelivery({ event, shape }: TriggeredEvent): TriggeredDelivery {
  const message = isObject(event.message) ? event.message : {}
  const call = isObject(message.call) ? message.call : {}
  return {
    kind: 'delivery',
    shape,
    type: typeof message.type === 'string' ? message.type : '',
    callId: textOf(call.id),
    callStatus: textOf(call.status),
    messages: Array.isArray(message.messages) ? message.messages.length : null,
    sent: event,
  }
}

/** Converts a number that should have been text. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

/**
 * Sends events in order like the service, each after the response to the previous one, whatever its status. Stops if there is no
 * response. Odd shapes continue until a connection is refused, since each tests something else.
 * @throws CallyardError `cancelled`
 */
export async function* triggerEvents(
  events: readonly TriggeredEvent[],
  options: Omit<PostEventOptions, 'body' | 'contentType'>,
): AsyncGenerator<TriggeredDelivery, void> {
  for (const triggered of events) {
    const result = await postEvent({
      ...options,
      body: JSON.stringify(triggered.event),
      contentType: 'application/json',
    })
    if ('failure' in result) {
      const { reason, milliseconds, unsent } = result.failure
      yield { ...toDelivery(triggered), milliseconds, unsent, failure: reason }
      if (unsent || triggered.shape === undefined) return
      continue
    }
    const { status, milliseconds, body } = result
    const response = parseJson(body)
    const acknowledged = isObject(response) && typeof response.message === 'string'
    yield { ...toDelivery(triggered), milliseconds, status, body, acknowledged }
  }
}
