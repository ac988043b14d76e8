import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openForwarder } from '../../src/webhook/forward/forwarder.ts'
import { openTail } from '../../src/webhook/tail.ts'
import { realClock } from '../helpers/real-clock.ts'
import { median } from './median.ts'
import type { Row } from './run.ts'
import { type Asked, startWorker } from './worker.ts'

/** What a target may do to a forwarder. */
const targets = ['ok', 'hang', 'refuse', 'reset', '500'] as const
type Target = (typeof targets)[number]

const rounds = 5
const calls = 50
const perSecond = 500
const seconds = 2

/**
 * How long the sender of an event waits for its answer while events are forwarded, against a tail that forwards nothing: the
 * 99th percentile of fifty calls that send ten events a second each, in rounds that are interleaved. The load is
 * sent on time whether or not the answers come, and has a thread of its own; so has the target.
 */
export async function benchForward(): Promise<Row[]> {
  const load = startWorker(loadProgram)
  const target = startWorker(targetProgram)
  const measured = new Map<Target | 'none', number[]>()
  const measure = async (kind: Target | 'none') => {
    const p99 = await latency(load, target, kind)
    measured.set(kind, [...(measured.get(kind) ?? []), p99])
  }
  await latency(load, target, 'ok')
  for (let round = 0; round < rounds; round++) {
    for (const kind of ['none', ...targets] as const) await measure(kind)
  }
  await Promise.all([load.end(), target.end()])
  const bare = measured.get('none') ?? []
  return targets.map(kind => {
    const p99s = measured.get(kind) ?? []
    return {
      what: `answers while forwarding, target: ${kind}`,
      ratio: median(p99s.map((p99, round) => p99 / (bare[round] ?? Number.NaN))),
      target: '≤ 2',
      detail: `p99 ${median(p99s).toFixed(2)} ms; without forwarding: ${median(bare).toFixed(2)} ms`,
    }
  })
}

async function latency(load: Asked, target: Asked, kind: Target | 'none'): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-bench-'))
  const port = await target.ask({ kind })
  const forwarder =
    kind === 'none'
      ? undefined
      : await openForwarder({
          targets: [{ url: `http://127.0.0.1:${port}/`, type: undefined, headers: {} }],
          folder,
          onlyNew: false,
          resume: false,
          timeout: 60_000,
          clock: realClock,
          onEvent() {},
        })
  const tail = await openTail({ host: '127.0.0.1', port: 0, path: '/', clock: realClock, forwarder })
  const drained = drain(tail.events)
  const p99 = await load.ask({ port: tail.port, calls, perSecond, seconds })
  await tail.close()
  await drained
  await forwarder?.close(0)
  await rm(folder, { recursive: true, force: true })
  return p99
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) {
    // Reading is all that is needed.
  }
}

/** Sends events of about a kilobyte at their times, answered or not; answers the 99th percentile of what each waited, in ms. */
const loadProgram = `
const { parentPort } = require('node:worker_threads')
const { connect } = require('node:net')
parentPort.on('message', ({ port, calls, perSecond, seconds }) => {
  const total = perSecond * seconds
  const taken = []
  let sent = 0
  const sockets = Array.from({ length: calls }, (_, call) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.sentAt = []
    socket.on('data', chunk => {
      for (let at = chunk.indexOf('HTTP/1.1 200'); at !== -1; at = chunk.indexOf('HTTP/1.1 200', at + 12)) {
        taken.push(performance.now() - socket.sentAt.shift())
      }
      if (taken.length !== total) return
      for (const each of sockets) each.destroy()
      taken.sort((one, other) => one - other)
      parentPort.postMessage(taken[Math.floor(total * 0.99)])
    })
    return socket
  })
  const started = performance.now() + 50
  const send = () => {
    const now = performance.now()
    while (sent < total && started + (sent * 1000) / perSecond <= now) {
      const call = sent % calls
      const body = JSON.stringify({ message: { type: 'speech-update', call: { id: 'CC-' + call }, number: sent, padding: 'x'.repeat(900) } })
      sockets[call].sentAt.push(performance.now())
      sockets[call].write('POST / HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body)
      sent++
    }
    if (sent < total) setTimeout(send, 1)
  }
  send()
})`

/** Listens, or takes a port on which nothing listens; answers the port. */
const targetProgram = `
const { parentPort } = require('node:worker_threads')
const { createServer } = require('node:http')
let server
parentPort.on('message', ({ kind }) => {
  server?.closeAllConnections()
  server?.close()
  server = createServer((request, response) => {
    if (kind === 'reset') return request.socket.resetAndDestroy()
    request.resume().on('end', () => {
      if (kind === 'hang') return
      response.writeHead(kind === '500' ? 500 : 200).end('{"message":"ok"}')
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    if (kind !== 'refuse') return parentPort.postMessage(port)
    server.close(() => parentPort.postMessage(port))
  })
})`
