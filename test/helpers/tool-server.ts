import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from './loopback.ts'

export interface ToolCallBody {
  readonly message: {
    readonly type: string
    readonly call: unknown
    readonly customer: unknown
    readonly toolCall: { readonly id: string; readonly name: string; readonly arguments: unknown }
  }
}

export interface ToolServerRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: ToolCallBody
}

export type ToolServerAnswer =
  | { readonly json: unknown; readonly after?: Promise<unknown> }
  | { readonly status: number; readonly headers?: Record<string, string> }
  | { readonly text: string; readonly type?: string }
  /** Never responds; closes the connection before or during the response; responds without end. */
  | 'hang'
  | 'reset'
  | 'break-off'
  | 'endless'

export interface ToolServer {
  readonly url: string
  readonly requests: readonly ToolServerRequest[]
  /** Resolves once `count` requests have arrived in all. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/**
 * The server of a function tool on loopback, closed when the test ends. Responds in turn, repeating the last response; a response may be
 * a function of the request.
 */
export async function startToolServer(
  ...answers: readonly (ToolServerAnswer | ((request: ToolServerRequest) => ToolServerAnswer))[]
): Promise<ToolServer> {
  const requests: ToolServerRequest[] = []
  let waiting: { readonly count: number; resolve(): void }[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const received = { method, path, headers, body: JSON.parse(await text(request)) }
    requests.push(received)
    const toolAnswer = answers[Math.min(requests.length, answers.length) - 1] ?? { json: {} }
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
    waiting = waiting.filter(({ count }) => requests.length < count)
    await respond(response, typeof toolAnswer === 'function' ? toolAnswer(received) : toolAnswer)
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    url: `${origin}/tool`,
    requests,
    async received(count) {
      if (requests.length < count) await new Promise<void>(resolve => waiting.push({ count, resolve }))
    },
    close,
  }
}

/** A gate for responses, which the test opens. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}

async function respond(response: ServerResponse, answer: ToolServerAnswer): Promise<void> {
  if (answer === 'hang') return
  if (answer === 'reset') return void response.socket?.resetAndDestroy()
  if (answer === 'break-off') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    return void response.write('{"booked":', () => response.socket?.destroy())
  }
  if (answer === 'endless') {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => void (response.destroyed || response.write(' '.repeat(64 * 1024), more))
    return more()
  }
  if ('json' in answer) {
    await answer.after
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json))
  } else if ('text' in answer) {
    response.writeHead(200, { 'content-type': answer.type ?? 'text/plain' }).end(answer.text)
  } else {
    response.writeHead(answer.status, answer.headers).end()
  }
}
