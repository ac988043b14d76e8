import type { CallObservation, ToolRun } from '../files/formats/call-observation.ts'
import type { HttpFaults, WebhookFaults } from '../files/formats/fault-names.ts'
import type { PhoneNumber } from '../interface/phone-number.ts'
import type { Vocabulary } from '../interface/vocabulary.ts'
import type { Clock } from '../lib/clock.ts'
import type { Environment } from '../lib/environment.ts'
import type { Disk } from '../lib/fs/line-file.ts'
import type { Log } from './event-schemas.ts'
import type { CallTrace } from './events.ts'
import type { ChatModel, ModelRequest, ModelUse } from './model/index.ts'
import type { AllowHost } from './outgoing/json-sender.ts'
import type { RecordEntry, RecordStore, Team } from './records/store.ts'
import type { ToolReplacement } from './tools/function-tool.ts'
import type { FaqIndices } from './tools/knowledge.ts'
import type { SentWebhook } from './webhooks/delivery.ts'

/** Options of a further world; the others are those of the first one. */
export interface OpenWorldOptions {
  /** Factor over real time; 0 does not wait. */
  readonly pace?: number
  /** Time passes by `SandboxClock.advance` alone. */
  readonly frozen?: boolean | undefined
  /** Instead of the journal's key, or a new one. */
  readonly apiKey?: string | undefined
  /** Records to begin with, when nothing is kept. */
  readonly entries?: readonly RecordEntry[] | undefined
  /**
   * Caller if `metadata.caller` has no script: a built-in script, or a person who speaks through the control URL (`live`) and reads
   * replies as they are generated (`typed`).
   */
  readonly caller?: 'script' | 'live' | 'typed' | undefined
  /** Id of the team if the data contains none; derived from the seed by default. */
  readonly teamId?: string | undefined
  /** The same seed gives the same ids and faults for the same requests. */
  readonly seed?: number | undefined
  readonly observe?: ((observation: CallObservation) => void) | undefined
  /** Called with each webhook as the service sends it, in order for each call. */
  readonly onWebhook?: ((webhook: SentWebhook) => void) | undefined
}

export interface WorldOptions extends OpenWorldOptions {
  readonly pace: number
  /** The journal file; undefined keeps nothing. */
  readonly data?: string | undefined
  /** Writes the journal; default: the machine's. */
  readonly disk?: Disk | undefined
  /** The journal is compacted once it exceeds this size and twice its size after the last compaction; default: 8 MB. */
  readonly minCompactedBytes?: number | undefined
  /** Undefined: any number or id is taken. */
  readonly numbers?: readonly PhoneNumber[] | undefined
  readonly vocabulary?: Vocabulary | undefined
  /** Variables that the service sets: a text may use them though no call sets them. They stay as they are. */
  readonly serviceVariables?: readonly string[] | undefined
  readonly clock: Clock
  readonly log?: Log
  /** Creates ids of records; default: random UUIDs. */
  readonly newId?: () => string
  /** Initial records of another world instead of `entries`; neither world sees changes of the other. */
  readonly records?: SharedRecords | undefined
  /** Milliseconds since the epoch; default: a world that does not wait begins with 2026, any other one now. */
  readonly startsAt?: number | undefined
  /** Model server for assistants of any provider except custom-llm; undefined: replies by rule, from the FAQ. */
  readonly llm?: LlmServer | undefined
  /** The models of assistants, in place of `llm` and of an assistant's own server; undefined for one: by rule, from the FAQ. */
  readonly modelFor?: ((wish: ModelRequest, use: ModelUse) => ChatModel | undefined) | undefined
  /** Proxy variables for requests to models: HTTPS_PROXY, HTTP_PROXY, NO_PROXY; default: no proxy. */
  readonly env?: Environment | undefined
  /** Milliseconds after which a model that sends nothing is given up. */
  readonly modelTimeout?: number | undefined
  readonly webhookFaults?: WebhookFaults | undefined
  readonly httpFaults?: HttpFaults | undefined
  /** True if another world of the sandbox has this id. */
  readonly isTeamTaken?: ((teamId: string) => boolean) | undefined
  /** False: no webhook leaves the process. */
  readonly sendsWebhooks?: boolean | undefined
  /** Returns the response of a function tool instead of its server; undefined to call the server. */
  readonly answerTool?: ((run: ToolRun) => ToolReplacement | undefined) | undefined
  /** Called with what happens in calls, for a test of them. */
  readonly trace?: ((event: CallTrace) => void) | undefined
  /** Hosts to which webhooks and requests to tools and an assistant's own model may be sent. Default: any. */
  readonly allowHost?: AllowHost | undefined
  /** If true, connections to webhook receivers and tools do not keep the process alive. */
  readonly unref?: boolean | undefined
  /** Called when the world accepts no more requests. */
  readonly onClose?: ((team: Team) => void) | undefined
  /** Base URL of the sandbox without a trailing slash; known once it listens. */
  readonly baseUrl: () => string
}

/** Records that worlds share until one of them changes them, and what was made to search them. */
export interface SharedRecords {
  readonly store: RecordStore
  readonly indices: FaqIndices
}

export interface LlmServer {
  /** Up to the part that `/chat/completions` is appended to. */
  readonly url: string
  /** Instead of the assistant's own model. */
  readonly model?: string | undefined
  /** Sent to this server alone. */
  readonly apiKey?: string | undefined
}
