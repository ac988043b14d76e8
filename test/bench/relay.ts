import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { monotonicMs, systemClock } from '../../src/lib/clock.ts'
import { openLineFile } from '../../src/lib/fs/line-file.ts'
import { createDeferred } from '../../src/lib/queue.ts'
import { openRelay } from '../../src/relay/relay.ts'
import { receiveOverHttp } from '../../src/webhook/index.ts'
import { startNats } from '../helpers/nats-process.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atLeast, defineBench } from './table.ts'
import { startWorker } from './worker.ts'

const requests = 20_000
const calls = 5000

/**
 * The rate at which a relay acknowledges events, against bare node:http that appends and syncs the same bodies in groups. The relay
 * publishes to nats-server at the same time. Load and nats-server take their share of the machine.
 */
export const relayBench = defineBench({
  name: 'relay',
  rows: {
    accept: {
      work: '`webhook relay`: rate of 20,000 events, against node:http with the same synced append',
      unit: 'times',
      floor: '1',
      goal: atLeast(0.8),
    },
    publish: {
      work: '`webhook relay`: the same until JetStream has acknowledged the last event',
      unit: 'times',
      floor: '1',
    },
  },
  async measure({ folder, rounds }) {
    const nats = await startNats({ folder })
    const bare = await startBare(join(folder, 'bare.ndjson'))
    const relay = await openRelay({
      source: maxBodyBytes =>
        receiveOverHttp({ host: '127.0.0.1', port: 0, path: '/', maxBodyBytes, clock: systemClock }),
      broker: {
        ...{ servers: [nats.url], stream: 'calls', keepMs: 3_600_000, maxBytes: 1024 ** 3, timeoutMs: 5000 },
      },
      mode: 'use',
      spool: { folder: join(folder, 'spool'), maxBytes: 1024 ** 3 },
      status: { host: '127.0.0.1', port: 0 },
      clock: systemClock,
      monotonicMs,
    })
    const load = startWorker(loadProgram)
    const relayPort = Number(new URL(relay.source.address).port)
    const rateOf = (port: number) => load.ask({ port, requests, calls })
    const stored: number[] = []
    const accepted = async () => {
      const started = performance.now()
      const rate = await rateOf(relayPort)
      await relay.idle()
      stored.push(requests / ((performance.now() - started) / 1000))
      return rate
    }
    try {
      await interleaved(1, { bare: () => rateOf(bare.port), accepted })
      stored.length = 0
      const rates = await interleaved(rounds(7), { bare: () => rateOf(bare.port), accepted })
      const perSecond = (values: readonly number[]) => `${median(values).toFixed(0)}/s`
      return {
        accept: {
          value: medianRatio(rates.accepted, rates.bare),
          detail: `${perSecond(rates.accepted)}; bare node:http: ${perSecond(rates.bare)}`,
        },
        publish: { value: medianRatio(stored, rates.bare), detail: perSecond(stored) },
      }
    } finally {
      await load.end()
      await relay.close(0)
      await bare.close()
      await nats.kill()
    }
  },
})

/** Bodies that arrive during a sync share the next one. */
async function startBare(path: string): Promise<{ port: number; close(): Promise<void> }> {
  const file = openLineFile(path)
  let waiting: { readonly line: Buffer; readonly synced: ReturnType<typeof createDeferred<void>> }[] = []
  let isWriting = false
  const write = async () => {
    isWriting = true
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await file.appendSynced(Buffer.concat(group.map(({ line }) => line)))
      for (const { synced } of group) synced.resolve()
    }
    isWriting = false
  }
  const newline = Buffer.from('\n')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const synced = createDeferred<void>()
      waiting.push({ line: Buffer.concat([...chunks, newline]), synced })
      if (!isWriting) void write()
      await synced.promise
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 })
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      file.close()
    },
  }
}

/** Sends events of 1 KB, of the calls in turn, over 16 sockets, 8 at a time on each. Plain JavaScript, for a separate thread. */
const loadProgram = `
const { parentPort } = require('node:worker_threads')
const { connect } = require('node:net')
const marker = Buffer.from('HTTP/1.1 200')
const text = 'We are open on Saturday from nine to one; shall I book you in for ten?'
let number = 0
const nextRequest = calls => {
  const id = 'CC-' + (number++ % calls * 2654435761 % 4294967296).toString(16).padStart(8, '0') + '-0f0e-4bfb-8d0c-1a51c6ac7ff1'
  const messages = Array.from({ length: 4 }, (_, index) => ({ messageId: number + '-' + index, role: 'user', text, timestamp: '2026-03-01T10:00:00.000Z' }))
  const body = JSON.stringify({ message: { type: 'conversation-update', call: { id, teamId: 'team-1', status: 'ongoing' }, messages } })
  return 'POST / HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\ncontent-type: application/json\\r\\ncontent-length: ' + body.length + '\\r\\n\\r\\n' + body
}
parentPort.on('message', ({ port, requests, calls }) => {
  const started = performance.now()
  let sent = 0
  let answered = 0
  const sockets = Array.from({ length: 16 }, () => {
    const socket = connect(port, '127.0.0.1')
    const send = count => {
      for (; count > 0 && sent < requests; count--, sent++) socket.write(nextRequest(calls))
    }
    socket.on('data', chunk => {
      let count = 0
      for (let at = chunk.indexOf(marker); at !== -1; at = chunk.indexOf(marker, at + 12)) count++
      answered += count
      if (answered < requests) return send(count)
      for (const each of sockets) each.destroy()
      parentPort.postMessage(requests / ((performance.now() - started) / 1000))
    })
    send(8)
    return socket
  })
})
`
