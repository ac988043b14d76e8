import type { AssistantRecord } from '../interface/assistant.ts'
import type { CallRecord, StartedCall } from '../interface/call.ts'
import type { FaqAnswer, FaqEntry, NewFaqEntry } from '../interface/faq.ts'
import type { ToolRecord } from '../interface/tool.ts'
import type { Clock } from '../lib/clock.ts'
import type { Environment } from '../lib/environment.ts'
import type { CallwrightError } from '../lib/error.ts'

/** Any request the interface does not show. */
export interface RawRequest {
  readonly method: string
  /** Begins with a slash, is encoded, and is appended to the base URL. */
  readonly path: string
  readonly body?: unknown
  /** The body as JSON text, sent as it is; wins over `body`. */
  readonly json?: string | undefined
}

export interface RawAnswer {
  readonly status: number
  /** Names in lower case; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What is wrong when the status is not 2xx. */
  readonly failure?: CallwrightError
}

/** Hints that name a flag or a command: their words stand in src/cli/messages/words.ts. */
export type ApiHint = 'check-api-key' | 'check-base-url' | 'check-service' | 'allow-more-time' | 'show-answer'

type Body = Readonly<Record<string, unknown>>

interface PlaceOptions {
  /** The caller learns of the call by its events: an answer without an id, or an empty one, is no error. */
  readonly isFollowed?: boolean
}

/** What an update was answered with, and the id: the one of the request where the answer has none. */
export interface UpdatedRecord {
  readonly [field: string]: unknown
  readonly _id: string
}

/** The seven endpoints of interface.md 4, one function each, one that a project declares, and a raw one. Bodies are already in wire words. */
export interface Api {
  startCall(body: Body, options?: PlaceOptions): Promise<StartedCall>
  connectCall(body: Body, options?: PlaceOptions): Promise<CallRecord>
  createAssistant(body: Body): Promise<AssistantRecord>
  createTool(body: Body): Promise<ToolRecord>
  updateTool(id: string, body: Body): Promise<UpdatedRecord>
  /** By an endpoint that the project declares: its path holds `{id}`. */
  updateAssistant(
    id: string,
    endpoint: { readonly method: string; readonly path: string },
    body: Body,
  ): Promise<UpdatedRecord>
  insertFaq(knowledgeBaseId: string, faq: readonly NewFaqEntry[]): Promise<FaqAnswer>
  updateFaq(knowledgeBaseId: string, faq: readonly FaqEntry[]): Promise<unknown>
  /** Any request. Answers of every status are returned, with their `failure`. */
  request(request: RawRequest): Promise<RawAnswer>
  /** Closes kept-alive connections so that the process can end. */
  close(): Promise<void>
}

/** Where the service is and who asks. */
export interface Connection {
  readonly baseUrl: string
  readonly apiKey: string
}

export interface ApiOptions {
  /** Asked before each request; throws when there is no base URL or no key. */
  connect(): Promise<Connection>
  /** For one attempt, from connecting to the last byte. */
  readonly timeoutMs: number
  readonly clock: Clock
  /** Ctrl-C: no further attempt is made. */
  readonly signal: AbortSignal
  /**
   * For many requests that belong together: one that is under way at Ctrl-C is waited for, up to its timeout, so that its
   * outcome is known; and a service that asks for patience is asked up to ten times.
   */
  readonly batch?: boolean
  /** What must not show in errors or debug lines: what the bodies carry from the environment. */
  secrets?(): readonly string[]
  /** Proxies: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in either case. */
  readonly env: Environment
  readonly debug?: (line: string) => void
  /** Told to a person while it goes on: "retrying in 2 s". */
  readonly note?: (line: string) => void
  /** What a person should know of an answer that was taken. */
  readonly warn?: (line: string) => void
}
