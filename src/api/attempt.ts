import { reasonOf } from '../lib/error.ts'
import { networkErrorCode, networkErrorReason } from '../lib/net/http.ts'
import type { ApiHint, ApiOptions, RawAnswer } from './api.ts'
import type { Subject } from './failures.ts'
import { formatWait } from './failures.ts'
import type { Redactor } from './redact.ts'
import { type Transport, UnusableAnswer } from './transport.ts'

const maxDebugBodyLength = 20_000

/** What became of one attempt: an answer, one that cannot be read, or none. */
export type Result =
  | { readonly answer: RawAnswer }
  | { readonly unusable: { readonly what: string; readonly status: number } }
  | {
      readonly reason: string
      readonly hint?: string | undefined
      readonly passing: boolean
      readonly sent: boolean
      readonly cause: unknown
    }

interface AttemptOptions {
  readonly options: ApiOptions
  readonly subject: Subject
  readonly redact: Redactor
  readonly apiKey: string
  readonly json: string | undefined
}

/** One attempt, to be made as often as the rules allow. */
export function createAttempt(
  transport: Transport,
  { options, subject, redact, apiKey, json }: AttemptOptions,
): () => Promise<Result> {
  const { method, url } = subject
  const { clock, timeoutMs, signal, debug, batch = false } = options
  const body = json === undefined ? undefined : Buffer.from(json)
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'user-agent': 'callwright',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }

  return async () => {
    const ending = new AbortController()
    const end = () => ending.abort()
    const deadline = AbortSignal.timeout(timeoutMs)
    deadline.addEventListener('abort', end)
    if (!batch) signal.addEventListener('abort', end)
    const started = clock.now()
    let sent = false
    debug?.(redact.text(`> ${method} ${url.href}`))
    logHeaders(debug, '>', headers, redact)
    if (json !== undefined) logBody(debug, '>', json, redact)
    try {
      const answer = await transport.exchange({
        method,
        url,
        headers,
        body,
        signal: ending.signal,
        onSending: () => {
          sent = true
        },
      })
      debug?.(`< ${answer.status} (${clock.now() - started} ms)`)
      logHeaders(debug, '<', answer.headers, redact)
      logBody(debug, '<', answer.body, redact)
      return { answer }
    } catch (cause) {
      if (cause instanceof UnusableAnswer) return { unusable: { what: cause.message, status: cause.status } }
      const why = deadline.aborted
        ? {
            reason: `no answer within ${formatWait(timeoutMs)}`,
            hint: 'allow-more-time' satisfies ApiHint,
            passing: true,
          }
        : networkReason(cause)
      debug?.(redact.text(`< ${why.reason} (${clock.now() - started} ms)`))
      return { ...why, sent, cause }
    } finally {
      deadline.removeEventListener('abort', end)
      signal.removeEventListener('abort', end)
    }
  }
}

function logHeaders(
  debug: ApiOptions['debug'],
  mark: string,
  headers: Readonly<Record<string, string>>,
  redact: Redactor,
): void {
  for (const [name, value] of Object.entries(headers))
    debug?.(`${mark} ${name}: ${redact.header(name, value)}`)
}

function logBody(debug: ApiOptions['debug'], mark: string, body: string, redact: Redactor): void {
  if (debug === undefined || body === '') return
  const text = redact.body(body)
  const rest = text.length - maxDebugBodyLength
  debug(`${mark} ${rest > 0 ? `${text.slice(0, maxDebugBodyLength)}… (${rest} more characters)` : text}`)
}

/** Why no answer came, in words. */
interface NetworkReason {
  readonly reason: string
  readonly hint?: string
  /** Whether trying again can help. */
  readonly passing: boolean
}

const passing = (reason: string, hint?: string): NetworkReason => ({
  reason,
  passing: true,
  ...(hint === undefined ? {} : { hint }),
})
const lasting = (reason: string, hint?: string): NetworkReason => ({
  ...passing(reason, hint),
  passing: false,
})

const isItRunning: ApiHint = 'check-service'
const checkNetwork = 'check the network connection'

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: isItRunning,
  ETIMEDOUT: isItRunning,
  ENOTFOUND: 'check-base-url' satisfies ApiHint,
  EAI_AGAIN: checkNetwork,
  EHOSTUNREACH: checkNetwork,
  ENETUNREACH: checkNetwork,
  ENETDOWN: checkNetwork,
}

/** Names an error of Node. A refused tunnel and an untrusted certificate do not get better by repetition. */
function networkReason(error: unknown): NetworkReason {
  const code = networkErrorCode(error)
  const known = networkErrorReason(code)
  if (code?.startsWith('HPE_') === true && known !== undefined) return lasting(known)
  if (known !== undefined) return passing(known, hints[code ?? ''])
  const message = reasonOf(error)
  const refusedTunnel = /^Proxy response \((\d+)\)/.exec(message)
  if (refusedTunnel !== null) return lasting(`the proxy refused the connection (${refusedTunnel[1]})`)
  if (isCertificate(code)) {
    return lasting(
      `the certificate of the service is not trusted (${code})`,
      'for a certificate authority of your own, set NODE_EXTRA_CA_CERTS to its file',
    )
  }
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL') === true) {
    return lasting('the service does not speak TLS here', 'is it an http address?')
  }
  return passing(code === undefined ? message : `${message} (${code})`)
}

function isCertificate(code: string | undefined): boolean {
  return code !== undefined && /CERT|^ERR_TLS|^UNABLE_TO_|^CRL_|^HOSTNAME_MISMATCH/.test(code)
}
