import { CallwrightError, type ErrorKind } from '../lib/error.ts'
import { networkErrorCode } from '../lib/net/http.ts'
import type { ApiHint, RawAnswer } from './api.ts'
import type { Redactor } from './redact.ts'
import { serviceMessage } from './service-message.ts'

/**
 * What became of a failed request, in `details.outcome`: it never left, the service said no, or it is unknown. Only
 * the last may have had an effect.
 */
type RequestOutcome = 'not-sent' | 'refused' | 'unknown'

/** A request as an error speaks of it. */
export interface Subject {
  readonly method: string
  readonly url: URL
  /** What may have happened when the outcome is unknown: "the call may have been placed". */
  readonly effect: string
}

/** How the attempts went. */
export interface Attempts {
  readonly made: number
  /** Whether another attempt would have been allowed, had there been any left. */
  readonly repeatable: boolean
  /** Whether an attempt before the last one may have had an effect: a refusal of the last says nothing of it. */
  readonly uncertain?: boolean
}

const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'x-trace-id',
  'cf-ray',
]

/**
 * An answer other than 2xx. 401 and 403 are `unauthorized`, 3xx and 4xx `refused`, all else `unreachable`; so are 408 and
 * 499, after which the outcome is unknown.
 */
export function answerFailure(
  subject: Subject,
  answer: RawAnswer,
  attempts: Attempts,
  redact: Redactor,
): CallwrightError {
  const { status, headers } = answer
  const message = serviceMessage(answer.body, headers['content-type'] ?? '', redact.text)
  const requestId = requestIdHeaders
    .map(name => redact.header(name, headers[name] ?? ''))
    .find(found => found !== '')
  const said = `${message === undefined ? '' : `: ${message}`}${requestId === undefined ? '' : ` (request ${requestId})`}`
  const name = requestName(subject)
  const refused = attempts.uncertain === true ? 'unknown' : 'refused'
  const failure = (
    kind: ErrorKind,
    words: string,
    hint?: string,
    { outcome = refused, location }: { outcome?: RequestOutcome; location?: string } = {},
  ) => {
    const details = { status, serviceMessage: message, requestId, location }
    return fail(redact, kind, words, outcome, { details, hint })
  }

  if (status === 401 || status === 403) {
    const words = `the service refused the API key for ${name} (${status})${said}`
    return failure('unauthorized', words, 'check-api-key' satisfies ApiHint)
  }
  if (status === 304) {
    const words = `${name} was answered as not modified (304), which callwright never asks for`
    return failure('refused', words, 'something between, such as a cache, answers in place of the service')
  }
  if (status >= 300 && status < 400) {
    const location = redirectTarget(headers.location, subject.url)
    const words = `${name} was redirected (${status}) to ${location}; redirects are not followed, the key stays with ${subject.url.origin}`
    return failure('refused', words, 'set the base URL that the service really has', { location })
  }
  if (status === 429) {
    const words = `the service has no room for ${name} now (429)${said}${tries(attempts)}`
    return failure('refused', words, waitHint(headers['retry-after']))
  }
  if (status >= 400 && status < 500 && !isGatewayTimeout(status)) {
    return failure('refused', `the service refused ${name} (${status})${said}`)
  }
  // 503 with Retry-After is the service's own word that it did not take the request.
  const outcome = status === 503 && headers['retry-after'] !== undefined ? refused : 'unknown'
  const words = `the service failed on ${name} (${status})${said}${aftermath(subject, outcome, attempts)}`
  const hint = outcome === 'refused' ? waitHint(headers['retry-after']) : undefined
  return failure('unreachable', words, hint, { outcome })
}

/** An answer of 2xx that cannot be used: not JSON, empty, too big, without id. `what` completes "… answered with". */
export function unreadableFailure(
  subject: Subject,
  { what, status }: { what: string; status: number },
  redact: Redactor,
): CallwrightError {
  const text = `${requestName(subject)} was answered (${status}) with ${what}`
  return fail(
    redact,
    'unreachable',
    `${text}${aftermath(subject, 'unknown', { made: 1, repeatable: false })}`,
    'unknown',
    { details: { status }, hint: 'show-answer' satisfies ApiHint },
  )
}

/** No answer, or not all of it. */
export function networkFailure(
  subject: Subject,
  {
    reason,
    sent,
    hint,
    cause,
  }: { reason: string; sent: boolean; hint?: string | undefined; cause?: unknown },
  attempts: Attempts,
  redact: Redactor,
): CallwrightError {
  const outcome = sent ? 'unknown' : 'not-sent'
  return fail(
    redact,
    'unreachable',
    `${requestName(subject)} failed: ${reason}${aftermath(subject, outcome, attempts)}`,
    outcome,
    { hint, details: { code: networkErrorCode(cause) } },
  )
}

/** Ctrl-C. Says whether something may have happened. */
export function cancelledFailure(
  subject: Subject,
  { sent }: { sent: boolean },
  redact: Redactor,
): CallwrightError {
  const outcome = sent && isUnsafe(subject.method) ? 'unknown' : 'not-sent'
  return fail(
    redact,
    'cancelled',
    outcome === 'unknown' ? `cancelled; ${subject.effect}` : 'cancelled; nothing was sent',
    outcome,
    {},
  )
}

/**
 * 408 and 499: a proxy's word that it waited no longer, while the service behind may have done its work. 425 is not among
 * them: the service says that it did not begin.
 */
export function isGatewayTimeout(status: number): boolean {
  return status === 408 || status === 499
}

/** GET and its like change nothing, also when their outcome is unknown. */
export function isUnsafe(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method)
}

/** The one place where an error about a request is made: no secret passes it. */
function fail(
  redact: Redactor,
  kind: ErrorKind,
  message: string,
  outcome: RequestOutcome,
  { details = {}, hint }: { details?: Readonly<Record<string, unknown>>; hint?: string | undefined },
): CallwrightError {
  const known = Object.entries(details).filter(([, value]) => value !== undefined)
  return new CallwrightError(kind, redact.text(message), {
    hint,
    details: Object.fromEntries([
      ...known.map(([key, value]) => [key, typeof value === 'string' ? redact.text(value) : value]),
      ['outcome', outcome],
    ]),
  })
}

function requestName({ method, url }: Subject): string {
  return `${method} ${url.origin}${url.pathname}`
}

function aftermath({ method, effect }: Subject, outcome: RequestOutcome, attempts: Attempts): string {
  if (!isUnsafe(method)) return tries(attempts)
  if (outcome === 'not-sent') return `; nothing was sent${tries(attempts)}`
  if (outcome === 'refused') return tries(attempts)
  return attempts.repeatable ? `; ${effect}${tries(attempts)}` : `; ${effect}; not retried`
}

function tries({ made }: Attempts): string {
  return made > 1 ? `; given up after ${made} attempts` : ''
}

function waitHint(retryAfter: string | undefined): string {
  const seconds = Number(retryAfter)
  if (!Number.isFinite(seconds)) return 'try again later'
  return `the service asks to wait ${formatWait(seconds * 1000)}; try again then`
}

/** Only the origin: the rest of a Location may carry secrets. */
function redirectTarget(location: string | undefined, from: URL): string {
  if (location === undefined || !URL.canParse(location, from.href)) return 'nowhere'
  const target = new URL(location, from)
  return target.origin === from.origin ? `${target.origin}${target.pathname}` : target.origin
}

/** `2 s`, `0.5 s`, `3 min`. */
export function formatWait(milliseconds: number): string {
  if (milliseconds >= 120_000) return `${Math.round(milliseconds / 60_000)} min`
  return `${Math.round(milliseconds / 100) / 10} s`
}
