import { CallyardError, type ErrorKind, getErrorCode } from '../../lib/error.ts'
import { formatWait } from '../../lib/text/date-time.ts'
import type { RawResponse } from './api.ts'
import { apiHints } from './api-hints.ts'
import type { Redactor } from './redact.ts'
import { bodyExcerpt, serviceMessage } from './service-message.ts'

/**
 * Outcome of a failed request, in `details.outcome`: never sent, refused by the service, unknown, or done but without an id in the
 * response.
 */
type RequestOutcome = 'not-sent' | 'refused' | 'unknown' | 'done'

/** A request as an error speaks of it. */
export interface Subject {
  readonly method: string
  readonly url: URL
  /** Possible effect if the outcome is unknown: "the call may have been placed". */
  readonly effect: string
}

export interface Attempts {
  readonly attemptCount: number
  /** True if the request could have been retried with attempts left. */
  readonly repeatable: boolean
  /** True if an earlier attempt may have had an effect, whatever the last response says. */
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

/** The errors of a request. No secret passes them. */
export function createFailures({ method, url, effect }: Subject, redact: Redactor) {
  const name = `${method} ${url.origin}${url.pathname}`
  const aftermath = (outcome: RequestOutcome, attempts: Attempts) => {
    if (!isUnsafe(method) || outcome === 'refused') return tries(attempts)
    if (outcome === 'not-sent') return `; nothing was sent${tries(attempts)}`
    return attempts.repeatable ? `; ${effect}${tries(attempts)}` : `; ${effect}; not retried`
  }
  /** A longer timeout alone would lead to a second request. */
  const hintAfter = (outcome: RequestOutcome, attempts: Attempts, hint?: string): string | undefined => {
    if (outcome !== 'unknown' || !isUnsafe(method) || attempts.repeatable) return hint
    return hint === apiHints.allowMoreTime ? apiHints.checkOutcomeAfterTimeout : apiHints.checkOutcome
  }
  const fail = (
    kind: ErrorKind,
    message: string,
    outcome: RequestOutcome,
    { hint, ...details }: Readonly<Record<string, unknown>> & { readonly hint?: string | undefined } = {},
  ) => {
    const definedDetails = Object.entries(details).filter(([, value]) => value !== undefined)
    return new CallyardError(kind, redact.text(message), {
      hint,
      details: Object.fromEntries([
        ...definedDetails.map(([key, value]) => [
          key,
          typeof value === 'string' ? redact.text(value) : value,
        ]),
        ['outcome', outcome],
      ]),
    })
  }
  return {
    /**
     * Converts a response other than 2xx. 401 and 403 are `unauthorized`, 3xx and 4xx `refused`, all else `unreachable`; so are 408 and
     * 499, after which the outcome is unknown.
     */
    answer({ status, headers, body }: Omit<RawResponse, 'bytes'>, attempts: Attempts): CallyardError {
      const parsedMessage = serviceMessage(body, headers['content-type'] ?? '', redact)
      const requestId = requestIdHeaders
        .map(header => redact.header(header, headers[header] ?? ''))
        .find(id => id !== '')
      const messageSuffix = `${parsedMessage === undefined ? '' : `: ${parsedMessage.text}`}${requestId === undefined ? '' : ` (request ${requestId})`}`
      const details = {
        ...{ status, serviceMessage: parsedMessage?.message, requestId },
        body: bodyExcerpt(body, redact) ?? '',
      }
      const refusal = attempts.uncertain === true ? 'unknown' : 'refused'

      if (status === 401 || status === 403) {
        const words = `the service rejected the API key for ${name} (${status})${messageSuffix}`
        return fail('unauthorized', words, refusal, { ...details, hint: apiHints.checkApiKey })
      }
      if (status === 304) {
        const words = `${name} returned 304 Not Modified, which callyard never requests`
        const hint = 'check for a cache or proxy between callyard and the service'
        return fail('refused', words, refusal, { ...details, hint })
      }
      if (status >= 300 && status < 400) {
        const location = redirectTarget(headers.location, url)
        const words = `${name} was redirected (${status}) to ${location}; redirects are not followed, the key stays with ${url.origin}`
        const hint = 'set the base URL to the address of the service itself'
        return fail('refused', words, refusal, { ...details, location, hint })
      }
      if (status === 429) {
        const words = `the service is rate limiting ${name} (429)${messageSuffix}${tries(attempts)}`
        return fail('refused', words, refusal, { ...details, hint: waitHint(headers['retry-after']) })
      }
      if (status >= 400 && status < 500 && !isGatewayTimeout(status))
        return fail('refused', `the service rejected ${name} (${status})${messageSuffix}`, refusal, details)
      // 503 with Retry-After is the service's own word that it did not take the request.
      const outcome = status === 503 && headers['retry-after'] !== undefined ? refusal : 'unknown'
      const isOpen = outcome === 'unknown' && isUnsafe(method)
      const outcomeText = isOpen
        ? `${name}: outcome unknown (the service responded ${status})`
        : `the service failed on ${name} (${status})`
      const words = `${outcomeText}${messageSuffix}${aftermath(outcome, attempts)}`
      const hint = outcome === 'refused' ? waitHint(headers['retry-after']) : hintAfter(outcome, attempts)
      return fail('unreachable', words, outcome, { ...details, hint })
    },
    /** A response that cannot be used: not JSON, too big. `problem` completes "returned". */
    unreadable(problem: string, { status, body = '' }: UnusableText): CallyardError {
      const excerpt = bodyExcerpt(body, redact)
      const words = `${name} returned ${problem} (${status})${aftermath('unknown', { attemptCount: 1, repeatable: false })}`
      return fail('unreachable', `${words}${excerptSuffix(excerpt)}`, 'unknown', {
        status,
        body: excerpt ?? '',
        hint: apiHints.checkBaseUrl,
      })
    },
    /** A 2xx whose body has no id in any of the usual places. The service completed the request. */
    withoutId(noun: string, { status, body = '' }: UnusableText): CallyardError {
      const excerpt = bodyExcerpt(body, redact)
      const problem =
        excerpt === undefined ? 'the response is empty' : `the response has no id of the ${noun}`
      const details = { status, body: excerpt ?? '', hint: apiHints.lookUpId }
      return fail(
        'partial',
        `${name} succeeded (${status}), and ${problem}${excerptSuffix(excerpt)}`,
        'done',
        details,
      )
    },
    network({ reason, wasSent, hint, cause }: NoResponse, attempts: Attempts): CallyardError {
      const outcome = wasSent ? 'unknown' : 'not-sent'
      const words = `${name} failed: ${reason}${aftermath(outcome, attempts)}`
      const details = { code: getErrorCode(cause), hint: hintAfter(outcome, attempts, hint) }
      return fail('unreachable', words, outcome, details)
    },
    /** Ctrl-C. Says whether something may have happened. */
    cancelled(wasSent: boolean): CallyardError {
      return wasSent && isUnsafe(method)
        ? fail('cancelled', `cancelled; ${effect}`, 'unknown')
        : fail('cancelled', 'cancelled; nothing was sent', 'not-sent')
    },
  }
}

function excerptSuffix(excerpt: string | undefined): string {
  return excerpt === undefined ? '' : `: ${excerpt}`
}

interface UnusableText {
  readonly status: number
  readonly body?: string
}

interface NoResponse {
  readonly reason: string
  readonly wasSent: boolean
  readonly hint?: string | undefined
  readonly cause?: unknown
}

/**
 * 408 and 499: a proxy's word that it waited no longer, while the service behind may have done its work. 425 is not among
 * them: the service says that it did not begin.
 */
export function isGatewayTimeout(status: number): boolean {
  return status === 408 || status === 499
}

/** True if the service does not have the record. */
export function isNotFound(error: unknown): error is CallyardError {
  return error instanceof CallyardError && (error.details.status === 404 || error.details.status === 410)
}

/** GET and its like change nothing, also when their outcome is unknown. */
export function isUnsafe(method: string): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method)
}

function tries({ attemptCount }: Attempts): string {
  return attemptCount > 1 ? `; gave up after ${attemptCount} attempts` : ''
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
