import { Readable } from 'node:stream'
import type { buildConnector } from 'undici'
import type { Environment } from '../lib/environment.ts'
import { CallwrightError } from '../lib/error.ts'
import { isLoopback } from '../lib/net/address.ts'
import type { RawAnswer } from './api.ts'
import { skipContinue } from './skip-continue.ts'

export const maxAnswerBytes = 32 * 1024 * 1024

interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  readonly signal: AbortSignal
  /** Called when the first byte is about to go out: before that, the service cannot have seen the request. */
  onSending(): void
}

/** undici, opened for one origin. */
export interface Transport {
  /** One exchange, once: no retry, no redirect. Throws what the network throws, and UnusableAnswer. */
  exchange(request: OutgoingRequest): Promise<RawAnswer>
  close(): Promise<void>
}

/** The service answered, and the body cannot be used. The message completes "was answered with". */
export class UnusableAnswer extends Error {
  readonly status: number

  constructor(what: string, status: number) {
    super(what)
    this.status = status
  }
}

/** Loads undici and opens a pool of connections, through a proxy where the environment says so. */
export async function openTransport(
  base: URL,
  { env, timeout }: { env: Environment; timeout: number },
): Promise<Transport> {
  const { Agent, buildConnector, EnvHttpProxyAgent, Pool, request } = await import('undici')
  const ending = new AbortController()
  // undici's own timeouts are off: one deadline covers an attempt from connecting to the last byte. The signal ends
  // sockets that are still connecting; undici would leave them, and the process with them, to their timeout.
  const connect = { timeout: Math.min(timeout, 10_000), signal: ending.signal }
  const settings = {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
    factory(origin: string | URL, options: object) {
      // Through a proxy the connection is made by a function of undici's.
      const given = 'connect' in options ? options.connect : undefined
      const connector = isConnector(given) ? given : buildConnector(connect)
      return new Pool(origin, {
        ...options,
        connect: (target, done) =>
          connector(target, (...[error, socket]) =>
            error === null ? done(null, skipContinue(socket)) : done(error, null),
          ),
      })
    },
  }
  const proxy = chooseProxy(base, env)
  const dispatcher =
    proxy === undefined
      ? new Agent(settings)
      : new EnvHttpProxyAgent({
          ...settings,
          // The connection to the proxy itself, over which it is asked for a tunnel.
          clientFactory: settings.factory,
          httpProxy: proxy.url,
          httpsProxy: proxy.url,
          noProxy: proxy.except,
        })

  return {
    exchange: outgoing => orAborted(outgoing.signal, exchange(outgoing)),
    async close() {
      ending.abort()
      // Not awaited: it would wait for a proxy that never answers.
      void dispatcher.destroy().catch(() => undefined)
    },
  }

  async function exchange({
    method,
    url,
    headers,
    body,
    signal,
    onSending,
  }: OutgoingRequest): Promise<RawAnswer> {
    const response = await request(url, {
      dispatcher,
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(body.length) }) },
      body: observed(body, onSending),
      signal,
    })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body) {
      const bytes: Uint8Array = chunk
      size += bytes.length
      if (size > maxAnswerBytes) {
        throw new UnusableAnswer(
          `more than ${maxAnswerBytes / 1024 / 1024} MB, which is not read`,
          response.statusCode,
        )
      }
      chunks.push(bytes)
    }
    return {
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [
          name.toLowerCase(),
          Array.isArray(value) ? value.join(', ') : (value ?? ''),
        ]),
      ),
      body: decode(Buffer.concat(chunks), response.statusCode),
    }
  }
}

function isConnector(value: unknown): value is buildConnector.connector {
  return typeof value === 'function'
}

/** An old gateway's page of an error may be in another encoding: then the status counts. Of a success the bytes do. */
function decode(bytes: Buffer, status: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    if (status >= 200 && status < 300) throw new UnusableAnswer('bytes that are not UTF-8', status)
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * The work, or a rejection as soon as the signal says so: undici itself notices only once a connection stands, and then
 * sends nothing.
 */
async function orAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

/**
 * A body that tells when it is first asked for: undici does so once a connection (and a tunnel) stands. A request
 * without one gets an empty one, for the telling; nothing of it goes out.
 */
function observed(body: Buffer | undefined, onSending: () => void): Readable {
  return new Readable({
    read() {
      onSending()
      if (body !== undefined && body.length > 0) this.push(body)
      this.push(null)
    },
  })
}

export interface Proxy {
  /** The variable that names it. */
  readonly variable: string
  readonly url: string
  /** Hosts that are reached directly, as NO_PROXY lists them. */
  readonly except: string
}

/**
 * The proxy of the environment for a base URL: HTTPS_PROXY, else HTTP_PROXY; lower case wins, as everywhere. This machine
 * is never reached through one: its key would leave the machine in clear. Throws a usage error for a proxy that is not a
 * URL.
 */
export function chooseProxy(base: URL, env: Environment): Proxy | undefined {
  if (isLoopback(base)) return undefined
  const variable = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find(name => isSet(env[name]))
  const found = variable === undefined ? undefined : env[variable]
  if (variable === undefined || found === undefined) return undefined
  const url = found.includes('://') ? found : `http://${found}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CallwrightError('usage', `the proxy in ${variable} is not an http or https URL`, {
      hint: `for example ${variable}=http://proxy.example.com:3128`,
    })
  }
  return { variable, url, except: [env.no_proxy, env.NO_PROXY].find(isSet) ?? '' }
}

/** What to know when no connection stands; without the user name and password of the proxy. */
export function proxyHint({ variable, url }: Proxy): string {
  return `${variable} is set: requests go through ${new URL(url).host}, unless NO_PROXY lists the host`
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
