import { decodeResponse } from '../../files/text/index.ts'
import { systemClock, type Timekeeper } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import { basicLogin, lowerCaseNames } from '../../lib/net/http.ts'
import { type HttpClient, type OutgoingHttpRequest, openHttpClient, send } from '../../lib/net/http-client.ts'
import type { ReceivedDelivery } from '../conversation/index.ts'
import { type Envelope, withQuery } from './envelope.ts'

export interface ContentHeaders {
  readonly contentType: string
  /** Encoding of a body that is sent on compressed, unmodified. */
  readonly contentEncoding?: string | undefined
}

export interface PostEventOptions extends ContentHeaders {
  /** http or https. */
  readonly url: string
  /** Sent as it is; text in UTF-8. */
  readonly body: Buffer | string
  /** Headers and query of the delivery that is sent on. */
  readonly envelope?: Envelope | undefined
  /** Headers in addition to those of the delivery and the content type; one with the same name overrides it. Names in any case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds from connecting to the last byte of the response. */
  readonly timeout: number
  readonly signal: AbortSignal
  readonly clock: Timekeeper
}

/** Headers for sending a received body on, taken from the headers it came with. */
export function contentHeaders(headers: ReceivedDelivery['headers']): ContentHeaders {
  return {
    contentType: headers['content-type'] ?? 'application/json',
    contentEncoding: headers['content-encoding'],
  }
}

/** Response of any status. */
export interface EventResponse {
  readonly status: number
  /** From connecting to the last byte. */
  readonly milliseconds: number
  /** The first 64 KiB of it, as UTF-8. */
  readonly body: string
}

/** No complete response. */
export interface EventFailure {
  readonly failure: {
    /** In words, such as `connection refused`. */
    readonly reason: string
    /** True if no connection was made: nothing was sent, so a retry repeats nothing. */
    readonly unsent: boolean
    readonly milliseconds: number
  }
}

export type EventOutcome = EventResponse | EventFailure

/**
 * Sends one event to a webhook receiver (interface.md 4.8). Does not retry, because receivers count events. Does not follow redirects,
 * because headers are meant for one server only.
 * @throws CallyardError `cancelled` when the signal aborts first; the event may have arrived.
 */
export async function postEvent(options: PostEventOptions): Promise<EventOutcome> {
  const { timeout: timeoutMs, signal, clock } = options
  if (signal.aborted) throw new CallyardError('cancelled', 'cancelled')
  const startTime = clock.now()
  client ??= openHttpClient({ maxIdleMs: 1000 })
  const result = await send(await client, createRequest(options), {
    timeoutMs,
    maxBytes: maxResponseBytes,
    signal,
    clock: systemClock,
  })
  const milliseconds = clock.now() - startTime
  if ('status' in result) {
    const { status, headers, body } = result
    return { status, milliseconds, body: decodeResponse(body, headers['content-type']).text }
  }
  const { reason, unreachable, cause } = result
  if (signal.aborted)
    throw new CallyardError('cancelled', 'cancelled; the last event may have arrived', { cause })
  return { failure: { reason, unsent: unreachable, milliseconds } }
}

let client: Promise<HttpClient> | undefined

/**
 * Without TLS each event has a connection of its own: a server under development restarts often, and an event that is sent at
 * the moment in which a kept connection is closed is lost with it. With TLS connecting is dear, and connections are kept, but
 * shorter than servers keep them.
 */
function createRequest({
  body,
  contentType,
  contentEncoding,
  envelope,
  headers = {},
  ...options
}: PostEventOptions): OutgoingHttpRequest {
  const url = withQuery(options.url, envelope?.query)
  const login = basicLogin(url)
  return {
    method: 'POST',
    url,
    close: url.protocol === 'http:',
    headers: {
      'user-agent': 'callyard',
      ...envelope?.received,
      'content-type': contentType,
      ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
      ...(login !== undefined && { authorization: login }),
      ...lowerCaseNames(headers),
    },
    body,
  }
}

/** Bytes read of a response, which should be one short sentence. */
const maxResponseBytes = 64 * 1024
