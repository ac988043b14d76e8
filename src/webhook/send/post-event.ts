import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { type Clock, startTimer, systemClock } from '../../lib/clock.ts'
import { CallwrightError, codeOf } from '../../lib/error.ts'
import { isUnsent, lowerCaseNames, networkErrorReason, readBeginning } from '../../lib/net/http.ts'
import type { BodyHeaders } from '../receive/decode-body.ts'

export interface PostEventOptions {
  /** http or https. */
  readonly url: string
  /** Sent as it is; text in UTF-8. */
  readonly body: Buffer | string
  readonly contentType: string
  /** Encoding of a body that is sent on compressed, unmodified. */
  readonly contentEncoding?: string | undefined
  /** Beside the content type; one of the same name wins over it. Names in any case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds, from connecting to the last byte of the answer. */
  readonly timeout: number
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'now'>
}

/** Headers for sending a received body on, taken from the headers it came with. */
export function contentHeaders(
  headers: BodyHeaders,
): Pick<PostEventOptions, 'contentType' | 'contentEncoding'> {
  return {
    contentType: headers['content-type'] ?? 'application/json',
    contentEncoding: headers['content-encoding'],
  }
}

/** An answer of any status. */
export interface EventAnswer {
  readonly status: number
  /** From connecting to the last byte. */
  readonly milliseconds: number
  /** The first 64 KiB of it, as UTF-8. */
  readonly body: string
}

/** No answer came, or not all of it. */
export interface EventFailure {
  readonly failure: {
    /** In words, such as `connection refused`. */
    readonly reason: string
    /** Whether there was no connection: nothing was sent, so nothing is repeated by trying again. */
    readonly unsent: boolean
    readonly milliseconds: number
  }
}

export type EventOutcome = EventAnswer | EventFailure

/**
 * Sends one event to a webhook receiver (interface.md 4.8), once: a receiver counts what it gets, so
 * nothing is repeated. A redirect is an answer and is not followed: headers meant for one server go nowhere else.
 * By node:http, which takes a third of fetch's time for a connection that breaks: a forwarder has answers of its own to give
 * meanwhile.
 * @throws CallwrightError `cancelled` when the signal aborts first; the event may have arrived.
 */
export async function postEvent(options: PostEventOptions): Promise<EventOutcome> {
  const { timeout, signal, clock } = options
  if (signal.aborted) throw new CallwrightError('cancelled', 'cancelled')
  const started = clock.now()
  try {
    const { status, body } = await exchange(options)
    return { status, milliseconds: clock.now() - started, body }
  } catch (cause) {
    if (signal.aborted) {
      throw new CallwrightError('cancelled', 'cancelled; the last event may have arrived', { cause })
    }
    const isLate = cause === late
    const reason = isLate ? `no answer within ${timeout} ms` : failureReason(cause)
    const unsent = !isLate && isUnsent(codeOf(cause))
    return { failure: { reason, unsent, milliseconds: clock.now() - started } }
  }
}

const late = new Error('the time for the answer is over')

/**
 * Without TLS each event has a connection of its own: a server under development restarts often, and an event that is sent at
 * the moment in which a kept connection is closed is lost with it. With TLS connecting is dear, and connections are kept, but
 * shorter than servers keep them.
 */
const agents = {
  'http:': new HttpAgent({ keepAlive: false }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: 1000 }),
}

function exchange({
  url,
  body,
  contentType,
  contentEncoding,
  headers = {},
  timeout,
  signal,
}: PostEventOptions): Promise<{ status: number; body: string }> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const isSecure = url.startsWith('https:')
  return new Promise((resolve, reject) => {
    const request = (isSecure ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: agents[isSecure ? 'https:' : 'http:'],
      headers: {
        'user-agent': 'callwright',
        'content-type': contentType,
        ...(contentEncoding !== undefined && { 'content-encoding': contentEncoding }),
        ...lowerCaseNames(headers),
        'content-length': bytes.length,
      },
    })
    const breakOff = (reason: Error) => {
      reject(reason)
      request.destroy()
    }
    // A signal of each request, for its time and for ours, would cost as much as reading its answer.
    const cancelTimer = startTimer(timeout, () => breakOff(late), systemClock)
    const onAbort = () => breakOff(signal.reason)
    signal.addEventListener('abort', onAbort)
    request.on('close', () => {
      cancelTimer()
      signal.removeEventListener('abort', onAbort)
    })
    request.on('response', response => {
      readBeginning(response, maxAnswerBytes)
        .then(({ text }) => resolve({ status: response.statusCode ?? 0, body: text }), reject)
        .finally(() => {
          // Answered before all of it was read: what is left would wait for its reader for ever.
          if (!request.writableFinished) request.destroy()
        })
    })
    // 101, which was not asked for. Without a listener neither an answer nor an error would come.
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode ?? 0, body: '' })
    })
    request.on('error', reject)
    request.end(bytes)
  })
}

/** Bytes of an answer that are read; it should be one short sentence. */
const maxAnswerBytes = 64 * 1024

function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = codeOf(error)
  // What node:http says of a connection that was ended, and not reset.
  if (['socket hang up', 'aborted'].includes(error.message)) {
    return 'the connection was closed before the answer was complete'
  }
  return networkErrorReason(code) ?? (code === undefined ? error.message : `${error.message} (${code})`)
}
