import { createServer, type ServerResponse } from 'node:http'
import type { CallyardError } from '../lib/error.ts'
import { urlHost } from '../lib/net/address.ts'
import { listen } from '../lib/net/listen.ts'
import type { RelayMetrics } from './metrics.ts'

interface StatusOptions {
  readonly host: string
  readonly port: number
  readonly metrics: RelayMetrics
  /** Reasons why the relay should get no requests; empty if it is ready. */
  notReady(): readonly string[]
  cannotListen(error: unknown): CallyardError
}

/** Serves /healthz, /readyz and /metrics on a listener of their own, so that senders of events cannot read them. */
export async function startStatusServer({ host, port, metrics, notReady, cannotListen }: StatusOptions) {
  const { registry } = metrics
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (request.method !== 'GET' && request.method !== 'HEAD') return respond(response, 405, 'use GET\n')
    if (path === '/healthz') return respond(response, 200, 'ok\n')
    if (path === '/readyz') {
      const reasons = notReady()
      return respond(response, reasons.length === 0 ? 200 : 503, `${reasons.join('\n') || 'ok'}\n`)
    }
    if (path !== '/metrics') return respond(response, 404, 'use /healthz, /readyz or /metrics\n')
    registry.metrics().then(
      text => respond(response, 200, text, registry.contentType),
      () => respond(response, 500, 'metrics are not available\n'),
    )
  })
  const actualPort = await listen(server, { host, port }, cannotListen)
  return {
    address: `http://${urlHost(host)}:${actualPort}`,
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function respond(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
