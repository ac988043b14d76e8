import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { assetRoutes, type PageAssets, type Routes, refusePageRequest, serveRoute } from './page-http.ts'

/** A page below a path that only its readers know. */
export interface PrivatePage {
  /** Path of the page: `/ui-<random>/`. */
  readonly path: string
  /** Responds to requests for the page; returns false for all others. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

interface PrivatePageOptions {
  readonly assets: PageAssets
  /** Endpoints next to the files of the page. */
  readonly get: Routes
  readonly post?: Routes
  /** Default: random. */
  readonly path?: string | undefined
}

export function createPrivatePage({
  assets,
  get,
  post = {},
  path = `${prefix}${randomBytes(24).toString('base64url')}/`,
}: PrivatePageOptions): PrivatePage {
  const files = assetRoutes(assets)
  return {
    path,
    serve(request, response) {
      const { url = '' } = request
      if (!url.startsWith(prefix)) return false
      if (isUnder(url, path)) serveRoute({ get: { ...files, ...get }, post }, path, request, response)
      else {
        const other = pathOfOtherRun(request)
        if (other === undefined) return false
        serveRoute({ get: files }, other, request, response)
      }
      return true
    },
  }
}

const prefix = '/ui-'

/**
 * Path of the page of an earlier run, which a browser of this machine still has open or bookmarked: the page says so itself, because it
 * finds no events there. Undefined for other requests, which learn nothing about the page.
 */
function pathOfOtherRun(request: IncomingMessage): string | undefined {
  const { url = '', method } = request
  if ((method !== 'GET' && method !== 'HEAD') || refusePageRequest(request) !== undefined) return undefined
  return /^\/ui-[\w-]{32}\//.exec(url)?.[0]
}

/** In the same time however much of the path was guessed. */
function isUnder(url: string, path: string): boolean {
  const expected = Buffer.from(path)
  const pathBytes = Buffer.from(url).subarray(0, expected.length)
  return pathBytes.length === expected.length && timingSafeEqual(pathBytes, expected)
}
