import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import * as z from 'zod/mini'
import type { Attack, AttackResult, AttackTools } from './attack.ts'
import { startDribblers } from './dribble.ts'

const connections = 300
const bodyBytes = 10_000_000
const honestRequests = 300
const lateMs = 1000

/** A listener, and how an honest sender's request to it looks. */
interface Target {
  readonly name: string
  readonly argv: readonly string[]
  ask(ready: Ready, index: number): { readonly url: string; readonly head: string; readonly body: string }
  /** Indexes of events in a line of the listener's output. */
  shown(line: string): number | undefined
}

const readySchema = z.object({
  url: z.optional(z.string()),
  baseUrl: z.optional(z.string()),
  apiKey: z.optional(z.string()),
})
type Ready = z.infer<typeof readySchema>

const receiver: Target = {
  name: 'webhook tail',
  argv: ['webhook', 'tail', '--port', '0', '--json', '--quiet'],
  ask: ({ url = '' }, index) => ({
    url,
    head: 'POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json',
    body: JSON.stringify({ message: { type: 'note', call: { id: `CC-${index}` } } }),
  }),
  shown: line => numberIn(/"callId":"CC-(\d+)"/, line),
}

const sandbox: Target = {
  name: 'sandbox start',
  argv: ['sandbox', 'start', '--port', '0', '--in-memory', '--pace', '0', '--json'],
  ask: ({ baseUrl = '', apiKey = '' }) => ({
    url: `${baseUrl}/assistants/v1/tools`,
    head: `POST /assistants/v1/tools HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json`,
    body: JSON.stringify({ type: 'function' }),
  }),
  shown: () => undefined,
}

export const dribblers: Attack = {
  about: `${connections} connections with bodies of ${bodyBytes / 1e6} MB that never end, at the receiver and the sandbox`,
  async run(tools) {
    const results: AttackResult[] = []
    for (const target of [receiver, sandbox]) results.push(await attack(target, tools))
    return results
  },
}

async function attack(target: Target, tools: AttackTools): Promise<AttackResult> {
  tools.note(`dribbling at ${target.name}`)
  const folder = await tools.folder()
  const child = execa(process.execPath, [tools.bin, ...target.argv], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, CALLYARD_CONFIG_DIR: folder },
    extendEnv: false,
    reject: false,
    buffer: false,
    stdin: 'ignore',
    stderr: 'ignore',
  })
  tools.onEnd(() => child.kill('SIGKILL'))
  const shown = new Map<number, number>()
  const output = createInterface({ input: child.stdout })
  const ready = await new Promise<Ready>(resolve => {
    output.once('line', line => resolve(readySchema.parse(JSON.parse(line))))
  })
  output.on('line', line => {
    const index = target.shown(line)
    if (index !== undefined) shown.set(index, (shown.get(index) ?? 0) + 1)
  })
  const { url, head } = target.ask(ready, 0)
  const many = startDribblers({ port: Number(new URL(url).port), connections, head, bytes: bodyBytes })
  tools.onEnd(many.end)
  await many.refused(1)
  const tookMs: number[] = []
  let accepted = 0
  for (let index = 0; index < honestRequests; index += 1) {
    const began = performance.now()
    if (await isAccepted(target.ask(ready, index))) accepted += 1
    tookMs.push(performance.now() - began)
  }
  many.end()
  const peakMb = await peakMegabytes(child.pid)
  child.kill('SIGINT')
  await child
  tookMs.sort((one, other) => one - other)
  const isShown = target === receiver
  return {
    what: `dribble at ${target.name}`,
    attacks: connections,
    lost: honestRequests - (isShown ? Math.min(accepted, shown.size) : accepted),
    doubled: [...shown.values()].filter(count => count > 1).length,
    late: tookMs.filter(took => took > lateMs).length,
    detail:
      `${honestRequests} honest requests, p99 ${Math.round(tookMs[Math.floor(honestRequests * 0.99)] ?? 0)} ms, late: over ${lateMs} ms; ` +
      `refused ${[...many.answers].map(([status, count]) => `${count} × ${status}`).join(', ')}; peak ${peakMb} MB`,
  }
}

async function isAccepted({ url, head, body }: ReturnType<Target['ask']>): Promise<boolean> {
  const authorization = /authorization: (.*)/.exec(head)?.[1]?.trim()
  const headers = {
    'content-type': 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  }
  const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined)
  return answer?.status === 200
}

/** Peak memory of the process; 0 if the system does not report it. */
export async function peakMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? 0) / 1024)
}

function numberIn(pattern: RegExp, line: string): number | undefined {
  const found = pattern.exec(line)?.[1]
  return found === undefined ? undefined : Number(found)
}
