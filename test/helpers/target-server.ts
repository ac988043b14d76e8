import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { reservePort } from './ports.ts'

/** A whole request that a target received. */
export type Arrival = ReturnType<typeof toArrival>

/** Responds to a request, now or later, or closes the connection. */
export type Answer = (response: ServerResponse, arrival: Arrival) => unknown

export interface TargetServer {
  readonly url: string
  /** Whole requests, in the order of their arrival. */
  readonly arrivals: readonly Arrival[]
  /** Waits until `count` requests have arrived in all. */
  arrived(count: number): Promise<void>
  /** Maximum number of concurrent requests without a response. */
  readonly mostAtOnce: number
  /** Connections that were made in all. */
  readonly connections: number
  answer: Answer
  /** Listens again, on the same port. */
  start(): Promise<void>
  /** Refuses connections from now on; what is under way is broken off, unless it may finish. */
  stop(underWay?: 'broken off' | 'may finish'): Promise<void>
}

/** A receiver of another program on loopback; ended with the test at the latest. */
export async function startTarget(answer: Answer = ok): Promise<TargetServer> {
  const arrivals: Arrival[] = []
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  let server: Server
  const port = await reservePort()
  let connections = 0
  let atOnce = 0
  let mostAtOnce = 0

  const start = async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        atOnce++
        mostAtOnce = Math.max(mostAtOnce, atOnce)
        response.on('close', () => atOnce--)
        const arrival = toArrival(request, Buffer.concat(chunks))
        arrivals.push(arrival)
        for (const notify of waiting.splice(0)) notify()
        target.answer(response, arrival)
      })
    })
    server.on('connection', socket => {
      connections++
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop: TargetServer['stop'] = async (underWay = 'broken off') => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    if (underWay === 'may finish') return
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await start()
  onTestFinished(async () => {
    await stop()
    for (const socket of sockets) socket.destroy()
  })
  const target: TargetServer = {
    url: `http://127.0.0.1:${port}/hook`,
    arrivals,
    async arrived(count) {
      while (arrivals.length < count) await new Promise<void>(resolve => waiting.push(resolve))
    },
    get mostAtOnce() {
      return mostAtOnce
    },
    get connections() {
      return connections
    },
    answer,
    start,
    stop,
  }
  return target
}

function toArrival({ url = '', headers }: IncomingMessage, body: Buffer) {
  return {
    path: url,
    headers,
    body,
    /** Parses the body. */
    json: () => JSON.parse(body.toString()),
  }
}

export const ok: Answer = response => response.end('{"message":"ok"}')

/** Holds every response until the test releases them. */
export function holding(): Answer & { readonly held: number; release(count?: number): void } {
  const held: ServerResponse[] = []
  const answer: Answer = response => held.push(response)
  return Object.defineProperty(
    Object.assign(answer, {
      held: 0,
      release(count = held.length) {
        for (const response of held.splice(0, count)) response.end('{"message":"ok"}')
      },
    }),
    'held',
    { get: () => held.length },
  )
}

/** Sends a body, text or a value as JSON; returns the status of the response. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const response = await fetch(url, { method: 'POST', headers, body: text })
  await response.arrayBuffer()
  return response.status
}
