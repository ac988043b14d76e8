import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import type { HttpFaults } from '../../src/files/formats/fault-names.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { killAtEvent } from '../helpers/kill-at-event.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { realClock } from '../helpers/real-clock.ts'
import { startBin } from '../helpers/run-bin.ts'

/** A tool or an assistant that the service made. */
export interface Made {
  /** Name in its body, which is the name of its file. */
  readonly address: string
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A request that the service took, and what came of it. */
export interface Taken {
  readonly method: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly status: number
}

/** Stage of a request: received and not done; done without a response; response sent. */
export type Moment = 'arrived' | 'stored' | 'answered'

type OnMoment = (moment: Moment, ordinal: number) => 'lost' | undefined | Promise<void>

export interface RecordingService {
  readonly baseUrl: string
  readonly apiKey: string
  /** Requests in the order of their responses. Empty it to count from 0. */
  readonly exchanges: Taken[]
  readonly made: readonly Made[]
  /** Entries of knowledge bases, in the order of storing. */
  readonly entries: readonly { readonly kb: string; readonly id: string; readonly question: string }[]
  /** Action at a stage of the nth request, counted from 1; a request that is 'lost' is not continued. */
  onMoment(listener: OnMoment): void
  /** Resolves when every client has left that came since, and nothing of what they sent is still being carried out. */
  idle(): Promise<void>
}

const recordSchema = z.object({ _id: z.string() })
const storedSchema = z.object({ faq: z.array(z.object({ id: z.string(), question: z.string() })) })
const bodySchema = z.record(z.string(), z.unknown())
const functionSchema = z.object({ function: z.object({ name: z.string() }) })
const nameSchema = z.object({ name: z.string() })

/** The sandbox behind a proxy that knows its state, even if the client gets no response. */
export async function recordingService({
  httpFaults,
}: {
  httpFaults?: HttpFaults
} = {}): Promise<RecordingService> {
  const sandbox = await startSandbox({ port: 0, pace: 0, clock: realClock, httpFaults })
  onTestFinished(() => sandbox.close())
  const exchanges: Taken[] = []
  const made: Made[] = []
  const entries: { kb: string; id: string; question: string }[] = []
  let listener: OnMoment = () => undefined
  let arrived = 0

  function remember({ method, path, body }: Taken, answer: unknown): void {
    if (method !== 'POST') return
    const [, knowledgeBase] = /^\/kb\/v1\/knowledge-bases\/([^/]+)\/faq-template$/.exec(path) ?? []
    if (knowledgeBase !== undefined) {
      for (const { id, question } of storedSchema.parse(answer).faq)
        entries.push({ kb: knowledgeBase, id, question })
    } else {
      const address = path.endsWith('/tools')
        ? `tool/${functionSchema.parse(body).function.name}`
        : `assistant/${nameSchema.parse(body).name}`
      made.push({ address, id: recordSchema.parse(answer)._id, body })
    }
  }

  async function carryOut(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      // Which sandbox this is: asked before each run, and no step of it.
      const root = await fetch(sandbox.baseUrl + (request.url ?? ''))
      return void response.writeHead(root.status).end(await root.text())
    }
    arrived += 1
    const ordinal = arrived
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if ((await listener('arrived', ordinal)) === 'lost') return
    const { method = '', url: path = '', headers } = request
    const text = Buffer.concat(chunks).toString('utf8')
    const answer = await fetch(sandbox.baseUrl + path, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      body: text,
    })
    const answered = await answer.text()
    const exchange = { method, path, body: bodySchema.parse(JSON.parse(text)), status: answer.status }
    exchanges.push(exchange)
    if (answer.ok) remember(exchange, JSON.parse(answered))
    if ((await listener('stored', ordinal)) === 'lost') return
    const wait = answer.headers.get('retry-after')
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      ...(wait === null ? {} : { 'retry-after': wait }),
    })
    response.end(answered, () => void listener('answered', ordinal))
  }

  const underWay = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const work = carryOut(request, response).catch(error => {
      // A client that is killed while it sends.
      if (!request.destroyed) throw error
    })
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
  })
  const clients = new Set<Promise<void>>()
  server.on('connection', socket => {
    const left = new Promise<void>(resolve => socket.once('close', () => resolve()))
    clients.add(left)
    void left.then(() => clients.delete(left))
  })
  const { origin } = await listenOnLoopback(server)
  return {
    baseUrl: origin,
    apiKey: sandbox.apiKey,
    exchanges,
    made,
    entries,
    onMoment(next) {
      arrived = 0
      clients.clear()
      listener = next
    },
    async idle() {
      do {
        // One that connected just before it ended may not have been seen yet.
        await nextTurn()
        await Promise.all([...underWay, ...clients])
      } while (underWay.size + clients.size > 0)
    },
  }
}

/** Environment of the built command for a service, without personal settings. */
export async function environmentOf({
  baseUrl,
  apiKey,
}: {
  readonly baseUrl: string
  readonly apiKey: string
}): Promise<Record<string, string>> {
  return {
    CALLYARD_BASE_URL: baseUrl,
    CALLYARD_API_KEY: apiKey,
    CALLYARD_CONFIG_DIR: await temporaryFolder(),
  }
}

/** The text of a tool whose file is called `name`. */
export function toolFile(name: string, description = `What ${name} does`): string {
  return `type: function\nfunction:\n  name: ${name}\n  description: ${description}\nasync: false\n`
}

/** The text of an assistant whose file is called `name`, and that uses these. */
export function assistantFile(
  name: string,
  { tools, kbs }: { readonly tools: readonly string[]; readonly kbs: readonly string[] },
): string {
  const list = (kind: string, names: readonly string[]) =>
    `[${names.map(reference => `"\${${kind}:${reference}}"`).join(', ')}]`
  return `name: ${name}
welcomeMessage: This is ${name}.
assistantSystemPrompt: |
  You are ${name}.
  Answer in one or two short sentences.
assistantToolIds: ${list('tool', tools)}
assistantPredefinedTools: { knowledgeBase: true }
assistantKnowledgeBaseIds: ${list('kb', kbs)}
`
}

/** The text of a knowledge base with `count` entries, none of which has an id. */
export function knowledgeBaseFile(id: string, count: number): string {
  return `# ${count} entries\nknowledgeBaseId: ${id}\nfaq:\n${Array.from(
    { length: count },
    (_, index) => `  - question: "${id} ${index}?"  # é ${index}\n    answer: a ${index}\n`,
  ).join('')}`
}

/** Point of a kill: at a stage of the nth request, or at the nth event of a file. */
export type KillPoint =
  | { readonly request: number; readonly at: Moment }
  | { readonly file: string; readonly event: number }

/** Runs the built command until it is killed at a point. Requests that were sent by then are carried out, and their responses are lost. */
export async function runUntil(
  point: KillPoint,
  argv: readonly string[],
  { cwd, env, service }: { cwd: string; env: Record<string, string>; service: RecordingService },
) {
  const child = startBin(argv, { cwd, env })
  const kill = () => void child.kill('SIGKILL')
  let isKilled = false
  service.onMoment((moment, ordinal) => {
    if (isKilled || !('request' in point) || point.request !== ordinal || point.at !== moment)
      return undefined
    isKilled = true
    kill()
    return 'lost'
  })
  const stop = 'file' in point ? await killAtEvent(cwd, point, kill) : () => {}
  const { exitCode, stdout, stderr, signal } = await child
  stop()
  return { exitCode, stdout, stderr, signal }
}

/** On a busy machine, a command may have ended when the event of a file or the last response arrives. */
export function expectKilled(
  {
    signal,
    exitCode,
    stderr,
  }: { signal?: string | undefined; exitCode?: number | undefined; stderr: string },
  point: KillPoint,
): void {
  const maySurvive = 'file' in point || point.at === 'answered'
  if (maySurvive && signal === undefined) expect(exitCode, stderr).toBe(0)
  else expect(signal, stderr).toBe('SIGKILL')
}
