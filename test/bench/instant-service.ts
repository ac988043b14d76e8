import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { bareEnvironment } from './processes.ts'

export interface InstantService {
  /** Environment of a command that uses it. */
  readonly env: Readonly<Record<'CALLYARD_BASE_URL' | 'CALLYARD_API_KEY', string>>
  close(): void
}

/**
 * A service in a separate process that responds immediately to every request with new ids, and stores nothing. A call whose assistant has a
 * server is picked up and ends at once: its three events are sent there.
 */
export async function startInstantService(): Promise<InstantService> {
  const child = spawn(process.execPath, ['-e', program], {
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for await (const port of createInterface(child.stdout)) {
    return {
      env: { CALLYARD_BASE_URL: `http://127.0.0.1:${port}`, CALLYARD_API_KEY: 'key' },
      close: () => void child.kill(),
    }
  }
  throw new Error('the service did not start')
}

/** It ends when its stdin does: with the process that started it. */
const program = `
const { Agent, createServer, request: send } = require('node:http')
const agent = new Agent({ keepAlive: true })
const post = (url, body) => new Promise(resolve => {
  const headers = { 'content-type': 'application/json' }
  const sent = send(url, { method: 'POST', agent, headers }, response => response.resume().on('end', resolve))
  sent.on('error', resolve)
  sent.end(JSON.stringify(body))
})
const follow = async (url, id, { userNumber, assistantNumber }) => {
  const call = { id, callType: 'web', direction: 'outbound', userNumber, assistantNumber }
  for (const status of ['queued', 'ongoing', 'finished'])
    await post(url, { message: { type: 'status-update', call: { ...call, status }, analysis: {} } })
}
let ids = 0
const server = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const named = entry => ({ ...entry, id: entry.id ?? 'e' + ++ids })
    const answer = request.url.includes('/faq-template')
      ? { faq: body.faq.map(named) }
      : { ...body, _id: 'r' + ++ids, sid: 's' + ids, id: 's' + ids }
    const url = body.userNumber && body.assistant?.assistantServer?.url
    if (url) void follow(url, answer.sid, body)
    const text = JSON.stringify(answer)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', () => process.exit())
`
