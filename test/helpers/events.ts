import * as z from 'zod/mini'
import { defaultMaxBodyBytes, eventsIn, type ReadEvent } from '../../src/events/conversation/index.ts'

/** Envelope of an event (interface.md 6). Unknown types and fields are accepted. */
export const webhookEventSchema = z.looseObject({
  message: z.looseObject({
    type: z.string(),
    call: z.nullish(z.looseObject({ id: z.string(), status: z.nullish(z.string()) })),
    assistant: z.nullish(z.looseObject({})),
    customer: z.nullish(z.looseObject({ number: z.nullish(z.string()), name: z.nullish(z.string()) })),
    analysis: z.nullish(z.looseObject({})),
    messages: z.nullish(z.array(z.unknown())),
  }),
})
export type WebhookEvent = z.infer<typeof webhookEventSchema>

export interface SampleMessage {
  readonly messageId: string
  readonly role: string
  readonly text: string
  readonly timestamp?: string
}

/** A message of a conversation. */
export function message(messageId: string, text: string, role = 'user'): SampleMessage {
  return { messageId, role, text, timestamp: '2026-03-01T10:00:00.000Z' }
}

/** An event with the messages of a call so far. */
export function conversationUpdate(callId: string | undefined, ...messages: unknown[]): WebhookEvent {
  return {
    message: {
      type: 'conversation-update',
      ...(callId === undefined ? {} : { call: { id: callId } }),
      messages,
    },
  }
}

/** An event with the status of a call. `analysis` belongs to the event, other fields to the call. */
export function statusUpdate(
  callId: string,
  status: string,
  more: Record<string, unknown> = {},
): WebhookEvent {
  const { analysis, ...call } = more
  return {
    message: {
      type: 'status-update',
      call: { id: callId, status, ...call },
      ...(analysis === undefined ? {} : { analysis: { ...(analysis as object) } }),
    },
  }
}

/** A message of a conversation, by default 5 seconds after the last one, or a request to a tool. */
export type Said =
  | readonly [role: string, text: string, seconds?: number]
  | { readonly tool: Readonly<Record<string, unknown>> }

export interface SampleCall {
  readonly id?: string
  readonly said: readonly Said[]
  readonly call?: Readonly<Record<string, unknown>>
  readonly end?: Readonly<Record<string, unknown>>
  readonly customer?: Readonly<Record<string, unknown>>
  readonly assistant?: Readonly<Record<string, unknown>>
  readonly analysis?: Readonly<Record<string, unknown>>
}

/** Time of the first event of a call. */
const start = Date.UTC(2026, 0, 1, 9)

/** Events of a whole call, from 2026-01-01T09:00:00Z: each update has all messages so far. It is unfinished without `end`. */
export function callEvents({
  id = 'CC-1',
  said,
  call,
  end,
  customer,
  assistant,
  analysis,
}: SampleCall): unknown[] {
  const base = { id, startAt: new Date(start).toISOString(), ...call }
  const messages: unknown[] = []
  const status = (more: object) => ({
    message: { type: 'status-update', call: { ...base, ...more }, customer, assistant, analysis },
  })
  const events: unknown[] = [status({ status: 'ongoing' })]
  for (const [index, item] of said.entries()) {
    if ('tool' in item) {
      events.push({ message: { type: 'tool-call', call: base, toolCall: item.tool } })
      continue
    }
    const [role, text, seconds = index * 5] = item
    const timestamp = new Date(start + seconds * 1000).toISOString()
    messages.push({ messageId: `${id}-${messages.length}`, role, text, timestamp })
    events.push({ message: { type: 'conversation-update', call: base, messages: [...messages] } })
  }
  const endAt = new Date(start + said.length * 5000).toISOString()
  if (end !== undefined) events.push(status({ status: 'finished', endAt, ...end }))
  return events
}

/** Reads a body as a receiver does, without earlier ones. */
export function readEvent(body: unknown): ReadEvent {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const [event] = eventsIn(text, {}, { maxBytes: defaultMaxBodyBytes })
  if (event === undefined) throw new Error(`no event: ${text}`)
  return event
}
