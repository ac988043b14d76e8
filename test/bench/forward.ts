import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openForwarder } from '../../src/webhook/forward/forwarder.ts'
import { openTail } from '../../src/webhook/tail.ts'
import { realClock } from '../helpers/real-clock.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atMost, defineBench, type Figure, type Row } from './table.ts'
import { type Asked, startWorker } from './worker.ts'

/** What a target may do to a forwarder. */
const targets = ['ok', 'hang', 'refuse', 'reset', '500'] as const
type Target = (typeof targets)[number]
const targetWords: Readonly<Record<Target, string>> = {
  ok: 'answers',
  hang: 'hangs',
  refuse: 'refuses',
  reset: 'resets',
  500: 'answers 500',
}

const calls = 50
const perSecond = 500
const seconds = 2

/**
 * How long the sender of an event waits for its answer while events are forwarded, against a tail that forwards nothing: the
 * 99th percentile of fifty calls that send ten events a second each; the figure is that of the worst round. The load is
 * sent on time whether or not the answers come, and has a thread of its own; so has the target.
 */
export const forwardBench = defineBench({
  name: 'forward',
  rows: Object.fromEntries(
    targets.map((kind): [string, Row] => [
      kind,
      {
        work: `p99 of answers while forwarding to a target that ${targetWords[kind]}, worst round, against no target`,
        unit: 'times',
        floor: '1',
        goal: atMost(2),
      },
    ]),
  ),
  async measure({ rounds }) {
    const load = startWorker(loadProgram)
    const target = startWorker(targetProgram)
    await latency(load, target, 'ok')
    const p99s = await interleaved(
      rounds(5),
      Object.fromEntries(
        (['none', ...targets] as const).map(kind => [kind, () => latency(load, target, kind)]),
      ),
    )
    await Promise.all([load.end(), target.end()])
    const { none = [], ...measured } = p99s
    return Object.fromEntries(
      Object.entries(measured).map(([kind, taken]): [string, Figure] => [
        kind,
        {
          value: Math.max(...taken.map((p99, round) => p99 / (none[round] ?? Number.NaN))),
          detail: `median of the rounds ${medianRatio(taken, none).toFixed(2)}: ${median(taken).toFixed(2)} ms; without forwarding: ${median(none).toFixed(2)} ms`,
        },
      ]),
    )
  },
})

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
  forwarder?.start()
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
