import { createServer as createProxy, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server as NetServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { certificate, privateKey } from '../service/api/certificate.ts'

/** A TLS server with a certificate that nobody trusts; returns its port. */
export async function startTlsServer(listener: RequestListener): Promise<number> {
  return listen(createTlsServer({ key: privateKey, cert: certificate }, listener))
}

interface ConnectProxyOptions {
  /** Sent before the response to CONNECT. */
  readonly interim?: string
  readonly proxy?: Server
}

/** A CONNECT proxy that leads every name to one port of this machine, or refuses; `seen` is what it was asked for. */
export async function startConnectProxy(
  target: number | undefined,
  { interim = '', proxy = createProxy() }: ConnectProxyOptions = {},
): Promise<{ readonly port: number; readonly seen: readonly string[] }> {
  const seen: string[] = []
  proxy.on('connect', (request, socket) => {
    onTestFinished(() => void socket.destroy())
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
    if (target === undefined) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const upstream = connect(target, '127.0.0.1', () => {
      socket.write(`${interim}HTTP/1.1 200 Connection Established\r\n\r\n`)
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
  })
  return { port: await listen(proxy), seen }
}

async function listen(server: NetServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
