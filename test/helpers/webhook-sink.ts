import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from './loopback.ts'

interface WebhookBody {
  readonly message: {
    readonly type: string
    readonly call: Record<string, unknown> & { readonly id: string; readonly status: string }
    readonly messages?: readonly { messageId: string; role: string; text: string; timestamp: string }[]
    readonly assistant?: Record<string, unknown>
    readonly customer?: Record<string, unknown>
    readonly analysis?: Record<string, unknown>
    readonly failures?: readonly { readonly part: string; readonly message: string }[]
  }
}

export interface WebhookSink {
  readonly url: string
  readonly received: { readonly headers: IncomingMessage['headers']; readonly body: WebhookBody }[]
  /** Messages of one call in the order of arrival. */
  of(callId: string): WebhookBody['message'][]
  /** Maximum number of concurrent requests. */
  most(): number
  /** Number of requests that ended early. */
  brokenOff(): number
  close(): Promise<void>
}

/** A receiver that responds with the result of `answer`: status, headers, and a body instead of that of interface.md 4.8. */
export async function webhookSink(
  answer: (
    count: number,
  ) => { status: number; headers?: Record<string, string>; body?: string } | 'hang' = () => ({
    status: 200,
  }),
): Promise<WebhookSink> {
  const received: WebhookSink['received'] = []
  let open = 0
  let most = 0
  let brokenOff = 0
  const server = createServer(async (request, response) => {
    open += 1
    most = Math.max(most, open)
    const body = await text(request).catch(() => undefined)
    if (body === undefined) {
      brokenOff += 1
      open -= 1
      return
    }
    received.push({ headers: request.headers, body: JSON.parse(body) })
    const sinkAnswer = answer(received.length)
    if (sinkAnswer === 'hang') return
    open -= 1
    response.writeHead(sinkAnswer.status, { 'content-type': 'application/json', ...sinkAnswer.headers })
    response.end(sinkAnswer.body ?? '{"message":"ok"}')
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    url: `${origin}/hook`,
    received,
    of: callId => received.map(({ body }) => body.message).filter(({ call }) => call.id === callId),
    most: () => most,
    brokenOff: () => brokenOff,
    close,
  }
}
