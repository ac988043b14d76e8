import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { statusUpdate } from '../helpers/events.ts'
import { everyCase } from '../helpers/every-case.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { startBuiltTail } from '../helpers/run-bin.ts'

const calls = everyCase ? 1000 : 200
const eventsPerCall = 100
/** Number of concurrent calls. */
const live = calls / 20

test(`prints each message of ${calls * eventsPerCall} events of ${calls} calls once, in constant memory`, async () => {
  const cwd = await temporaryFolder()
  const { child, url, stream } = await startBuiltTail(['--quiet'], {
    cwd,
    // A heap in which a tail that kept all events would not last.
    env: { NODE_OPTIONS: '--max-old-space-size=96' },
  })
  const messages = new Map<string, number>()
  const finished = new Set<string>()
  const reading = (async () => {
    let summary: Record<string, unknown> = {}
    for await (const line of stream) {
      const event = JSON.parse(line)
      if (event.kind === 'message') messages.set(event.messageId, (messages.get(event.messageId) ?? 0) + 1)
      if (event.kind === 'status' && event.status === 'finished') finished.add(event.callId)
      if (event.kind === 'summary') summary = event
    }
    return summary
  })()

  const resident: number[] = []
  for (let first = 0; first < calls; first += live) {
    await send(Number(new URL(url).port), first)
    resident.push(await residentBytes(child.pid))
  }
  child.kill('SIGTERM')
  const { exitCode } = await child
  const summary = await reading
  expect(exitCode).toBe(0)
  expect(summary).toMatchObject({
    calls,
    finished: calls,
    events: calls * eventsPerCall,
    messages: calls * (eventsPerCall - 1),
    badRequests: 0,
  })
  expect(finished.size).toBe(calls)
  expect(messages.size).toBe(calls * (eventsPerCall - 1))
  expect(Math.max(...messages.values())).toBe(1)
  if (process.platform === 'linux') {
    const warm = Math.max(...resident.slice(4, 10))
    expect(Math.max(...resident.slice(-6)) / warm).toBeLessThan(1.25)
  }
})

/** Every call on a connection of its own, its events one after the other: growing updates, then the end. */
async function send(port: number, first: number): Promise<void> {
  await Promise.all(Array.from({ length: live }, (_, index) => sendCall(port, `CC-${first + index}`)))
}

async function sendCall(port: number, callId: string): Promise<void> {
  const said: unknown[] = []
  const bodies = Array.from({ length: eventsPerCall }, (_, index) => {
    if (index === eventsPerCall - 1) return JSON.stringify(statusUpdate(callId, 'finished'))
    said.push({
      messageId: `${callId}-${index}`,
      role: index % 2 === 0 ? 'assistant' : 'user',
      text: 'We are open on Saturday from nine to one.',
      timestamp: '2026-03-01T10:00:00.000Z',
    })
    return JSON.stringify({
      // The last few, so that bodies stay at about a kilobyte.
      message: { type: 'conversation-update', call: { id: callId }, messages: said.slice(-6) },
    })
  })
  const socket = connect(port, '127.0.0.1')
  let answered = 0
  let sent = 0
  const more = (count: number) => {
    for (const body of bodies.slice(sent, sent + count)) {
      socket.write(
        `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      sent++
    }
  }
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('connect', () => more(4))
    socket.on('data', chunk => {
      const text = chunk.toString('latin1')
      if (/HTTP\/1\.1 [^2]/.test(text)) reject(new Error(text))
      const count = text.split('HTTP/1.1 200').length - 1
      answered += count
      more(count)
      if (answered === bodies.length) resolve()
    })
  }).finally(() => socket.destroy())
}

/** Resident memory of the process; 0 if the system does not report it. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s*(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
