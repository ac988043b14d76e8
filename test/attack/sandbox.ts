import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, watch } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Agent, request } from 'undici'
import * as z from 'zod/mini'
import type { Attack, AttackResult, AttackTools } from './attack.ts'

const kills = 30
const pages = 5000

const readySchema = z.object({
  kind: z.literal('ready'),
  baseUrl: z.string(),
  apiKey: z.string(),
  controlToken: z.string(),
})
type Ready = z.infer<typeof readySchema>

export const sandbox: Attack = {
  about: `${kills} kills of a sandbox while it compacts its records, and ${2 * pages} requests of other web pages`,
  run: async tools => [await killCompactions(tools), await floodFromPages(tools)],
}

async function start({ bin, onEnd }: AttackTools, args: readonly string[]) {
  const child = spawn(process.execPath, [bin, 'sandbox', 'start', '--json', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onEnd(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  const [first] = await once(lines, 'line')
  lines.resume()
  return { child, ready: readySchema.parse(JSON.parse(String(first))) }
}

/** Tools are changed until the file of the compaction is there; then the sandbox is killed. */
async function killCompactions(tools: AttackTools): Promise<AttackResult> {
  const folder = await tools.folder()
  const data = join(folder, 'records.ndjson')
  const agent = new Agent({ connections: 16 })
  tools.onEnd(() => agent.close())
  /** Tool id → the last version that was acknowledged. */
  const acknowledged = new Map<string, number>()
  let version = 0
  let lost = 0
  let changes = 0
  for (let killed = 0; killed < kills; killed += 1) {
    const { child, ready } = await start(tools, ['--data', data])
    const kept = await versionsOf(ready, agent)
    for (const [id, last] of acknowledged) if ((kept.get(id) ?? 0) < last) lost += 1
    while (acknowledged.size < 20) {
      const { _id } = await send(ready, agent, 'POST', '', { type: 'function', function: { name: 'tool' } })
      acknowledged.set(String(_id), 0)
    }
    const watcher = killAt(child, folder)
    await Promise.all(
      [...acknowledged.keys()].map(async id => {
        while (child.exitCode === null && child.signalCode === null) {
          version += 1
          const own = version
          const body = { function: { name: 'tool', version: own, description: 'x'.repeat(16_000) } }
          const isDone = await send(ready, agent, 'PATCH', `/${id}`, body).then(
            () => true,
            () => false,
          )
          if (!isDone) return
          acknowledged.set(id, own)
          changes += 1
        }
      }),
    )
    watcher.close()
  }
  const detail = `${changes} changes; a change that was acknowledged and is missing after the next start is lost`
  return { what: 'kill sandbox start while it compacts', attacks: kills, lost, doubled: 0, late: 0, detail }
}

/** Kills the process at a random moment from the first sign of the new file to a little after its rename. */
function killAt(child: ChildProcess, folder: string): FSWatcher {
  let isDue = false
  return watch(folder, (_event, name) => {
    if (isDue || name?.endsWith('.callyard-tmp') !== true) return
    isDue = true
    setTimeout(() => child.kill('SIGKILL'), Math.random() * 40)
  })
}

async function send(
  { baseUrl, apiKey }: Ready,
  dispatcher: Agent,
  method: 'POST' | 'PATCH',
  path: string,
  json: unknown,
) {
  const { statusCode, body } = await request(`${baseUrl}/assistants/v1/tools${path}`, {
    dispatcher,
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  })
  const response = z.record(z.string(), z.unknown()).parse(await body.json())
  if (statusCode !== 200) throw new Error(`${statusCode}`)
  return response
}

const recordsSchema = z.object({
  tools: z.array(z.object({ _id: z.string(), function: z.object({ version: z._default(z.number(), 0) }) })),
})

async function versionsOf({ baseUrl, controlToken }: Ready, dispatcher: Agent) {
  const { body } = await request(`${baseUrl}/__sandbox/records`, {
    dispatcher,
    headers: { authorization: `Bearer ${controlToken}` },
  })
  const { tools } = recordsSchema.parse(await body.json())
  return new Map(tools.map(({ _id, function: { version } }) => [_id, version]))
}

/** POSTs as a web page sends them, to loopback and to a name that was rebound to it: without a key. */
async function floodFromPages(tools: AttackTools): Promise<AttackResult> {
  const { ready } = await start(tools, ['--in-memory'])
  const agent = new Agent({ connections: 16 })
  tools.onEnd(() => agent.close())
  const own = 20
  for (let sent = 0; sent < own; sent += 1)
    await send(ready, agent, 'POST', '', { type: 'function', function: { name: `tool_${sent}` } })
  const { port } = new URL(ready.baseUrl)
  const post = (headers: Record<string, string>) =>
    new Promise<void>((resolve, reject) => {
      const sent = httpRequest({
        port,
        host: '127.0.0.1',
        path: '/calls/v1/conversations',
        method: 'POST',
        headers,
      })
      sent
        .on('response', response => response.resume().on('end', resolve))
        .on('error', reject)
        .end('{}')
    })
  for (let sent = 0; sent < pages; sent += 50) {
    await Promise.all(
      Array.from({ length: 50 }, () => [
        post({ 'content-type': 'text/plain', origin: 'https://page.example.com' }),
        post({ 'content-type': 'text/plain', host: 'rebound.example.com' }),
      ]).flat(),
    )
  }
  const { body } = await request(`${ready.baseUrl}/__sandbox/requests`, {
    dispatcher: agent,
    headers: { authorization: `Bearer ${ready.controlToken}` },
  })
  const { requests } = z.object({ requests: z.array(z.unknown()) }).parse(await body.json())
  return {
    what: 'requests of other web pages without a key',
    attacks: 2 * pages,
    lost: own - Math.min(own, requests.length),
    doubled: 0,
    late: 0,
    detail: `${requests.length} requests listed, of which the test sent ${own}`,
  }
}
