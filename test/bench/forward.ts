import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { loadForwarder } from '../../src/events/forward/index.ts'
import { openHttpTail } from '../helpers/http-tail.ts'
import { realClock } from '../helpers/real-clock.ts'
import { interleaved } from './rounds.ts'
import { atMost, defineBench, type Figure, type Row } from './table.ts'
import { type Asked, startWorker } from './worker.ts'

const { openForwarder } = await loadForwarder()

/** Behaviors of a target. */
const targets = ['ok', 'hang', 'refuse', 'reset', '500'] as const
type Target = (typeof targets)[number]
const targetWords: Readonly<Record<Target, string>> = {
  ok: 'responds',
  hang: 'hangs',
  refuse: 'refuses',
  reset: 'resets',
  500: 'responds with 500',
}

/** Targets to which each event is sent at once: that is work, of this machine's cores too. */
const taking: readonly Target[] = ['ok', 'reset', '500']

const calls = 50
const perSecond = 500
/** Samples of a round. */
const seconds = 0.5
/** Longer than the bench: events that hang would all end at once, in the sample of another row. */
const timeoutMs = 3_600_000

/**
 * Measures how long the sender of an event waits for its response while events are forwarded, compared with a tail that forwards nothing:
 * the 99th percentile of fifty calls that send ten events per second each, over all samples. All tails are open from the start and take
 * turns of half a second, so that other work of the machine affects each equally. The load is sent on time whether or not responses
 * arrive, in its own thread, and so are the targets. The floor is the wait at a tail that forwards nothing while an independent thread
 * sends as many events to such a target: more work than two cores can do.
 */
export const forwardBench = defineBench({
  name: 'forward',
  rows: Object.fromEntries(
    targets.map((kind): [string, Row] => [
      kind,
      {
        work: `p99 of responses while forwarding to a target that ${targetWords[kind]}, against no target`,
        unit: 'times',
        floor: taking.includes(kind) ? 'another program sends the events' : '1',
        goal: atMost(2),
      },
    ]),
  ),
  async measure({ rounds }) {
    const load = startWorker(loadProgram)
    const target = startWorker(targetProgram)
    const stranger = startWorker(strangerProgram)
    const tails = new Map<string, OpenedTail>()
    for (const kind of ['none', ...targets] as const) tails.set(kind, await startTail(kind, target))
    const beside = new Map<string, number>()
    for (const kind of taking) beside.set(kind, await target.ask({ kind }))
    const besides = [...beside.keys()]
    const sampleBeside = async (kind: string, pool: string) => {
      const sent = stranger.ask({ port: beside.get(kind), calls, perSecond, seconds })
      await sample('none', pool)
      await sent
    }
    const sample = async (kind: string, pool: string) => {
      await load.ask({ port: tails.get(kind)?.port, pool, calls, perSecond, seconds })
      await tails.get(kind)?.settled()
    }
    for (const kind of tails.keys()) await sample(kind, 'warm-up')
    for (const kind of besides) await sampleBeside(kind, 'warm-up')
    await interleaved(
      rounds(10),
      Object.fromEntries([
        ...[...tails.keys()].map(kind => [kind, () => sample(kind, kind)]),
        ...besides.map(kind => [`beside-${kind}`, () => sampleBeside(kind, `beside-${kind}`)]),
      ]),
    )
    const none = await load.ask({ p99Of: 'none' })
    const figures: [string, Figure][] = []
    for (const kind of targets) {
      const p99 = await load.ask({ p99Of: kind })
      const detail = `${p99.toFixed(2)} ms; without forwarding: ${none.toFixed(2)} ms`
      const floor = beside.has(kind) ? { floor: (await load.ask({ p99Of: `beside-${kind}` })) / none } : {}
      figures.push([kind, { value: p99 / none, ...floor, detail }])
    }
    for (const { close } of tails.values()) await close()
    await Promise.all([load.end(), target.end(), stranger.end()])
    return Object.fromEntries(figures)
  },
})

interface OpenedTail {
  readonly port: number
  /** Resolves when nothing more goes out: what is left of one sample must not slow the next. */
  settled(): Promise<void>
  close(): Promise<void>
}

async function startTail(kind: Target | 'none', target: Asked): Promise<OpenedTail> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-bench-'))
  const port = await target.ask({ kind })
  const forwarder =
    kind === 'none'
      ? undefined
      : await openForwarder({
          targets: [{ url: `http://127.0.0.1:${port}/`, type: undefined, headers: {} }],
          folder,
          onlyNew: false,
          resume: false,
          timeout: timeoutMs,
          clock: realClock,
          onEvent() {},
        })
  forwarder?.start()
  const tail = await openHttpTail({ host: '127.0.0.1', port: 0, path: '/', clock: realClock, forwarder })
  const drained = drain(tail.events)
  return {
    port: tail.port,
    async settled() {
      for (let left = -1; forwarder !== undefined && left !== forwarder.left; ) {
        left = forwarder.left
        await setTimeout(50)
      }
    },
    async close() {
      await tail.close()
      await drained
      await forwarder?.close(0)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) {
    // Reading is all that is needed.
  }
}

/**
 * Sends events of about a kilobyte at their times, without waiting for responses, and adds the time of each response to a pool; returns
 * the 99th percentile of a pool in ms.
 */
const loadProgram = `
const { parentPort } = require('node:worker_threads')
const { connect } = require('node:net')
const pools = {}
parentPort.on('message', ({ p99Of, port, pool, calls, perSecond, seconds }) => {
  if (p99Of !== undefined) {
    const all = pools[p99Of].sort((one, other) => one - other)
    return parentPort.postMessage(all[Math.floor(all.length * 0.99)])
  }
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
      pools[pool] = [...(pools[pool] ?? []), ...taken]
      parentPort.postMessage(total)
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

/** Sends as many events to a target, each over a connection of its own as the forwarder does; returns the count. */
const strangerProgram = `
const { parentPort } = require('node:worker_threads')
const { Agent, request } = require('node:http')
const agent = new Agent({ keepAlive: false })
parentPort.on('message', ({ port, calls, perSecond, seconds }) => {
  const total = perSecond * seconds
  const started = performance.now() + 50
  let [sent, answered] = [0, 0]
  const done = () => ++answered === total && parentPort.postMessage(total)
  const send = () => {
    while (sent < total && started + (sent * 1000) / perSecond <= performance.now()) {
      const body = JSON.stringify({ message: { type: 'speech-update', call: { id: 'CC-' + (sent % calls) }, number: sent, padding: 'x'.repeat(900) } })
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      request({ host: '127.0.0.1', port, method: 'POST', agent, headers }, response => {
        response.resume().on('end', done)
      }).on('error', done).end(body)
      sent++
    }
    if (sent < total) setTimeout(send, 1)
  }
  send()
})`

/** Listens, or takes a port on which nothing listens; returns the port. */
const targetProgram = `
const { parentPort } = require('node:worker_threads')
const { createServer } = require('node:http')
parentPort.on('message', ({ kind }) => {
  const server = createServer((request, response) => {
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
