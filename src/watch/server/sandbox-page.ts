import type { IncomingMessage, ServerResponse } from 'node:http'
import { assetRoutes, type PageAssets, serveRoute } from './serve-route.ts'

/** The page of a sandbox, on the sandbox's own server. What it shows it asks of the control API, with a token. */
export interface SandboxPage {
  /** Of the page, with a slash at its end. */
  readonly path: string
  /** Answers a request for the page; false for any other request. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

export function createSandboxPage(assets: PageAssets): SandboxPage {
  // Speech needs the microphone: the browser asks before it gives it.
  const routes = assetRoutes(assets, { 'permissions-policy': 'camera=(), geolocation=(), microphone=(self)' })
  return {
    path,
    serve(request, response) {
      if (request.url?.startsWith(path) !== true) return false
      serveRoute(routes, path, request, response)
      return true
    },
  }
}

const path = '/__sandbox/ui/'
