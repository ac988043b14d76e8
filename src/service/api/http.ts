import { chooseProxy, proxyHint } from '../../lib/net/proxy.ts'
import type { ApiOptions, RawRequest } from './api.ts'
import { createAttempt } from './attempt.ts'
import { joinUrl, parseBaseUrl } from './base-url.ts'
import { type Attempts, createFailures, isUnsafe } from './failures.ts'
import { checkApiKey, createRedactor } from './redact.ts'
import { isRepeatable, mayHaveActed, planRetry } from './retry.ts'
import { openTransport, type Transport } from './transport.ts'

export interface HttpRequest extends RawRequest {
  /** Possible effect if the outcome is unknown: "the call may have been placed". */
  readonly effect: string
}

export type Http = ReturnType<typeof createHttp>

const maxAttempts = 3
/** Attempts in a batch, whose requests share the rate limit of the service. */
const maxBatchAttempts = 10

/** Creates the request function. Every other request waits too while the service asks for a pause. Three attempts in total. */
export function createHttp(options: ApiOptions) {
  let transport: Promise<Transport> | undefined
  /** Until when the service asked for no requests: all of them wait. */
  let pausedUntil = 0

  async function pauseEnds(): Promise<void> {
    for (let lastPause = 0; pausedUntil > lastPause; ) {
      lastPause = pausedUntil
      const wait = lastPause - options.clock.now()
      if (wait > 0) await sleep(options, wait)
    }
  }

  async function send(request: HttpRequest) {
    const connection = await options.connect()
    const base = parseBaseUrl(connection.baseUrl)
    const method = request.method.toUpperCase()
    const url = joinUrl(base, request.path)
    const json = request.json ?? JSON.stringify(request.body)
    if (isUnsafe(method)) await options.permit?.({ method, url: new URL(url), json })
    const key = typeof connection.apiKey === 'string' ? connection.apiKey : await connection.apiKey()
    const apiKey = checkApiKey(key)
    const redact = createRedactor(apiKey, options.secrets?.())
    const failures = createFailures({ method, url, effect: request.effect }, redact)
    transport ??= openTransport(base, options)
    const attempt = createAttempt(await transport, options, { method, url, redact, apiKey, json })
    const proxy = chooseProxy(base, options.env)

    let uncertain = false
    let onEnd: (() => void) | undefined
    for (let attemptCount = 1; ; attemptCount += 1) {
      await pauseEnds()
      onEnd?.()
      if (options.signal.aborted) throw failures.cancelled(uncertain)
      const result = await attempt()
      uncertain ||= 'wasSent' in result && result.wasSent
      if (options.signal.aborted && 'wasSent' in result) throw failures.cancelled(uncertain)
      if ('unusable' in result) throw failures.unreadable(result.unusable, result)

      const plan = planRetry(result, method, { clock: options.clock, attemptCount })
      const attempts: Attempts = { attemptCount, repeatable: isRepeatable(method), uncertain }
      const most = plan?.isFromServer === true && options.batch === true ? maxBatchAttempts : maxAttempts
      if (plan === undefined || attemptCount >= most) {
        if ('answer' in result) {
          const { answer } = result
          return {
            answer,
            redact,
            /** The error of a status other than 2xx. */
            failure: () => failures.answer(answer, attempts),
            /** Creates the error for an unusable 2xx; `problem` completes "returned". */
            unreadable: (problem: string) => failures.unreadable(problem, answer),
            /** Error for a 2xx without the id of the created resource. */
            withoutId: (noun: string) => failures.withoutId(noun, answer),
          }
        }
        // An untrusted certificate has its own hint: a proxy that inspects TLS may need NODE_EXTRA_CA_CERTS.
        const isProxyMeant =
          proxy !== undefined && !uncertain && (result.passing || result.hint === undefined)
        const through = isProxyMeant ? { hint: proxyHint(proxy) } : {}
        throw failures.network({ ...result, ...through, wasSent: uncertain }, attempts)
      }
      uncertain ||= 'answer' in result && mayHaveActed(result.answer)
      onEnd = options.onRetry?.({
        reason: redact.text(plan.reason),
        isRateLimited: 'answer' in result && result.answer.status === 429,
        attemptCount,
        waitMs: plan.wait,
      })
      if (plan.isFromServer) pausedUntil = Math.max(pausedUntil, options.clock.now() + plan.wait)
      else await sleep(options, plan.wait)
    }
  }

  return {
    /** Returns the response, with any status. Throws CallyardError without one. */
    send,
    /** Reports an oddity of an accepted response to the user. */
    warn: (line: string) => options.warn?.(line),
    onNotStored: options.onNotStored,
    async close() {
      await (await transport?.catch(() => undefined))?.close()
    },
  }
}

/** Ctrl-C ends the wait; the loop then says so. */
async function sleep({ clock, signal }: ApiOptions, milliseconds: number): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
