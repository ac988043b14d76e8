import { randomInt } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { Clock } from '../../lib/clock.ts'
import { type CallwrightError, codeOf } from '../../lib/error.ts'
import { createJsonSender } from '../../lib/net/json-sender.ts'
import { createOpenBodies } from '../../lib/net/open-bodies.ts'
import type { ModelRequest } from '../call/call-config.ts'
import type { ControlCommand } from '../call/call-runner.ts'
import { createCalls } from '../call/calls.ts'
import { createIds, createSandboxTime, seededRandom } from '../deterministic.ts'
import {
  type CallObservation,
  type HttpFaults,
  type Log,
  sandboxError,
  type WebhookFaults,
} from '../events.ts'
import { createPhoneLines, type PhoneNumber } from '../records/phone-numbers.ts'
import { openRecords } from '../records/records.ts'
import { createResources } from '../records/resources.ts'
import type { RecordEntry } from '../records/store.ts'
import type { ChatModel } from '../reply/chat-model.ts'
import { createOpenAiModel } from '../reply/openai-model.ts'
import { maxToolAnswerBytes } from '../tools/function-tool.ts'
import { createKnowledge } from '../tools/knowledge.ts'
import { createDelivery } from '../webhooks/delivery.ts'
import { createFaultInjector } from '../webhooks/faults.ts'
import { createRoutes } from './routes.ts'

export interface SandboxOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** 0 picks a free one. */
  readonly port: number
  /** How many times faster than real time calls run; 0 does not wait at all. */
  readonly pace: number
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
  readonly httpFaults?: HttpFaults | undefined
  /** Id of the team where the data holds none; default: made from the seed. */
  readonly teamId?: string | undefined
  /** The same seed gives the same ids and faults for the same requests. */
  readonly seed?: number | undefined
  /** Called with everything that happens in calls, as it happens. */
  readonly observe?: ((observation: CallObservation) => void) | undefined
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

export interface Sandbox {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly port: number
  /** Does to a call what a POST to its control URL does. @throws Problem 404, 409 */
  control(callId: string, intervention: ControlCommand): void
  /** Resolves when no call runs and no webhook waits. */
  idle(): Promise<void>
  /** Ends all calls, sends the webhooks that wait (for at most five seconds), closes server and journal. */
  close(): Promise<void>
}

/** Milliseconds in which the last webhooks must be sent when the sandbox stops. */
const drainTimeoutMs = 5000
const defaultModelTimeoutMs = 30_000

/**
 * The whole service of interface.md 4 to 6, on this machine.
 * @throws an error of SandboxErrors
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', pace, clock, vocabulary = {}, log = () => {}, observe = () => {} } = options
  // Without waiting nothing depends on the clock: then nothing is left to chance either.
  const seed = options.seed ?? (pace === 0 ? 0 : undefined)
  const newTeamId = createIds({ seed: seed === undefined ? undefined : `team ${seed}`, taken: () => false })
  const records = await openRecords({
    ...options,
    newTeamId: () => options.teamId ?? `team-${newTeamId()}`,
    log,
  })
  const { store, team } = records
  const { apiKey } = team
  const newId = options.newId ?? createIds({ seed, taken: store.has })
  const time = createSandboxTime({ clock, pace, latest: store.latest() })
  const shared = { records, store, clock, time, pace, vocabulary, log, newId }
  const random = seededRandom(seed ?? randomInt(2 ** 32))
  const { webhookFaults } = options
  const delivery = createDelivery({
    clock,
    log,
    openFaultInjector: webhookFaults && createFaultInjector({ ...shared, faults: webhookFaults, random }),
  })
  const sender = createJsonSender({ clock, maxAnswerBytes: maxToolAnswerBytes })
  const openBodies = createOpenBodies({ clock })
  const stopping = new AbortController()
  let baseUrl = ''
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
    baseUrl: () => baseUrl,
  })
  const routes = createRoutes({
    ...shared,
    apiKey,
    teamId: team.teamId,
    calls,
    resources: createResources(shared),
    openBodies,
    random,
    httpFaults: options.httpFaults,
  })
  const server = createAdaptorServer({
    fetch: routes.fetch,
    // How long a body may take depends on its size: openBodies cuts the slow ones.
    serverOptions: { headersTimeout: 10_000, requestTimeout: 0, connectionsCheckingInterval: 5000 },
  }) as Server
  try {
    const port = await listen(server, host, options.port)
    baseUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    return {
      baseUrl,
      apiKey,
      port,
      control: calls.intervene,
      async idle() {
        await calls.idle()
        await delivery.idle()
      },
      async close() {
        const closed = new Promise<void>(resolve => server.close(() => resolve()))
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
        openBodies.close()
        server.closeAllConnections()
        await closed
        await records.close()
      },
    }
  } catch (error) {
    await records.close()
    throw error
  }
}

/** interface.md 2.1: custom-llm names its server; any other provider is `llm`, or by rule. */
function modelsOf({ llm, clock, modelTimeout = defaultModelTimeoutMs }: SandboxOptions) {
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

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(cannotListen(error, host, port)))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

function cannotListen(error: Error, host: string, port: number): CallwrightError {
  return codeOf(error) === 'EADDRINUSE'
    ? sandboxError('conflict', 'port-taken', { host, port }, error)
    : sandboxError('usage', 'sandbox-cannot-listen', { host, port }, error)
}
