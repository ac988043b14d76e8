import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openHttpTail } from '../helpers/http-tail.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atLeast, defineBench, type Figure, type Row } from './table.ts'
import { startWorker } from './worker.ts'

const sizes = [
  {
    name: 'small',
    work: 'receiver, events of 1 KB, against node:http with JSON.parse',
    bytes: 1000,
    requests: 30_000,
  },
  { name: 'large', work: 'receiver, events of 28 KB, against the same', bytes: 28_000, requests: 8000 },
] as const

/**
 * The rate of `webhook tail` against a bare node:http server that parses the same JSON. The load comes from a thread of
 * its own over pipelined keep-alive sockets, so that the server is what is measured.
 */
export const receiverBench = defineBench({
  name: 'receiver',
  rows: Object.fromEntries(
    sizes.map(({ name, work }): [string, Row] => [
      name,
      { work, unit: 'times', floor: '1', goal: atLeast(0.95) },
    ]),
  ),
  async measure({ rounds }) {
    const bare = await startBare()
    const tail = await openHttpTail({
      host: '127.0.0.1',
      port: 0,
      path: '/',
      clock: { now: () => 0, sleep: () => new Promise(() => {}) },
    })
    const drained = drain(tail.events)
    const figures: Record<string, Figure> = {}
    for (const { name, bytes, requests } of sizes) {
      const load = startWorker(loadProgram, sampleBody(bytes))
      const rateOf = (port: number) => load.ask({ port, requests })
      await load.ask({ port: bare.port, requests: requests / 4 })
      await load.ask({ port: tail.port, requests: requests / 4 })
      const rates = await interleaved(rounds(7), {
        bare: () => rateOf(bare.port),
        receiver: () => rateOf(tail.port),
      })
      await load.end()
      figures[name] = {
        value: medianRatio(rates.receiver, rates.bare),
        detail: `${median(rates.receiver).toFixed(0)}/s; bare node:http: ${median(rates.bare).toFixed(0)}/s`,
      }
    }
    await Promise.all([tail.close(), bare.close()])
    await drained
    return figures
  },
})

async function startBare(): Promise<{ port: number; close(): Promise<void> }> {
  const answer = JSON.stringify({ message: 'ok' })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString('utf8'))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
      response.end(answer)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events) {
    // Reading is all that is needed.
  }
}

/** A conversation-update of about `bytes` bytes, as a call in progress sends it. */
function sampleBody(bytes: number): string {
  const messages: unknown[] = []
  const body = () =>
    JSON.stringify({
      message: {
        type: 'conversation-update',
        number: '000000000000',
        call: { id: 'CC-7f1dd8f5-0f0e-4bfb-8d0c-1a51c6ac7ff1', direction: 'outbound', status: 'ongoing' },
        messages,
      },
    })
  for (let index = 0; body().length < bytes; index++) {
    messages.push({
      messageId: `5b2c6f8e-7a53-4d0c-9d5e-${String(index).padStart(12, '0')}`,
      role: index % 2 === 0 ? 'assistant' : 'user',
      text: 'We are open on Saturday from nine to one; shall I book you in for ten?',
      timestamp: '2026-03-01T10:00:00.000Z',
    })
  }
  return body()
}

/**
 * Sends requests over 16 sockets, 8 at a time on each, and counts responses. Each body has its own number, so that the previous one does
 * not help. Plain JavaScript, for a separate thread.
 */
const loadProgram = `
const { parentPort, workerData } = require('node:worker_threads')
const { connect } = require('node:net')
const head = 'POST / HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\ncontent-type: application/json\\r\\ncontent-length: '
const request = Buffer.from(head + Buffer.byteLength(workerData) + '\\r\\n\\r\\n' + workerData)
const marker = Buffer.from('HTTP/1.1 200')
const numberAt = request.indexOf('000000000000')
let number = 0
parentPort.on('message', ({ port, requests }) => {
  const started = process.hrtime.bigint()
  let sent = 0
  let answered = 0
  const sockets = Array.from({ length: 16 }, () => {
    const socket = connect(port, '127.0.0.1')
    const send = count => {
      for (; count > 0 && sent < requests; count--, sent++) {
        const next = Buffer.from(request)
        next.write(String(++number).padStart(12, '0'), numberAt, 'latin1')
        socket.write(next)
      }
    }
    socket.on('data', chunk => {
      let count = 0
      for (let at = chunk.indexOf(marker); at !== -1; at = chunk.indexOf(marker, at + 12)) count++
      answered += count
      send(count)
      if (answered >= requests) {
        for (const each of sockets) each.destroy()
        if (answered !== Infinity) parentPort.postMessage(requests / (Number(process.hrtime.bigint() - started) / 1e9))
        answered = Infinity
      }
    })
    socket.on('connect', () => send(8))
    return socket
  })
})`
