/** Public types of `callyard/sandbox`. Self-contained, because they are published unchanged. */

import type { JsonObject } from './public-types.ts'
import type { WebhookEvent } from './resources.ts'
import type {
  CallOptions,
  FaultRule,
  RequestFilter,
  SandboxRequest,
  ToolCall,
  WorldOptions,
} from './sandbox-parts.ts'

export type * from './sandbox-parts.ts'

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

/** One world of the service: what one API key sees. */
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
