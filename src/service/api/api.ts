import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import type { CallyardError } from '../../lib/error.ts'
import type { NotStored } from './not-stored-schema.ts'

/** Any request the interface does not show. */
export interface RawRequest {
  readonly method: string
  /** Begins with a slash, is encoded, and is appended to the base URL. */
  readonly path: string
  readonly body?: unknown
  /** The body as JSON text, sent as it is; wins over `body`. */
  readonly json?: string | undefined
}

/** A request as it goes out. */
export interface SentRequest {
  readonly method: string
  readonly url: URL
  readonly json: string | undefined
}

export interface RawResponse {
  readonly status: number
  /** Names in lower case; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** True if nothing says which encoding the body is in. */
  readonly isGuess?: boolean
  readonly bytes: Uint8Array
  /** Error for a status other than 2xx. */
  readonly failure?: CallyardError
}

export interface Connection {
  readonly baseUrl: string
  /** A function is called once a request is permitted, to ask for a passphrase. */
  readonly apiKey: string | (() => Promise<string>)
}

/** Why a request is sent again, and when. */
export interface Retry {
  /** Reason such as "the service answered 503", without secrets. */
  readonly reason: string
  readonly isRateLimited: boolean
  /** Number of attempts so far. */
  readonly attemptCount: number
  readonly waitMs: number
}

/** Dependencies of a request, even without a key. */
export interface RequestContext {
  readonly clock: Clock
  /** Ctrl-C: no further attempt is made. */
  readonly signal: AbortSignal
  /** Proxies: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in either case. */
  readonly env: Environment
}

export interface ApiOptions extends RequestContext {
  /** Called before each request; throws without a base URL or key. */
  connect(): Promise<Connection>
  /** Called before each request that may change something; throws if it must not be sent. */
  permit?(request: SentRequest): Promise<void>
  /** For one attempt, from connecting to the last byte. */
  readonly timeoutMs: number
  /**
   * For many related requests: Ctrl-C waits for the current one up to its timeout, so that its outcome is known, and a rate-limiting
   * service is retried up to ten times.
   */
  readonly batch?: boolean
  /** Returns values to redact in errors and debug output: those that bodies contain from the environment. */
  secrets?(): readonly string[]
  readonly debug?: (line: string) => void
  /** Called when a request begins to wait for its next attempt; what it returns is called when the wait is over. */
  readonly onRetry?: (retry: Retry) => () => void
  /** Reports an oddity of an accepted response to the user. */
  readonly warn?: (line: string) => void
  /** Reports a field that was sent, and that the service did not store; `warning` says so. */
  readonly onNotStored?: (field: NotStored, warning: string) => void
}
