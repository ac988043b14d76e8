import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, refuse, refusePageRequest } from './page-http.ts'

/** What a browser gets of a page. */
export interface PageAssets {
  readonly html: string
  readonly script: string
  readonly style: string
}

export interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  readonly query: URLSearchParams
}

export interface Route {
  /** Whether it takes POST, and nothing else. */
  readonly post?: true
  readonly run: (visit: Visit) => void | Promise<void>
}

/** The page itself, with further headers. */
export function assetRoutes(
  { html, script, style }: PageAssets,
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, Route>> {
  return {
    '': { run: ({ response }) => answer(response, 'text/html; charset=utf-8', html, headers) },
    'page.js': { run: ({ response }) => answer(response, 'text/javascript; charset=utf-8', script) },
    'page.css': { run: ({ response }) => answer(response, 'text/css; charset=utf-8', style) },
  }
}

/** Answers a request below the `path` of a page, by the name that follows it: what may not be seen is refused. */
export function serveRoute(
  routes: Readonly<Record<string, Route>>,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = '', method = '' } = request
  response.on('error', ignore)
  const refusal = refusePageRequest(request)
  if (refusal !== undefined) return void refuse(response, refusal)
  const [name = '', query] = url.slice(path.length).split('?', 2)
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (route === undefined) return void refuse(response, { status: 404, message: 'there is nothing here' })
  if ((route.post === true) !== (method === 'POST'))
    return void refuse(response, {
      status: 405,
      message: 'this method is not allowed',
      headers: { allow: route.post ? 'POST' : 'GET, HEAD' },
    })
  const visit = { request, response, method, query: new URLSearchParams(query) }
  const answering = async () => route.run(visit)
  answering().catch(() => response.destroy())
}

function ignore(): void {}
