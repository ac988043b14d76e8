import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { Readable } from 'node:stream'
import type { Environment } from '../lib/environment.ts'
import { reasonOf } from '../lib/error.ts'
import { basicLogin, connectTimeout } from '../lib/net/http.ts'
import { chooseProxy } from '../lib/net/proxy.ts'
import { ModelFailure } from './chat-model.ts'

export interface ModelResponse extends Pick<Response, 'ok' | 'status'> {
  readonly headers: Pick<Headers, 'get'>
  readonly body: ReadableStream<Uint8Array> | null
}

interface ModelPost {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

const connectTimeoutMs = 10_000

/**
 * POSTs to a model once, through the environment's proxy for the URL if any, because fetch does not support proxies on Node 20.
 * Follows no redirect.
 * @throws ModelFailure for a proxy that is not a URL, and network errors
 */
export async function postJson(url: URL, post: ModelPost, env: Environment): Promise<ModelResponse> {
  const proxy = proxyFor(url, env)
  if (proxy === undefined) return fetch(url, { method: 'POST', redirect: 'manual', ...post })
  const response = await (url.protocol === 'https:' ? postThroughTunnel : postToProxy)(url, post, proxy)
  const { statusCode: status = 0, headers } = response
  return {
    ok: status >= 200 && status <= 299,
    status,
    headers: { get: name => headers[name]?.toString() ?? null },
    body: Readable.toWeb(response) as ReadableStream<Uint8Array>,
  }
}

function proxyFor(url: URL, env: Environment): URL | undefined {
  try {
    const proxy = chooseProxy(url, env)
    return proxy && new URL(proxy.url)
  } catch (error) {
    throw new ModelFailure(reasonOf(error))
  }
}

async function postThroughTunnel(url: URL, post: ModelPost, proxy: URL): Promise<IncomingMessage> {
  const [{ request }, { createTunnelAgent }] = await Promise.all([
    import('node:https'),
    import('../lib/net/tunnel.ts'),
  ])
  const { signal } = post
  const agent = createTunnelAgent(proxy, { keepAlive: false }, { connectTimeoutMs, connectTimeout, signal })
  return responseTo(options => request(url, { ...options, agent }), post)
}

/** Plain http is sent to the proxy itself, with the whole URL as its target (RFC 9112, 3.2.2). */
async function postToProxy(url: URL, post: ModelPost, proxy: URL): Promise<IncomingMessage> {
  const { request } = await (proxy.protocol === 'https:' ? import('node:https') : import('node:http'))
  const login = basicLogin(proxy)
  const headers = { ...post.headers, host: url.host, ...(login && { 'proxy-authorization': login }) }
  return responseTo(options => request(new URL(proxy.origin), { ...options, path: url.href, auth: null }), {
    ...post,
    headers,
  })
}

function responseTo(
  send: (options: RequestOptions) => ClientRequest,
  { headers, body, signal }: ModelPost,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    send({ method: 'POST', headers: { ...headers, 'accept-encoding': 'identity' }, signal })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })
}
