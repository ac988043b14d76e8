import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import type * as z from 'zod/mini'
import { check } from '../../interface/check.ts'
import type { Endpoint } from '../../interface/endpoints.ts'
import type { BodyReader } from '../../lib/net/body-reader.ts'
import { Problem } from '../records/problem.ts'
import type { OpenRequest } from '../records/request-history.ts'
import type { World } from '../world.ts'
import { type BodyOptions, readBody } from './request-body.ts'

export interface SandboxServer {
  readonly Bindings: HttpBindings
  readonly Variables: {
    requestId: string
    world: World
    /** In the list of the world's requests. */
    listed?: OpenRequest
    /** JSON of the response. */
    answer?: string
  }
}

export interface SandboxRoute extends Endpoint {
  readonly bodyOptions?: BodyOptions
  /** Returns what is sent as JSON with status 200, or a response. */
  handle(world: World, request: RouteRequest): Promise<unknown>
}

export interface RouteRequest {
  /** In the path. */
  readonly id: string
  readonly scope: string | undefined
  /** It has passed the schema of the route. */
  readonly body: RequestFields
  /** It has passed the schema of the route; of names that come more than once the last. */
  readonly query: RequestFields
}

export type RequestFields = Readonly<Record<string, unknown>>

/** Other methods of their paths get 405, OPTIONS gets 204, both with Allow. */
export function addRoutes(
  app: Hono<SandboxServer>,
  routes: readonly SandboxRoute[],
  bodies: BodyReader,
  ...before: readonly MiddlewareHandler<SandboxServer>[]
): void {
  for (const { method, path, query, body, isBodyOptional, bodyOptions, handle } of routes) {
    app.on(method, [honoPath(path)], ...before, async context => {
      const { req, env, var: variables } = context
      const { world, listed } = variables
      const response = await handle(world, {
        id: req.param('id') ?? '',
        scope: req.header('x-sandbox-scope'),
        query: query === undefined ? {} : readQuery(req.url, query),
        body:
          body === undefined
            ? {}
            : await readBody(env.incoming, body(world.vocabulary), {
                ...bodyOptions,
                isOptional: isBodyOptional,
                bodies,
                onText: listed?.tookBody,
              }),
      })
      if (!(response instanceof Response)) return sendJson(context, JSON.stringify(response))
      // Its body is not read.
      if (req.method === 'HEAD') await response.body?.cancel()
      return response
    })
  }
  for (const path of new Set(routes.map(route => route.path))) {
    const allow = routes
      .flatMap(({ path: other, method }) => (other === path ? [method] : []))
      .flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .join(', ')
    app.all(honoPath(path), ({ req }) => {
      if (req.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
      throw new Problem(405, `${req.method} is not possible here; allowed: ${allow}`, {
        headers: { allow },
      })
    })
  }
}

function honoPath(path: string): string {
  return path.replace('{id}', ':id')
}

/** @throws Problem 400 */
function readQuery(url: string, schema: z.ZodMiniType): RequestFields {
  const query = Object.fromEntries(new URL(url).searchParams)
  const findings = check(schema, query)
  const [first] = findings
  if (first !== undefined) throw new Problem(400, `the query: ${first.message}`, { findings })
  return query
}

/** Sends a JSON response, and keeps it for the list of requests. */
export function sendJson(
  context: Context<SandboxServer>,
  text: string,
  init: ResponseInit = { headers: { 'content-type': 'application/json' } },
): Response {
  context.set('answer', text)
  return new Response(text, init)
}

/** Creates a handler that builds a document at the first request: an OpenAPI document takes a hundred milliseconds and does not change. */
export function documentOnce(make: (world: World) => Promise<unknown>): (world: World) => Promise<Response> {
  let text: Promise<string> | undefined
  return async world => {
    text ??= make(world).then(document => JSON.stringify(document))
    return new Response(await text, { headers: { 'content-type': 'application/json' } })
  }
}

/** interface.md 5: a bearer token, which is called so. @throws Problem 401 where it is missing or another one */
export function requireToken(
  name: string,
  hint: string,
  verifyToken: (token: string, context: Context<SandboxServer>) => boolean,
): MiddlewareHandler<SandboxServer> {
  const refuse = (detail: string) => ({
    message(): never {
      throw new Problem(401, detail, { hint, headers: { 'www-authenticate': 'Bearer' } })
    },
  })
  const missing = refuse(`the request has no ${name}`)
  return bearerAuth<SandboxServer>({
    verifyToken,
    noAuthenticationHeader: missing,
    invalidAuthenticationHeader: missing,
    invalidToken: refuse(`the ${name} is not that of the sandbox`),
  })
}
