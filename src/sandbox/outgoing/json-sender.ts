import { setMaxListeners } from 'node:events'
import { Readable } from 'node:stream'
import Queue from 'yocto-queue'
import { decodeResponse } from '../../files/text/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { getErrorReason } from '../../lib/error.ts'
import { basicLogin, lowerCaseNames } from '../../lib/net/http.ts'
import {
  type HttpClient,
  type HttpResponse,
  type OutgoingHttpRequest,
  openHttpClient,
  send as sendRequest,
} from '../../lib/net/http-client.ts'

/** Returns true if requests may be sent to this URL. */
export type AllowHost = (url: URL) => boolean

/** Why nothing is sent where it may not go, as a failure says it. */
export function hostNotAllowed(host: string): string {
  return `${host} is not one of the hosts that this sandbox may reach`
}

/** A server of the user: a webhook receiver, or the server of a function tool. */
export interface SendTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
}

export type SendResult =
  | {
      readonly status: number
      readonly text: string
      /** True if the response was longer than the limit. */
      readonly isCut: boolean
    }
  | SendFailure

interface SendFailure {
  /** Short reason, free of secrets. */
  readonly failure: string
  /** True if no connection was made, so the request cannot have arrived. */
  readonly unsent: boolean
  /** The certificate of the server is not trusted, so nothing was sent. */
  readonly untrusted?: true
}

/** A target, read once. */
interface ReadTarget extends Omit<SendTarget, 'url'> {
  readonly url: URL
  readonly origin: string
  readonly host: string
  readonly isReachable: boolean
}

/** Builds the request of a target from its headers. */
type ToRequest = (headers: SendTarget['headers']) => Pick<OutgoingHttpRequest, 'headers' | 'body'>

/** Bytes of a response of a tool's server that are read. */
export const maxToolResponseBytes = 1024 * 1024

/** Maximum number of connections per server, so that a hanging one does not affect others. */
const maxAtOncePerOrigin = 64

export type JsonSender = ReturnType<typeof createJsonSender>

type Semaphore = ReturnType<typeof createSemaphore>

/** Admits at once while there is capacity. Not p-limit, which always waits for promises: a tenth of the time of 1,000 calls at once. */
function createSemaphore(capacity: number) {
  const waiting = new Queue<() => void>()
  let available = capacity
  return {
    tryAcquire() {
      if (available === 0) return false
      available -= 1
      return true
    },
    acquire: () => new Promise<void>(resolve => waiting.enqueue(resolve)),
    release() {
      const wake = waiting.dequeue()
      if (wake === undefined) available += 1
      else wake()
    },
    isUnused: () => available === capacity,
  }
}

/** POSTs JSON to servers of other people, over shared connections. */
export function createJsonSender({
  clock,
  maxResponseBytes,
  allowHost = () => true,
  unref = false,
}: {
  readonly clock: Clock
  readonly maxResponseBytes: number
  /** Requests to other URLs fail without being sent. */
  readonly allowHost?: AllowHost | undefined
  /** If true, pending requests do not keep the process alive. */
  readonly unref?: boolean | undefined
}) {
  /** Semaphores by origin. */
  const semaphores = new Map<string, Semaphore>()
  const knownTargets = new WeakMap<SendTarget, ReadTarget>()
  const givingUp = new AbortController()
  // Each request listens to it.
  setMaxListeners(0, givingUp.signal)
  let client: Promise<HttpClient> | undefined

  /** Once for each: a call sends many messages to its own. */
  const readTarget = (target: SendTarget): ReadTarget => {
    const url = new URL(target.url)
    const { origin, host } = url
    const { timeoutSeconds } = target
    return { url, origin, host, isReachable: allowHost(url), headers: headersTo(target), timeoutSeconds }
  }
  const send = async (target: SendTarget, toRequest: ToRequest): Promise<SendResult> => {
    const knownTarget = knownTargets.get(target) ?? readTarget(target)
    knownTargets.set(target, knownTarget)
    const { origin, host, isReachable } = knownTarget
    if (!isReachable) return { failure: hostNotAllowed(host), unsent: true }
    const semaphore = semaphores.get(origin) ?? createSemaphore(maxAtOncePerOrigin)
    semaphores.set(origin, semaphore)
    if (!semaphore.tryAcquire()) await semaphore.acquire()
    try {
      return await sendNow(knownTarget, toRequest)
    } catch (error) {
      return { failure: getErrorReason(error), unsent: false }
    } finally {
      semaphore.release()
      if (semaphore.isUnused()) semaphores.delete(origin)
    }
  }
  const sendNow = async (
    { url, headers, timeoutSeconds }: ReadTarget,
    toRequest: ToRequest,
  ): Promise<SendResult> => {
    client ??= openHttpClient({ maxConnections: maxAtOncePerOrigin, unref })
    const request = { method: 'POST', url, ...toRequest(headers) }
    const result = await sendRequest(await client, request, {
      timeoutMs: Math.ceil(timeoutSeconds * 1000),
      maxBytes: maxResponseBytes,
      signal: givingUp.signal,
      clock,
    })
    if ('status' in result) return await readResponse(result, maxResponseBytes)
    const { reason, unreachable, untrusted } = result
    return { failure: reason, unsent: unreachable, ...(untrusted && { untrusted }) }
  }
  return {
    /**
     * Sends once, when its turn at that server comes, within the target's time from then on (real time). Follows no redirect: headers
     * meant for one server go nowhere else. `json` is made when its turn comes. Never rejects.
     */
    post: (target: SendTarget, json: () => string) => send(target, headers => ({ headers, body: json() })),
    /** The same with the first half of the body: then the connection is broken, and the receiver sees a request that never ends. */
    async breakOff(target: SendTarget, json: () => string) {
      let isSent = false
      const result = await send(target, headers => {
        const bytes = Buffer.from(json())
        const firstHalf = bytes.subarray(0, Math.ceil(bytes.length / 2))
        const body = new Readable({
          // The first half is asked for and handed on before anything more is.
          highWaterMark: 0,
          read() {
            if (this.readableDidRead) breakWhenTaken()
            else this.push(firstHalf)
          },
        })
        /** A body may be read ahead; it is paused until the system has accepted its data. */
        const breakWhenTaken = () => {
          if (body.isPaused()) return void body.once('resume', breakWhenTaken)
          isSent = true
          body.destroy(new Error('a body that fails breaks its connection'))
        }
        return { headers: { ...headers, 'content-length': String(bytes.length) }, body }
      })
      return !isSent && 'failure' in result ? result : undefined
    },
    /** Ends the requests under way and all that follow, for this reason. */
    giveUp(reason: string) {
      givingUp.abort(new Error(reason))
    },
    async close() {
      await (await client)?.close()
    },
  }
}

async function readResponse(
  { status, headers, body, isCut }: HttpResponse,
  maxBytes: number,
): Promise<SendResult> {
  const { 'content-encoding': encoding, 'content-type': type } = headers
  if (encoding === undefined || isCut) return { status, text: decodeResponse(body, type).text, isCut }
  // A request without `accept-encoding` accepts every coding.
  const { decompress } = await import('../../files/text/index.ts')
  const result = decompress(body, encoding, maxBytes)
  return result.kind === 'too-large'
    ? { status, text: '', isCut: true }
    : { status, text: decodeResponse(result.bytes, type).text, isCut: false }
}

/** The headers that a target is sent. */
export function headersTo({ url, headers }: SendTarget): Readonly<Record<string, string>> {
  // undici ignores credentials in the URL.
  const authorization = basicLogin(new URL(url))
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...lowerCaseNames(headers),
    'content-type': 'application/json',
  }
}
