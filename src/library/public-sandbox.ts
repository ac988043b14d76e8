/** Public types of `callyard/sandbox`. Self-contained, because they are published unchanged. */

import type { JsonObject } from './public-types.ts'
import type { AssistantOverrides, InlineAssistant, WebhookEvent } from './resources.ts'
import type { FaultRule, PhoneNumber, RequestFilter, SandboxRequest, ToolCall } from './sandbox-parts.ts'

export type * from './sandbox-parts.ts'

/** One world of the service: what one API key sees. */
export interface WorldOptions {
  /** Speed of calls relative to real time. Default: 0, which does not wait. */
  readonly pace?: number | undefined
  /** Time passes by `advance` alone. */
  readonly frozen?: boolean | undefined
  /** The same seed gives the same ids, times and faults for the same requests. Default: 0 at pace 0, else a random one. */
  readonly seed?: number | undefined
  /** Default: a new one. */
  readonly apiKey?: string | undefined
}

export interface SandboxOptions extends WorldOptions {
  /** Folder that holds a callyard.yaml, relative to `cwd`. Default: nothing is created. */
  readonly project?: string | undefined
  /** Default: the working directory. */
  readonly cwd?: string | undefined
  /** Variables that `${env:NAME}` in the project's files can read. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Placeholder of the interface → the real word, if the project's callyard.yaml defines none. */
  readonly vocabulary?: Readonly<Record<string, string>> | undefined
  /** The phone numbers of the service. Default: any number is taken. */
  readonly numbers?: readonly PhoneNumber[] | undefined
  /** An OpenAI-compatible server that makes the replies. Default: they are made by rule, from the FAQ. */
  readonly llm?:
    | { readonly url: string; readonly model?: string | undefined; readonly apiKey?: string | undefined }
    | undefined
  /** Default: a free one. */
  readonly port?: number | undefined
  /** Hosts other than this machine that may receive webhooks and tool requests, such as `hooks.example.com`. */
  readonly allowHosts?: readonly string[] | undefined
}

type Hook = (run: () => Promise<void>) => unknown

/** The hooks of a test runner: the module `vitest`, `node:test` or `@jest/globals`, or Playwright's `test`. */
export interface TestRunner {
  readonly beforeAll?: Hook | undefined
  /** Replaces `beforeAll` in runners without it. */
  readonly before?: Hook | undefined
  readonly beforeEach: Hook
  readonly afterAll?: Hook | undefined
  /** Replaces `afterAll` in runners without it. */
  readonly after?: Hook | undefined
}

export interface CallOptions {
  /** A name in the project (`front-desk`), an id, or the fields of an assistant. Default: that of the number. */
  readonly assistant?: string | InlineAssistant | JsonObject | undefined
  /**
   * Lines that the caller says, or directions: `/say-nothing 10`, `/interrupt Wait`, `/keys 12#`, `/hangup`. Default: a caller who asks
   * a question from the FAQ.
   */
  readonly caller?: string | readonly string[] | undefined
  /** Values of `{{name}}` in the assistant's texts. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** Fields that this call overrides (interface.md 2.6). */
  readonly overrides?: AssistantOverrides | JsonObject | undefined
  /** Free-form data, which the call's record carries. */
  readonly metadata?: JsonObject | undefined
  /** Number to call. Default: +12025550123. */
  readonly to?: string | undefined
  /** The assistant's number. Default: +12025550100. */
  readonly from?: string | undefined
}

export interface TranscriptMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** ISO 8601, by the sandbox's clock. */
  readonly at: string
  /** It was cut short. */
  readonly interrupted?: true | undefined
}

/** Spoken messages in order. `String(transcript)` has one line per message; a line break in a message becomes ` ↵ `. */
export interface Transcript extends ReadonlyArray<TranscriptMessage> {
  toString(): string
}

export interface Call {
  readonly id: string
  /** `queued` or `ongoing` while the call is live, then `completed` or `forwarded`. */
  readonly status: 'queued' | 'ongoing' | 'completed' | 'forwarded'
  /** Reason that nobody picked up: `busy`, `no-answer`, `failed`; undefined if somebody did. */
  readonly phoneCallStatus: string | undefined
  /** `user`, `assistant`, `system`…; undefined while the call is live. */
  readonly endedBy: string | undefined
  /** Length of the conversation on the sandbox's clock; 0 if nobody picked up. */
  readonly durationMs: number
  readonly transcript: Transcript
  readonly toolCalls: readonly ToolCall[]
  /**
   * Webhook messages that the service sends, in order (interface.md 6): those of `assistantServer`, or all if the assistant
   * has none. Requested faults change only deliveries.
   */
  readonly events: readonly WebhookEvent[]
  /** `summary`, `successEvaluation`, `structuredData`; undefined before the end, or if none is configured. */
  readonly analysis: JsonObject | undefined
  /** The call's record, as its control URL shows it. */
  readonly record: JsonObject
}

export interface ActiveFault {
  readonly id: string
  remove(): void
}

/** Records of a world and the state of its ids and clock: plain JSON, without a key. */
export interface Snapshot {
  readonly format: 'callyard-sandbox'
  readonly version: 1
}

export interface World {
  /** Without a slash at the end: `CALLYARD_BASE_URL`. */
  readonly baseUrl: string
  /** `CALLYARD_API_KEY`. */
  readonly apiKey: string
  readonly teamId: string
  /** Ids of the project's resources by address, such as `assistant/front-desk`. */
  readonly ids: Readonly<Record<string, string>>
  /**
   * Places a call and resolves when it is over and its webhooks were sent. In a frozen world, it ends when `advance` reaches its end.
   * @throws CallyardError `not-found` for a missing assistant, `dropped` if the world is reset or restored meanwhile, and what Create
   * call rejects, by `field`
   */
  call(options?: CallOptions): Promise<Call>
  /** Returns all calls of the world, including those placed over HTTP, oldest first. */
  calls(): readonly Call[]
  /** Milliseconds since the epoch, by the sandbox's clock. */
  now(): number
  /**
   * Lets time pass at once: milliseconds, or a text such as `90s`, `1.5h`, `2d`. Resolves when all that fell due has happened.
   * @throws CallyardError for a time that cannot be
   */
  advance(time: number | string): Promise<void>
  /** Time passes by `advance` alone, or again by itself. Default: true. */
  freeze(on?: boolean): void
  /** @throws CallyardError for a pace that cannot be */
  setPace(pace: number): void
  /** @throws CallyardError for a rule that cannot be, by `field` */
  fault(rule: FaultRule): ActiveFault
  clearFaults(): void
  /** The latest requests over HTTP, the oldest first: 1,000 at most. */
  requests(filter?: RequestFilter): readonly SandboxRequest[]
  /** Resolves when no call runs and no webhook waits. */
  idle(): Promise<void>
  /** The records as they are now. */
  snapshot(): Promise<Snapshot>
  /** Restores a snapshot. Live calls are dropped. @throws CallyardError for an invalid snapshot, with `field` */
  restore(snapshot: Snapshot): Promise<void>
  /** Back to the beginning: the project as it was applied, no calls, no faults but the first. Done when the function returns. */
  reset(): Promise<void>
  /** Ends its calls and sends what waits, for at most five seconds. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * An open sandbox does not keep the process alive: only `call` and `idle` (unless the clock is frozen), `advance` and `close` do, while
 * they are awaited.
 */
export interface Sandbox extends World {
  /** Opens `/__sandbox/`, the same over HTTP: `CALLYARD_SANDBOX_TOKEN`. */
  readonly controlToken: string
  /**
   * Opens another world on the same server, with an API key of its own and the same project: worlds see nothing of each other, so tests
   * that run side by side can share one sandbox.
   * @throws CallyardError for options that cannot be, by `field`
   */
  world(options?: WorldOptions): Promise<World>
}
