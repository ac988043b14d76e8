import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import * as z from 'zod/mini'
import { type Endpoint, endpoints } from '../../interface/endpoints.ts'
import { faqEntrySchema, newFaqEntrySchema } from '../../interface/faq.ts'
import { objectSchema, required } from '../../interface/fields.ts'
import type { Clock } from '../../lib/clock.ts'
import { mapValues } from '../../lib/json.ts'
import type { BodyReader } from '../../lib/net/body-reader.ts'
import { isSecretHeader, redacted } from '../../lib/net/secrets.ts'
import { connectCallBody, startCallBody } from '../call/calls.ts'
import type { Log } from '../event-schemas.ts'
import { Problem } from '../records/problem.ts'
import type { World } from '../world.ts'
import { callControlRoutes, checkHealth, sandboxTag } from './call-control.ts'
import { addControl, type ControlOptions } from './control-routes.ts'
import { guard } from './guard.ts'
import { withCheckedAssistant } from './place-call.ts'
import {
  addRoutes,
  documentOnce,
  requireToken,
  type SandboxRoute,
  type SandboxServer,
  sendJson,
} from './route-table.ts'

interface RoutesOptions {
  /** Undefined: the key opens nothing. */
  readonly worldOf: (apiKey: string) => World | undefined
  /** World that a lockfile may name, and whose list has the requests without a valid key. */
  readonly first: World
  readonly log: Log
  /** Real time, not the time of calls. */
  readonly clock: Clock
  /** Host name of the sandbox for others: its listening host or that of its public URL. */
  readonly host: string
  readonly bodies: BodyReader
  /** Undefined if the control API is disabled. */
  readonly control: ControlOptions | undefined
}

/**
 * The seven endpoints of interface.md 4, and what `monitor.controlUrl` points at. Success is 200 with JSON; every response has a
 * request id and is logged. Bodies have a limit of their own, over all connections (readBody).
 */
export function createRoutes(options: RoutesOptions): Hono<SandboxServer> {
  const { worldOf, first, log, clock, host, bodies } = options
  const app = new Hono<SandboxServer>()
  app.use(identified)
  app.get(checkHealth.path, () => Response.json({ status: 'ok' }))
  const guarded = guard({ host, isTrusted: ({ headers }) => worldOf(bearerToken(headers)) !== undefined })
  app.get(identify.path, guarded, () =>
    Response.json({ service: 'callyard sandbox', teamId: first.team.teamId }),
  )
  const openApi = documentOnce(async ({ vocabulary }) =>
    (await import('./openapi.ts')).sandboxOpenApi([identify, checkHealth, ...callControlRoutes], vocabulary),
  )
  app.get('/openapi.json', guarded, () => openApi(first))
  app.use(logRequests(log, clock))
  if (options.control !== undefined) addControl(app, options.control, { host, bodies })
  app.use(
    guarded,
    listRequests(first),
    requireToken('API key', keyHint, (token, context) => {
      const world = worldOf(token)
      if (world !== undefined) context.set('world', world)
      return world !== undefined
    }),
    beginListing,
  )
  addRoutes(app, routes, bodies, faulty(log))
  addRoutes(app, callControlRoutes, bodies)
  app.notFound(({ req }) => {
    throw new Problem(404, `there is nothing at ${req.path}`, {
      hint: 'docs/interface.md lists the endpoints',
    })
  })
  app.onError((error, context) => {
    const problem = toProblem(error, log)
    const { status, options } = problem
    const headers = { 'content-type': 'application/problem+json', ...options.headers }
    return sendJson(context, problem.toJson(context.var.requestId), { status, headers })
  })
  return app
}

const routes: readonly SandboxRoute[] = [
  {
    ...endpoints.startCall,
    async handle(world, request) {
      const body = startCallBody().parse(withCheckedAssistant(request.body, world))
      const { id } = await world.calls.start(body, request.scope)
      return { sid: id }
    },
  },
  {
    ...endpoints.connectCall,
    async handle(world, request) {
      const body = connectCallBody().parse(withCheckedAssistant(request.body, world))
      return world.calls.connect(body, request.scope)
    },
  },
  { ...endpoints.createAssistant, handle: ({ resources }, { body }) => resources.createAssistant(body) },
  { ...endpoints.createTool, handle: ({ resources }, { body }) => resources.createTool(body) },
  { ...endpoints.updateTool, handle: ({ resources }, { id, body }) => resources.updateTool(id, body) },
  {
    ...endpoints.insertFaq,
    handle: ({ resources }, { id, body }) =>
      resources.insertFaq(id, z.array(newFaqEntrySchema()).parse(body.faq)),
  },
  {
    ...endpoints.updateFaq,
    handle: ({ resources }, { id, body }) =>
      resources.updateFaq(id, z.array(faqEntrySchema()).parse(body.faq)),
  },
]

/** Says which sandbox this is, for a lockfile that was written with another one. */
const identify = {
  id: 'identify',
  method: 'GET',
  path: '/',
  tag: sandboxTag,
  summary: 'Which sandbox this is',
  isOpen: true,
  response: objectSchema('Identity', () => ({
    service: required(z.string(), 'Always callyard sandbox'),
    teamId: required(z.string(), 'Team of its first API key'),
  })),
} as const satisfies Endpoint

function bearerToken({ authorization = '' }: IncomingHttpHeaders): string {
  return authorization.replace(/^bearer +/i, '')
}

const identified: MiddlewareHandler<SandboxServer> = async (context, next) => {
  const requestId = `req-${randomUUID()}`
  context.set('requestId', requestId)
  // Not on the response: changing the headers of one builds it a second time.
  context.env.outgoing.setHeader('x-request-id', requestId)
  await next()
}

function logRequests(log: Log, clock: Clock): MiddlewareHandler<SandboxServer> {
  return async (context, next) => {
    const { req } = context
    const { requestId } = context.var
    const startedAt = clock.now()
    await next()
    const durationMs = clock.now() - startedAt
    log({
      ...{ kind: 'request', requestId, method: req.method, path: req.path },
      ...{ status: context.res.status, durationMs },
    })
  }
}

/** Completes the entry on the list of requests; what no key opens is on that of the first world. */
function listRequests(first: World): MiddlewareHandler<SandboxServer> {
  return async (context, next) => {
    await next()
    const entry = context.var.listed ?? beginIn(first, context)
    entry.answered(context.res.status, context.var.answer ?? '')
  }
}

/** Puts a request on the list of the world that its key opens. */
const beginListing: MiddlewareHandler<SandboxServer> = async (context, next) => {
  context.set('listed', beginIn(context.var.world, context))
  await next()
}

function beginIn({ requests, clock }: World, { req, env, var: { requestId } }: Context<SandboxServer>) {
  return requests.begin({
    at: new Date(clock.now()).toISOString(),
    requestId,
    method: req.method,
    path: env.incoming.url ?? req.path,
    scope: req.header('x-sandbox-scope'),
    headers: redactHeaders(env.incoming),
  })
}

function redactHeaders({ headers }: IncomingMessage): Record<string, string> {
  return mapValues(headers, (value = '', name) => (isSecretHeader(name) ? redacted : String(value)))
}

const keyHint =
  'send Authorization: Bearer <API_KEY> with the key of its profile, or the one that sandbox start printed'

function toProblem(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error
  log({ kind: 'warning', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  return new Problem(500, 'the sandbox failed on this request; its log says why')
}

/**
 * Injects faults: 429, 500 and hang do nothing else; hang never responds; reset executes the request and loses the response with the
 * connection.
 * @throws Problem 429, 500
 */
function faulty(log: Log): MiddlewareHandler<SandboxServer> {
  return async ({ req, env: { incoming }, var: { requestId, world, listed } }, next) => {
    const { path, method } = req
    const fault = world.nextRequestFault({ path, scope: req.header('x-sandbox-scope') })
    if (fault !== undefined) {
      listed?.struckBy(fault)
      log({ kind: 'fault', fault, requestId, method, path })
    }
    if (fault === '429') {
      throw new Problem(429, 'a fault on request: the sandbox takes no more requests; nothing was done', {
        headers: { 'retry-after': '1' },
      })
    }
    if (fault === '500') throw new Problem(500, 'a fault on request: nothing was done')
    if (fault === 'hang') {
      // Read on, or the client's leaving goes unnoticed. What never settles is collected with the connection.
      incoming.resume()
      return new Promise(() => {})
    }
    await next()
    if (fault === 'reset') incoming.socket.resetAndDestroy()
  }
}
