import { getErrorCode } from '../../lib/error.ts'
import { certificateHint, isLasting } from '../../lib/net/http.ts'
import type { SendFailure } from '../../lib/net/http-client.ts'
import type { ApiOptions, RawResponse } from './api.ts'
import { apiHints } from './api-hints.ts'
import type { Redactor } from './redact.ts'
import type { Transport, UnusableResponse } from './transport.ts'

const maxDebugBodyLength = 20_000

/** Outcome of one attempt: a response, an unusable response, or none. */
export type Result =
  | { readonly answer: RawResponse }
  | UnusableResponse
  | {
      readonly reason: string
      readonly hint?: string | undefined
      /** True if another attempt may succeed. */
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
  { clock, signal, debug, batch = false }: ApiOptions,
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
    const startTime = clock.now()
    debug?.(redact.text(`> ${method} ${url.href}`))
    logMessage('>', headers, json)
    const result = await transport.send({ method, url, headers, body, signal: batch ? undefined : signal })
    if ('unusable' in result) return result
    const time = `(${clock.now() - startTime} ms)`
    if ('reason' in result) {
      const { reason, unsent, cause } = result
      debug?.(redact.text(`< ${reason} ${time}`))
      const passing = !isLasting(getErrorCode(cause))
      return { reason, hint: networkHint(result), passing, wasSent: !unsent, cause }
    }
    debug?.(`< ${result.status} ${time}`)
    logMessage('<', result.headers, result.body)
    return { answer: result }
  }
}

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

/** Hint for a missing response. */
export function networkHint({ isLate, untrusted, cause }: SendFailure): string | undefined {
  if (isLate) return apiHints.allowMoreTime
  if (untrusted) return certificateHint
  const code = getErrorCode(cause) ?? ''
  return /^(EPROTO$|ERR_SSL)/.test(code) ? 'is it an http address?' : hints[code]
}
