import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Rejection } from '../../events/conversation/index.ts'
import { isLoopbackName } from '../../lib/net/address.ts'
import { isFromOtherPage } from '../../lib/net/http.ts'
import type { VNode } from '../../lib/text/virtual-node.ts'
import type { ShownFigures } from '../wire.ts'

/** Files of a page. */
export interface PageAssets {
  readonly html: string
  readonly script: string
  readonly style: string
}

/** A request to an endpoint of a page. */
export interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  readonly query: URLSearchParams
}

/** Endpoints of a page by name. */
export type Routes = Readonly<Record<string, (visit: Visit) => void | Promise<void>>>

/** The page itself, with further headers. */
export function assetRoutes(
  { html, script, style }: PageAssets,
  headers: Readonly<Record<string, string>> = {},
): Routes {
  return {
    '': ({ response }) => respond(response, 'text/html; charset=utf-8', html, headers),
    'page.js': ({ response }) => respond(response, 'text/javascript; charset=utf-8', script),
    'page.css': ({ response }) => respond(response, 'text/css; charset=utf-8', style),
  }
}

/** Handles a request below the `path` of a page by the name that follows it; rejects forbidden requests. */
export function serveRoute(
  { get, post = {} }: { readonly get: Routes; readonly post?: Routes },
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = '', method = '' } = request
  response.on('error', () => undefined)
  const refusal = refusePageRequest(request)
  const [name = '', query] = url.slice(path.length).split('?', 2)
  const [routes, others, allow] = method === 'POST' ? [post, get, 'GET, HEAD'] : [get, post, 'POST']
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  const answering = async () => {
    if (refusal !== undefined) refuse(response, refusal)
    else if (route !== undefined)
      await route({ request, response, method, query: new URLSearchParams(query) })
    else refuse(response, Object.hasOwn(others, name) ? otherMethod(allow) : nothingHere)
  }
  answering().catch(() => response.destroy())
}

export const nothingHere: Rejection = { status: 404, message: 'not found' }

function otherMethod(allow: string): Rejection {
  return { status: 405, message: 'this method is not allowed', headers: { allow } }
}

/** The page of a sandbox, on the sandbox's own server. What it shows it asks of the control API, with a token. */
export interface SandboxPage {
  /** Path of the page with a trailing slash. */
  readonly path: string
  /** Handles a request for the page; returns false for other requests. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

/** Figures about the calls of a sandbox. */
export interface SandboxFigures {
  /** CSS of what is drawn. */
  readonly style: string
  /** Draws the figures of a world for a control API token; undefined if the token is wrong or the world does not exist. */
  load(token: string, world: string | null): Promise<readonly VNode[] | undefined>
}

export function createSandboxPage(assets: PageAssets, loadFigures: SandboxFigures['load']): SandboxPage {
  const path = '/__sandbox/ui/'
  // Speech needs the microphone: the browser asks before it gives it.
  const permissions = { 'permissions-policy': 'camera=(), geolocation=(), microphone=(self)' }
  const get: Routes = {
    ...assetRoutes(assets, permissions),
    async figures({ request, response, query }) {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      const drawing = await loadFigures(token, query.get('world'))
      if (drawing === undefined) return refuse(response, { status: 401, message: 'wrong token or world' })
      const figures: ShownFigures = { drawing }
      respondWithJson(response, figures)
    },
  }
  return {
    path,
    serve(request, response) {
      if (request.url?.startsWith(path) !== true) return false
      serveRoute({ get }, path, request, response)
      return true
    },
  }
}

interface PageRequest {
  readonly headers: IncomingHttpHeaders
  readonly method?: string | undefined
  readonly socket: { readonly remoteAddress?: string | undefined; readonly localPort?: number | undefined }
}

/**
 * Returns the reason to reject a request for the page. Transcripts are private, so the page is only served to browsers on this machine:
 * not to other machines, through tunnels or proxies, by names rebound to loopback, or to other pages.
 */
export function refusePageRequest({ headers, method = '', socket }: PageRequest): Rejection | undefined {
  if (!isLoopback(socket.remoteAddress ?? '')) return forbidden('the page is for this machine alone')
  if (Object.keys(headers).some(isProxyHeader)) return forbidden('the page is not shown through a proxy')
  const host = headers.host?.toLowerCase() ?? ''
  if (!isOwnHost(host, socket.localPort)) return forbidden('this Host is not allowed')
  if (isFromOtherPage(headers)) return forbidden('requests from other pages are not allowed')
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return otherMethod('GET, HEAD, POST')
  if (method !== 'POST') return undefined
  if (headers.origin === undefined) return forbidden('a POST needs an Origin')
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    return { status: 415, message: 'a POST needs content-type application/json' }
  return undefined
}

function forbidden(message: string): Rejection {
  return { status: 403, message }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address)
}

function isOwnHost(host: string, port: number | undefined): boolean {
  const end = `:${port}`
  if (host.endsWith(end)) return isPageName(host.slice(0, -end.length))
  return port === 80 && isPageName(host)
}

/**
 * True if every browser resolves the name to this machine: addresses cannot be rebound, and browsers resolve localhost themselves. For
 * subdomains of localhost, some ask a name server.
 */
export function isPageName(name: string): boolean {
  return isLoopbackName(name) && !name.toLowerCase().endsWith('.localhost')
}

/** True for headers that proxies and tunnels add; browsers never send them directly. */
function isProxyHeader(name: string): boolean {
  return proxyHeaders.has(name) || /^(x-forwarded|x-original|x-envoy|cf|ngrok|fly|x-ms-proxy)-/.test(name)
}

const proxyHeaders = new Set([
  'forwarded',
  'via',
  'x-forwarded',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'client-ip',
  'cdn-loop',
  'x-proxy-id',
])

/** Reads a whole number from a query; undefined for anything else. */
export function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Node omits the body of a response to HEAD. */
export function respond(
  response: ServerResponse,
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...pageHeaders, ...headers, 'content-type': type, 'content-length': length })
  response.end(body)
}

export function respondWithJson(response: ServerResponse, value: unknown): void {
  respond(response, 'application/json', JSON.stringify(value))
}

export function refuse(response: ServerResponse, { status, message, headers }: Rejection): void {
  respond(response, 'application/json', JSON.stringify({ message }), headers, status)
}

/** Headers of every response of the page, which may load only its own script and style and connect only to its own listener. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // The icon alone: without one a browser would ask the receiver for /favicon.ico.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}
