import { setMaxListeners } from 'node:events'
import { startTimer, systemClock } from '../lib/clock.ts'
import { createIds, type SeededRandom } from '../lib/deterministic.ts'
import { createCalls } from './call/calls.ts'
import type { WorldClock } from './clock/world-clock.ts'
import type { Log } from './event-schemas.ts'
import type { Faults } from './faults/fault-rules.ts'
import { type ChatModel, createOpenAiModel, ModelFailure, type ModelRequest } from './model/index.ts'
import { createJsonSender, hostNotAllowed, maxToolResponseBytes } from './outgoing/json-sender.ts'
import { createPhoneLines } from './records/phone-numbers.ts'
import { worldReset } from './records/problem.ts'
import { createRecords, type OpenedRecords } from './records/records.ts'
import { createResources } from './records/resources.ts'
import type { Counters } from './records/store.ts'
import { createKnowledge, type FaqIndices } from './tools/knowledge.ts'
import { createDelivery } from './webhooks/delivery.ts'
import { createFaultInjector } from './webhooks/faults.ts'
import type { WebhookHistory } from './webhooks/webhook-history.ts'
import type { LlmServer, WorldOptions } from './world-options.ts'

export type RunCounters = { -readonly [Name in 'ids' | 'requests']: Counters[Name] }

interface WorldSessionOptions extends Omit<WorldOptions, 'records'> {
  readonly opened: OpenedRecords
  readonly counters: RunCounters
  readonly time: WorldClock
  readonly faults: Faults
  readonly random: SeededRandom
  readonly indices: FaqIndices
  readonly vocabulary: NonNullable<WorldOptions['vocabulary']>
  readonly log: Log
  readonly observe: NonNullable<WorldOptions['observe']>
  readonly history: WebhookHistory
}

/** Milliseconds in which the last webhooks must be sent when the sandbox stops. */
const drainTimeoutMs = 5000
const defaultModelTimeoutMs = 30_000

/** Opens a session of a world, which lasts until it is closed, reset or restored. */
export function openWorldSession(options: WorldSessionOptions) {
  const { opened, clock, counters, time, seed, indices } = options
  const { store } = opened
  const closing = new AbortController()
  const closed = closing.signal
  // Each reply that is being made listens to it.
  setMaxListeners(0, closed)
  const newId = options.newId ?? createIds({ seed, isTaken: store.has, counter: counters })
  /** Ignores output of a closed session. */
  const whileActive =
    <Output>(onOutput: (output: Output) => void) =>
    (output: Output) => {
      if (!closed.aborted) onOutput(output)
    }
  const { onWebhook, trace, allowHost, unref } = options
  const log = whileActive(options.log)
  const records = createRecords(opened, { log, closed })
  const shared = {
    ...options,
    records,
    closed,
    newId,
    log,
    observe: whileActive(options.observe),
    onWebhook: onWebhook && whileActive(onWebhook),
    trace: trace && whileActive(trace),
  }
  const delivery = createDelivery({ ...shared, openFaultInjector: createFaultInjector(shared) })
  const sender = createJsonSender({ clock, maxResponseBytes: maxToolResponseBytes, allowHost, unref })
  const stopping = new AbortController()
  const calls = createCalls({
    ...shared,
    delivery:
      options.sendsWebhooks === false
        ? { ...delivery, outbox: call => delivery.outbox(call, undefined) }
        : delivery,
    sender,
    knowledge: createKnowledge(store, indices),
    modelFor: options.modelFor ?? modelsOf(options),
    caller: options.caller ?? 'script',
    lines: createPhoneLines(options.numbers, store),
    stopping: stopping.signal,
  })
  const giveUp = () => {
    stopping.abort()
    delivery.giveUp()
    sender.giveUp('the sandbox stopped')
  }
  const closeConnections = async () => {
    await delivery.close()
    sender.giveUp('the sandbox stopped')
    await sender.close()
  }
  return {
    records,
    resources: createResources(shared),
    calls,
    counters,
    time,
    async idle() {
      await calls.idle()
      await delivery.idle()
    },
    /** Ends all calls and sends the webhooks that wait, for at most five seconds. */
    async close() {
      // Tools that run and analyses that are made have the same time as the webhooks.
      const cancel = startTimer(drainTimeoutMs, giveUp, systemClock)
      await calls.endAll()
      await closeConnections()
      cancel()
      time.close()
    },
    /** Cancels all calls immediately, without webhooks, log lines or observations. Resolves when their connections are closed. */
    async drop() {
      closing.abort(worldReset())
      time.close()
      giveUp()
      await closeConnections()
    },
  }
}

/** interface.md 2.1: custom-llm names its server; any other provider is `llm`, or by rule. */
function modelsOf({
  llm,
  clock,
  env,
  modelTimeout = defaultModelTimeoutMs,
  allowHost = () => true,
}: WorldSessionOptions) {
  return ({ customUrl, model }: ModelRequest): ChatModel | undefined => {
    if (customUrl !== undefined && !allowHost(new URL(customUrl))) return unreachableModel(customUrl)
    const server: LlmServer | undefined = customUrl === undefined ? llm : { url: customUrl }
    if (server === undefined) return undefined
    return createOpenAiModel({
      baseUrl: server.url,
      model: server.model ?? model,
      apiKey: server.apiKey,
      timeout: modelTimeout,
      clock,
      env,
    })
  }
}

function unreachableModel(url: string): ChatModel {
  const fail = () => Promise.reject(new ModelFailure(hostNotAllowed(new URL(url).host)))
  return { complete: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }) }
}
