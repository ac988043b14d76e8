import { backgroundClock, startTimer } from '../../lib/clock.ts'
import { getErrorCode, getErrorReason } from '../../lib/error.ts'
import { followSignal } from '../../lib/follow-signal.ts'
import {
  certificateHint,
  isCertificateError,
  networkErrorReason,
  refusedTunnelStatus,
} from '../../lib/net/http.ts'
import type { ApiOptions, RawResponse } from './api.ts'
import { apiHints } from './api-hints.ts'
import { formatWait } from './format-wait.ts'
import type { Redactor } from './redact.ts'
import { type Transport, UnusableResponse } from './transport.ts'

const maxDebugBodyLength = 20_000

/** Outcome of one attempt: a response, an unusable response, or none. */
export type Result =
  | { readonly answer: RawResponse }
  /** `unusable` completes "returned". */
  | { readonly unusable: string; readonly status: number }
  | {
      readonly reason: string
      readonly hint?: string | undefined
      readonly passing: boolean
      readonly wasSent: boolean
      readonly cause: unknown
    }

interface AttemptedRequest {
  readonly method: string
  readonly url: URL
  readonly redact: Redactor
  readonly apiKey: string
  readonly json: string | undefined
}

/** One attempt, to be made as often as the rules allow. */
export function createAttempt(
  transport: Transport,
  { clock, timeoutMs, signal, debug, batch = false }: ApiOptions,
  { method, url, redact, apiKey, json }: AttemptedRequest,
): () => Promise<Result> {
  const body = json === undefined ? undefined : Buffer.from(json)
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'user-agent': 'callyard',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const logMessage = (mark: '<' | '>', headers: Readonly<Record<string, string>>, body = '') => {
    if (debug === undefined) return
    for (const [name, value] of Object.entries(headers))
      debug(`${mark} ${name}: ${redact.header(name, value)}`)
    if (body === '') return
    const text = redact.body(body)
    const rest = text.length - maxDebugBodyLength
    debug(`${mark} ${rest > 0 ? `${text.slice(0, maxDebugBodyLength)}… (${rest} more characters)` : text}`)
  }

  return async () => {
    const ending = followSignal(batch ? undefined : signal)
    let isLate = false
    const onLate = () => {
      isLate = true
      ending.abort()
    }
    const cancelDeadline = startTimer(timeoutMs, onLate, backgroundClock)
    const startTime = clock.now()
    let wasSent = false
    debug?.(redact.text(`> ${method} ${url.href}`))
    logMessage('>', headers, json)
    try {
      const answer = await transport.exchange({
        method,
        url,
        headers,
        body,
        signal: ending.signal,
        onSending: () => {
          wasSent = true
        },
      })
      debug?.(`< ${answer.status} (${clock.now() - startTime} ms)`)
      logMessage('<', answer.headers, answer.body)
      return { answer }
    } catch (cause) {
      if (cause instanceof UnusableResponse) return { unusable: cause.message, status: cause.status }
      const late = `no response within ${formatWait(timeoutMs)}`
      const failure = isLate ? passing(late, apiHints.allowMoreTime) : networkReason(cause)
      debug?.(redact.text(`< ${failure.reason} (${clock.now() - startTime} ms)`))
      return { ...failure, wasSent, cause }
    } finally {
      cancelDeadline()
      ending.release()
    }
  }
}

/** Reason for a missing response; `passing` means that a retry can help. */
const passing = (reason: string, hint?: string) => ({ reason, hint, passing: true })
const lasting = (reason: string, hint?: string) => ({ reason, hint, passing: false })

const checkNetwork = 'check the network connection'

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: apiHints.checkService,
  ETIMEDOUT: apiHints.checkService,
  ENOTFOUND: apiHints.checkBaseUrl,
  EAI_AGAIN: checkNetwork,
  EHOSTUNREACH: checkNetwork,
  ENETUNREACH: checkNetwork,
  ENETDOWN: checkNetwork,
}

/** Names an error of Node. A refused tunnel and an untrusted certificate do not get better by repetition. */
export function networkReason(error: unknown) {
  const code = getErrorCode(error)
  const knownReason = networkErrorReason(code)
  if (code?.startsWith('HPE_') === true && knownReason !== undefined) return lasting(knownReason)
  if (knownReason !== undefined) return passing(knownReason, hints[code ?? ''])
  const message = getErrorReason(error)
  const refusedTunnel = refusedTunnelStatus(error)
  if (refusedTunnel !== undefined) return lasting(`the proxy refused the connection (${refusedTunnel})`)
  if (isCertificateError(code))
    return lasting(`the certificate of the service is not trusted (${code})`, certificateHint)
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL') === true) {
    return lasting('the service does not speak TLS here', 'is it an http address?')
  }
  return passing(code === undefined ? message : `${message} (${code})`)
}
