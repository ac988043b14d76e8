import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listenOnLoopback } from './loopback.ts'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A way to respond to a request. */
type Answer = (response: ServerResponse, request: ReceivedRequest) => void

const deep = `{"message":${'['.repeat(200_000)}${']'.repeat(200_000)}}`

/** Every misbehavior of a service, or of something in its place, towards a client. */
export const misbehaviours = {
  ok: response => json(response, 200, { _id: 'id-1', id: 'id-1', sid: 'id-1', faq: [] }),
  401: response => json(response, 401, { message: 'no such key' }),
  403: response => json(response, 403, { error: { message: 'not for this team' } }),
  404: response =>
    json(response, 404, { title: 'Not Found', detail: 'no such thing' }, 'application/problem+json'),
  408: response => json(response, 408, { message: 'the service behind took too long' }),
  425: response => json(response, 425, { message: 'too early' }),
  499: response => json(response, 499, { message: 'closed' }),
  409: response => json(response, 409, { message: 'exists already' }),
  422: response =>
    json(response, 422, { message: 'does not pass', errors: [{ path: 'name', message: 'is missing' }] }),
  '429 retry after 2 s': response => {
    response.setHeader('retry-after', '2')
    json(response, 429, { message: 'slow down' })
  },
  '429 retry after an hour': response => {
    response.setHeader('retry-after', '3600')
    json(response, 429, { message: 'slow down' })
  },
  429: response => json(response, 429, { message: 'slow down' }),
  500: response => json(response, 500, { error: 'broken' }),
  '500 retry after 2 s': response => {
    response.setHeader('retry-after', '2')
    json(response, 500, { error: 'broken' })
  },
  501: response => json(response, 501, { error: 'not known here' }),
  '500 with a deep body': response => send(response, 500, 'application/json', deep),
  '422 with a deep body': response => send(response, 422, 'application/json', deep),
  503: response => json(response, 503, { error: 'overloaded' }),
  '503 retry after a date': response => {
    response.setHeader('retry-after', 'Thu, 01 Jan 1970 00:00:03 GMT')
    json(response, 503, { error: 'overloaded' })
  },
  hang: () => undefined,
  reset: response => response.socket?.resetAndDestroy(),
  close: response => response.socket?.destroy(),
  'upgrade unasked': response =>
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  'reset mid-body': response => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"sid":"id-1",', () => response.socket?.destroy())
  },
  'hang mid-body': response => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"sid":"id-1",')
  },
  html: response => send(response, 200, 'text/html; charset=utf-8', '<html><body>Sign in</body></html>'),
  'continue unasked': response => {
    response.writeContinue()
    response.writeContinue()
    json(response, 200, { sid: 'id-1', _id: 'id-1', faq: [] })
  },
  'not utf-8': response =>
    send(response, 200, 'application/json', Buffer.from('{"sid":"caf\xe9"}', 'latin1')),
  '400 not utf-8': response =>
    send(response, 400, 'application/json', Buffer.from('{"message":"caf\xe9"}', 'latin1')),
  'deep json': response => send(response, 200, 'application/json', `{"sid":"id-1","_id":"id-1","x":${deep}}`),
  empty: response => send(response, 200, 'application/json', ''),
  'broken json': response => send(response, 200, 'application/json', '{"sid": "id-1'),
  'without id': response => json(response, 200, { name: 'nobody' }),
  list: response => json(response, 200, []),
  'redirect elsewhere': response => {
    response.writeHead(302, { location: 'https://elsewhere.example.com/login?token=secret' })
    response.end()
  },
  huge: response => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('"')
    const chunk = 'x'.repeat(1024 * 1024)
    const more = (left: number) => {
      if (left === 0 || response.destroyed) return void response.end('"')
      response.write(chunk, () => more(left - 1))
    }
    more(40)
  },
  'not http': response => response.socket?.end('220 mail.example.com ready\r\n'),
  /** Says the key back, in its message, a header and a cookie. */
  'echo the key': (response, { headers }) => {
    response.setHeader('set-cookie', `session=${headers.authorization}`)
    response.setHeader('x-request-id', `for-${headers.authorization}`)
    json(response, 400, {
      message: `the header was ${headers.authorization}`,
      authorization: headers.authorization,
    })
  },
  hostile: response => json(response, 400, { message: '\u001b[2J\u202egone\u0007' }),
} as const satisfies Record<string, Answer>

export type Misbehaviour = keyof typeof misbehaviours

export interface MisbehavingServer {
  readonly baseUrl: string
  readonly requests: readonly ReceivedRequest[]
  /** Sets the responses to the next requests; the last one repeats. Starts with `ok`. */
  behave(...modes: readonly [Misbehaviour, ...Misbehaviour[]]): void
  /** Resolves once `count` requests have arrived in all. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/** A server on loopback with the given responses, which records its requests. */
export async function misbehavingServer(...first: Misbehaviour[]): Promise<MisbehavingServer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  const waiting: { count: number; resolve: () => void }[] = []
  let modes: readonly Misbehaviour[] = first.length === 0 ? ['ok'] : first
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      requests.push(received)
      const [mode = 'ok', ...rest] = modes
      if (rest.length > 0) modes = rest
      misbehaviours[mode](response, received)
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
    })
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    baseUrl: origin,
    requests,
    behave(...next) {
      modes = next
    },
    async received(count) {
      if (requests.length >= count) return
      await new Promise<void>(resolve => waiting.push({ count, resolve }))
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await close()
    },
  }
}

function json(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  send(response, status, type, JSON.stringify(body))
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': type })
  response.end(body)
}
