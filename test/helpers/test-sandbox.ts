import { expect, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import type { CallObservation } from '../../src/files/formats/call-observation.ts'
import type { StoredCall } from '../../src/files/formats/control-api.ts'
import {
  openWorld,
  type Sandbox,
  type SandboxEvent,
  startSandbox,
  type World,
  type WorldOptions,
} from '../../src/sandbox/index.ts'
import { realClock } from './real-clock.ts'
import type { WebhookSink } from './webhook-sink.ts'

export type TestSandboxOptions = Partial<Parameters<typeof startSandbox>[0]>

const bodySchema = z.record(z.string(), z.unknown())

export interface SandboxResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<SandboxResponse>

export interface TestSandbox extends Sandbox {
  /** The log. */
  readonly events: readonly SandboxEvent[]
  /** Environment of a command that uses this sandbox. */
  readonly env: { readonly CALLYARD_BASE_URL: string; readonly CALLYARD_API_KEY: string }
  /** Sends a request with the API key of the first world; a body that is text is sent unchanged. */
  readonly send: Send
  /** Sends a request to the control API, below `/__sandbox/`, with its token. */
  readonly control: Send
}

/** Starts a sandbox in memory on a free port that waits for nothing; closed when the test ends. */
export async function startTestSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const events: SandboxEvent[] = []
  const sandbox = await startSandbox({
    port: 0,
    pace: 0,
    clock: realClock,
    log: event => events.push(event),
    ...options,
  })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= sandbox.close()
    return closed
  }
  onTestFinished(close)
  const send: Send = async (method, path, body, headers = {}) => {
    const response = await fetch(sandbox.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: bodySchema.parse(await response.json()),
    }
  }
  return {
    ...sandbox,
    events,
    env: { CALLYARD_BASE_URL: sandbox.baseUrl, CALLYARD_API_KEY: sandbox.apiKey },
    close,
    send,
    control: (method, path, body, headers = {}) =>
      send(method, `/__sandbox/${path}`, body, {
        authorization: `Bearer ${sandbox.controlToken}`,
        ...headers,
      }),
  }
}

export const paths = {
  calls: '/calls/v1/conversations',
  connect: '/calls/v1/conversations/connect',
  assistants: '/assistants/v1/assistants',
  tools: '/assistants/v1/tools',
  faq: '/kb/v1/knowledge-bases/desk/faq-template',
} as const

/** Body of Create tool. */
export const tool = { type: 'function', function: { name: 'book' } }

export const to = '+12025550101'
export const from = '+12025550102'

/** Creates a resource and returns its record. */
async function create(sandbox: TestSandbox, path: string, fields: Record<string, unknown>) {
  const { status, body } = await sandbox.send('POST', path, fields)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

export function createAssistant(sandbox: TestSandbox, fields: Record<string, unknown> = {}) {
  return create(sandbox, paths.assistants, { name: 'Desk', ...fields })
}

/** Creates a tool that is called `book` unless `fields` has another function. */
export function createTool(sandbox: TestSandbox, fields: Record<string, unknown> = {}) {
  return create(sandbox, paths.tools, { ...tool, ...fields })
}

/** Inserts questions with their answers into the knowledge base `desk`. */
export function insertFaq(sandbox: TestSandbox, answers: Readonly<Record<string, string>>) {
  const faq = Object.entries(answers).map(([question, answer]) => ({ question, answer }))
  return create(sandbox, paths.faq, { faq })
}

/** Body of Create call, whose webhooks go to `url`. */
export function callTo(url?: string, caller: readonly string[] = ['Hello', 'Goodbye']) {
  return {
    userNumber: '+12025550123',
    assistantNumber: '+12025550100',
    assistant: { name: 'Desk', ...(url === undefined ? {} : { assistantServer: { url } }) },
    metadata: { caller },
  }
}

/** Places a call and returns its id while it runs. */
export async function beginCall(sandbox: TestSandbox, fields: Record<string, unknown> = {}): Promise<string> {
  const body = await create(sandbox, paths.calls, { userNumber: to, assistantNumber: from, ...fields })
  expect(body).toEqual({ sid: expect.stringMatching(/^CC-[0-9a-f-]{36}$/) })
  return String(body.sid)
}

/** Places a call and waits until it is over. */
export async function placeCall(sandbox: TestSandbox, fields: Record<string, unknown> = {}): Promise<string> {
  const id = await beginCall(sandbox, fields)
  await sandbox.idle()
  return id
}

export interface Said {
  readonly role: string
  readonly text: string
  readonly timestamp: string
  readonly interrupted?: true
}

export type CallRecord = Record<string, unknown> & { readonly messages: readonly Said[] }

/** Returns a call as its control URL shows it. */
export async function recordOf(sandbox: TestSandbox, id: string): Promise<CallRecord> {
  const { body } = await sandbox.send('GET', `${paths.calls}/${id}/control`)
  return body as CallRecord
}

/** Starts a sandbox with a live caller, by default, whose observations can be waited for. */
export async function startLiveSandbox(options: TestSandboxOptions = {}) {
  const seen: CallObservation[] = []
  const waiting: { kind: string; count: number; resolve(): void }[] = []
  const count = (kind: string) => seen.filter(one => one.kind === kind).length
  const sandbox = await startTestSandbox({
    caller: 'live',
    ...options,
    observe(observation) {
      seen.push(observation)
      for (const one of waiting) if (count(one.kind) >= one.count) one.resolve()
    },
  })
  return {
    ...sandbox,
    seen,
    /** Resolves at the n-th observation of that kind. */
    nth: (kind: CallObservation['kind'], n: number) =>
      new Promise<void>(resolve => {
        if (count(kind) >= n) resolve()
        else waiting.push({ kind, count: n, resolve })
      }),
  }
}

/** Returns `role: text` of each message of a record. */
export async function saidIn(sandbox: TestSandbox, id: string): Promise<string[]> {
  return toLines((await recordOf(sandbox, id)).messages)
}

/** Returns `role: text` of each message that the webhooks of a call carried. */
export function transcript(sink: WebhookSink, id: string): string[] | undefined {
  const last = sink.of(id).findLast(({ type }) => type === 'conversation-update')
  return last?.messages && toLines(last.messages)
}

function toLines(messages: readonly Pick<Said, 'role' | 'text'>[]): string[] {
  return messages.map(({ role, text }) => `${role}: ${text}`)
}

/** Places a call to an inline assistant in which the caller says these lines, and returns its record. */
export async function talk(
  sandbox: TestSandbox,
  caller: string | readonly string[],
  assistant: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): Promise<CallRecord> {
  const id = await placeCall(sandbox, {
    assistant: { welcomeMessage: '', ...assistant },
    metadata: { caller },
    ...fields,
  })
  return recordOf(sandbox, id)
}

/** Opens a world without a server; closed when the test ends. */
export async function openTestWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await openWorld({
    pace: 0,
    clock: realClock,
    baseUrl: () => 'https://example.test',
    ...options,
  })
  onTestFinished(() => world.close())
  return world
}

/** Places a call to an inline assistant in a world without a server, and returns its record when it is over. */
export async function talkIn(
  world: World,
  caller: readonly string[],
  assistant: Record<string, unknown> = {},
  fields: Partial<Parameters<World['calls']['start']>[0]> = {},
): Promise<StoredCall> {
  const { id } = await world.calls.start({
    userNumber: to,
    assistantNumber: from,
    assistant: { welcomeMessage: '', ...assistant },
    ...fields,
    metadata: { caller, ...fields.metadata },
  })
  await world.idle()
  return world.calls.state(id) as StoredCall
}
