/** Public types of both entry points. Self-contained, because they are published unchanged. */

import type { NextOptions, WebhookFields } from './resources.ts'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** One finding about a file. */
export interface Finding {
  /** Stable, kebab-case: `unknown-key`, `missing`, `wrong-type`, `not-allowed`, `out-of-range`, `broken-yaml`… */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** Path as given or as found in a folder; relative to `cwd` if it lies below. */
  readonly file: string
  /** From 1; undefined where the finding is about the file as a whole. */
  readonly line?: number | undefined
  /** From 1, in UTF-16 code units, as editors count. */
  readonly column?: number | undefined
  /** `config.speech.ttsData[0].vendor`; undefined where the finding is about the file as a whole. */
  readonly field?: string | undefined
  readonly message: string
  /** Next step. */
  readonly hint?: string | undefined
}

/** Error that every function of the package throws. */
export class CallyardError extends Error {
  override readonly name: string = 'CallyardError'
  /** Stable, kebab-case, such as `unknown-key`, `not-found`, `closed`, `timeout`, `invalid-files`. */
  readonly code: string
  /** The option or field that is refused, such as `caller[1]`; undefined where the error is about no one field. */
  readonly field: string | undefined
  /** Next step; also part of the message. */
  readonly hint: string | undefined
  /** For `invalid-files`, all findings including warnings; empty for other codes. */
  readonly findings: readonly Finding[]

  constructor(
    code: string,
    message: string,
    options: {
      readonly field?: string | undefined
      readonly hint?: string | undefined
      readonly findings?: readonly Finding[] | undefined
      /** Node.js system error, such as EADDRINUSE. */
      readonly cause?: unknown
    } = {},
  ) {
    const { field, hint, findings = [], cause } = options
    super(hint === undefined ? message : `${message}; ${hint}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.field = field
    this.hint = hint
    this.findings = findings
  }
}

/** A text is the type. */
export type WebhookFilter = string | WebhookFields

/** An event that was received. */
export interface ReceivedEvent {
  /** `message.type`, or `unknown` if it is not a string. */
  readonly type: string
  /** Id of the call; null for an event without one. */
  readonly callId: string | null
  /** Status of the call, where the event has one. */
  readonly status: string | undefined
  /** Body as received, including the envelope. */
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** An open receiver does not keep the process alive: only `next` and `close` do, while they are awaited. A `for await` loop does not. */
export interface WebhookReceiver extends AsyncIterable<ReceivedEvent> {
  /** URL for the `assistantServer.url` of an assistant. */
  readonly url: string
  /**
   * The first event that fits and that was not read yet, whether it came already or is still to come; others stay for later
   * calls.
   * @throws CallyardError `timeout`, which says what came instead; `closed`; and for a filter that cannot be
   */
  next(
    filter?: WebhookFilter | ((event: ReceivedEvent) => boolean),
    options?: NextOptions,
  ): Promise<ReceivedEvent>
  /** Discards unread events, for the start of a test. */
  clear(): void
  /** Listens no more. What came is still there for `next` and the iterator, which then end. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
