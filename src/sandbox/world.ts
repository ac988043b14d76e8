import { randomInt } from 'node:crypto'
import type { Vocabulary } from '../interface/vocabulary.ts'
import type { Clock } from '../lib/clock.ts'
import { createJsonSender } from '../lib/net/json-sender.ts'
import type { ModelRequest } from './call/call-config.ts'
import { type Calls, createCalls } from './call/calls.ts'
import { createIds, type SeededRandom, seededRandom } from './deterministic.ts'
import type { CallObservation, Log, WebhookFaults } from './events.ts'
import { createPhoneLines, type PhoneNumber } from './records/phone-numbers.ts'
import { openRecords } from './records/records.ts'
import { createResources, type Resources } from './records/resources.ts'
import type { RecordEntry, RecordStore, Team } from './records/store.ts'
import type { ChatModel } from './reply/chat-model.ts'
import { createOpenAiModel } from './reply/openai-model.ts'
import { createSandboxClock, type SandboxClock } from './sandbox-clock.ts'
import { maxToolAnswerBytes } from './tools/function-tool.ts'
import { createKnowledge } from './tools/knowledge.ts'
import { createDelivery } from './webhooks/delivery.ts'
import { createFaultInjector } from './webhooks/faults.ts'

export interface WorldOptions {
  /** How many times faster than real time calls run; 0 does not wait at all. */
  readonly pace: number
  /** Time passes by `SandboxClock.advance` alone. */
  readonly frozen?: boolean | undefined
  /** The journal file; undefined keeps nothing. */
  readonly data?: string | undefined
  /** Instead of the journal's key, or a new one. */
  readonly apiKey?: string | undefined
  /** Undefined: any number or id is taken. */
  readonly numbers?: readonly PhoneNumber[] | undefined
  readonly vocabulary?: Vocabulary | undefined
  readonly clock: Clock
  readonly log?: Log
  /** Where the ids of records come from; default: random UUIDs. */
  readonly newId?: () => string
  /** Records to begin with, when nothing is kept. */
  readonly entries?: readonly RecordEntry[] | undefined
  /** Where assistants of any provider but custom-llm get their replies; undefined: by rule, from the FAQ. */
  readonly llm?: LlmServer | undefined
  /** Milliseconds after which a model that sends nothing is given up. */
  readonly modelTimeout?: number | undefined
  /**
   * Who calls when `metadata.caller` scripts no caller: a built-in script, or a person whose words come in by the control
   * URL, at the speed of speech (`live`) or of text (`typed`).
   */
  readonly caller?: 'script' | 'live' | 'typed' | undefined
  readonly webhookFaults?: WebhookFaults | undefined
  /** Id of the team where the data holds none; default: made from the seed. */
  readonly teamId?: string | undefined
  /** Whether another world of the sandbox has this id. */
  readonly isTeamTaken?: ((teamId: string) => boolean) | undefined
  /** The same seed gives the same ids and faults for the same requests. */
  readonly seed?: number | undefined
  /** Called with everything that happens in calls, as it happens. */
  readonly observe?: ((observation: CallObservation) => void) | undefined
  /** Where the sandbox listens, without a slash at the end; known once it does. */
  readonly baseUrl: () => string
}

/** An OpenAI-compatible server. */
export interface LlmServer {
  /** Up to the part that `/chat/completions` is appended to. */
  readonly url: string
  /** Instead of the assistant's own model. */
  readonly model?: string | undefined
  /** Sent to this server alone. */
  readonly apiKey?: string | undefined
}

/** What one API key sees: its records, its calls, and the webhooks that they send. */
export interface World {
  readonly team: Team
  readonly clock: SandboxClock
  readonly store: RecordStore
  readonly resources: Resources
  readonly calls: Calls
  readonly vocabulary: Vocabulary
  /** Decides about the faults on request of this world. */
  readonly random: SeededRandom
  /** Resolves when no call runs and no webhook waits. */
  idle(): Promise<void>
  /** Ends all calls, sends the webhooks that wait (for at most five seconds) and closes the journal. */
  close(): Promise<void>
}

/** Milliseconds in which the last webhooks must be sent when the sandbox stops. */
const drainTimeoutMs = 5000
const defaultModelTimeoutMs = 30_000

/** @throws an error of SandboxErrors */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { pace, clock, baseUrl, webhookFaults, vocabulary = {}, log = () => {}, observe = () => {} } = options
  // Without waiting nothing depends on the clock: then nothing is left to chance either.
  const seed = options.seed ?? (pace === 0 ? 0 : undefined)
  const newTeamId = createIds({
    seed: seed === undefined ? undefined : `team ${seed}`,
    taken: id => options.isTeamTaken?.(`team-${id}`) === true,
  })
  const records = await openRecords({
    ...options,
    newTeamId: () => options.teamId ?? `team-${newTeamId()}`,
    log,
  })
  const { store, team } = records
  const newId = options.newId ?? createIds({ seed, taken: store.has })
  const time = createSandboxClock({ clock, pace, frozen: options.frozen, latest: store.latest() })
  const shared = { records, clock, time, pace, vocabulary, log, newId }
  const random = seededRandom(seed ?? randomInt(2 ** 32))
  const delivery = createDelivery({
    clock,
    log,
    openFaultInjector: webhookFaults && createFaultInjector({ ...shared, faults: webhookFaults, random }),
  })
  const sender = createJsonSender({ clock, maxAnswerBytes: maxToolAnswerBytes })
  const stopping = new AbortController()
  const calls = createCalls({
    ...shared,
    delivery,
    sender,
    observe,
    knowledge: createKnowledge(store),
    modelFor: modelsOf(options),
    caller: options.caller ?? 'script',
    lines: createPhoneLines(options.numbers, store),
    stopping: stopping.signal,
    baseUrl,
  })
  return {
    team,
    clock: time,
    store,
    resources: createResources(shared),
    calls,
    vocabulary,
    random,
    async idle() {
      await calls.idle()
      await delivery.idle()
    },
    async close() {
      // Tools that run and analyses that are made have the same time as the webhooks.
      const late = AbortSignal.timeout(drainTimeoutMs)
      const giveUp = () => {
        stopping.abort()
        delivery.giveUp()
        sender.giveUp('the sandbox stopped')
      }
      late.addEventListener('abort', giveUp, { once: true })
      await calls.endAll()
      await delivery.close()
      sender.giveUp('the sandbox stopped')
      await sender.close()
      // It would hold on to all of the sandbox until its time.
      late.removeEventListener('abort', giveUp)
      await records.close()
    },
  }
}

/** interface.md 2.1: custom-llm names its server; any other provider is `llm`, or by rule. */
function modelsOf({ llm, clock, modelTimeout = defaultModelTimeoutMs }: WorldOptions) {
  return ({ customUrl, model }: ModelRequest): ChatModel | undefined => {
    if (customUrl !== undefined)
      return createOpenAiModel({ baseUrl: customUrl, model, apiKey: undefined, timeout: modelTimeout, clock })
    if (llm === undefined) return undefined
    return createOpenAiModel({
      baseUrl: llm.url,
      model: llm.model ?? model,
      apiKey: llm.apiKey,
      timeout: modelTimeout,
      clock,
    })
  }
}
