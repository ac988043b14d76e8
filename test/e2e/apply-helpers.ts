import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import type { HttpFaults } from '../../src/interface/fault-names.ts'
import { startSandbox } from '../../src/sandbox/http/start-sandbox.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { realClock } from '../helpers/real-clock.ts'
import { temporaryFolder } from '../helpers/run-bin.ts'

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

export interface RecordingService {
  readonly baseUrl: string
  readonly apiKey: string
  /** Requests in the order of their responses. Empty it to count from 0. */
  readonly taken: Taken[]
  readonly made: readonly Made[]
  /** Entries of knowledge bases, in the order of storing. */
  readonly entries: readonly { readonly kb: string; readonly id: string; readonly question: string }[]
  /** Action at a stage of the nth request, counted from 1; a request that is 'lost' is not continued. */
  onMoment(listener: (moment: Moment, ordinal: number) => 'lost' | undefined): void
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
  const taken: Taken[] = []
  const made: Made[] = []
  const entries: { kb: string; id: string; question: string }[] = []
  let listener: (moment: Moment, ordinal: number) => 'lost' | undefined = () => undefined
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
    if (listener('arrived', ordinal) === 'lost') return
    const { method = '', url: path = '', headers } = request
    const text = Buffer.concat(chunks).toString('utf8')
    const answer = await fetch(sandbox.baseUrl + path, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      body: text,
    })
    const answered = await answer.text()
    const exchange = { method, path, body: bodySchema.parse(JSON.parse(text)), status: answer.status }
    taken.push(exchange)
    if (answer.ok) remember(exchange, JSON.parse(answered))
    if (listener('stored', ordinal) === 'lost') return
    const wait = answer.headers.get('retry-after')
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      ...(wait === null ? {} : { 'retry-after': wait }),
    })
    response.end(answered, () => listener('answered', ordinal))
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
    taken,
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

/** A folder of its own with these files, removed with the test. */
export async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
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
    `[${names.map(each => `"\${${kind}:${each}}"`).join(', ')}]`
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
