import { hash } from 'node:crypto'
import type { ReadEvent } from '../events/conversation/index.ts'
import { type RecordedEvent, recordedBytes, recordedEvents } from '../events/recordings/index.ts'
import type { EventSubject } from './subjects.ts'

/** Content of one delivery that is published. */
export interface AcceptedDelivery {
  readonly at: string
  readonly headers: RecordedEvent['headers']
  readonly query?: string | undefined
  /** Original bytes. */
  readonly body: Buffer
  /** Distinct, in order of their first event. */
  readonly calls: readonly CallInDelivery[]
}

interface CallInDelivery {
  readonly call: string | null
  readonly account: string | null
  /** Positions of its events in the body, from 0. */
  readonly positions: readonly number[]
}

/** One message of a delivery, which has one per call. */
export interface RelayedMessage {
  /** Events of equal keys are published in order. */
  readonly key: string
  readonly subject: string
  /** Value of `Nats-Msg-Id`: JetStream drops a second message with the same id within the deduplication window. */
  readonly id: string
  /** Original bytes, also if only some of its events belong to the call. */
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** Bytes that one delivery may take in the stream, because a body with events of several calls is stored once per call. */
const maxPublishedBytes = 64 * 1024 ** 2

export function groupByCall(events: readonly ReadEvent[]): AcceptedDelivery['calls'] {
  const [only, ...others] = events
  // A map for each event would take more memory than all else of it.
  if (only !== undefined && others.length === 0) return [toCall(only, onlyPosition)]
  const calls = new Map<string | null, CallInDelivery & { readonly positions: number[] }>()
  events.forEach((event, position) => {
    const call = calls.get(event.callId)
    if (call === undefined) calls.set(event.callId, toCall(event, [position]))
    else call.positions.push(position)
  })
  return [...calls.values()]
}

const onlyPosition: readonly number[] = [0]

function toCall<Positions>({ callId, call: { teamId } }: ReadEvent, positions: Positions) {
  const account = typeof teamId === 'string' || typeof teamId === 'number' ? String(teamId) : null
  return { call: callId, account, positions }
}

/** True if a body with events of many calls would take too much space in the stream. */
export function hasTooManyCalls(calls: AcceptedDelivery['calls'], body: Buffer): boolean {
  return calls.length > 1 && calls.length * body.length > maxPublishedBytes
}

/** Reads a delivery from its line in the spool. */
export function readSpooled(recordedEvent: RecordedEvent): AcceptedDelivery {
  const { at, headers, query } = recordedEvent
  return {
    at,
    headers,
    query,
    body: recordedBytes(recordedEvent),
    calls: groupByCall(recordedEvents(recordedEvent)),
  }
}

export interface MessageOptions {
  readonly subjectOf: (source: EventSubject) => string
  /** Identity of the relay. */
  readonly relay: string
}

/** Returns the messages of a delivery. */
export function messagesOf(
  { at, headers, query, body, calls }: AcceptedDelivery,
  { subjectOf, relay }: MessageOptions,
): readonly RelayedMessage[] {
  const request = headerText(JSON.stringify(headers))
  const isOnly = calls.length === 1
  return calls.map(({ call, account, positions }) => ({
    key: call ?? '',
    subject: subjectOf({ account, call }),
    id: hash(
      'sha256',
      Buffer.concat([Buffer.from(JSON.stringify([call, isOnly ? null : positions])), body]),
      'base64url',
    ),
    body,
    headers: {
      'Callyard-At': at,
      'Callyard-Relay': relay,
      // Only these events of the body belong to the subject.
      ...(isOnly ? {} : { 'Callyard-Events': positions.join(',') }),
      'Callyard-Request': request,
      ...(query !== undefined && { 'Callyard-Query': headerText(JSON.stringify(query)) }),
      ...plainHeader('Content-Type', headers['content-type']),
      ...plainHeader('Content-Encoding', headers['content-encoding']),
    },
  }))
}

function plainHeader(name: string, value: string | undefined): Record<string, string> {
  return value !== undefined && /^[\x20-\x7e]+$/.test(value) ? { [name]: value } : {}
}

/** Headers of NATS are printable ASCII in JSON; everything else is escaped. */
function headerText(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
