import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import * as z from 'zod/mini'
import { endpoints } from '../../interface/endpoints.ts'
import { faqEntrySchema, newFaqEntrySchema } from '../../interface/faq.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { isObject } from '../../lib/json.ts'
import type { OpenBodies } from '../../lib/net/open-bodies.ts'
import { isSecretHeader, redacted } from '../../lib/net/secrets.ts'
import { connectCallBody, startCallBody } from '../call/calls.ts'
import type { Log } from '../events.ts'
import { invalidBody, Problem } from '../records/problem.ts'
import type { OpenRequest } from '../records/request-journal.ts'
import { checkAssistant } from '../records/resources.ts'
import type { World } from '../world.ts'
import { controlPath, controlSchema, toIntervention } from './call-control.ts'
import { readBody } from './request-body.ts'

interface SandboxServer {
  readonly Bindings: HttpBindings
  readonly Variables: {
    requestId: string
    world: World
    /** In the list of the world's requests. */
    listed?: OpenRequest
    /** The JSON that is answered. */
    answer?: string
  }
}

interface RoutesOptions {
  /** Undefined: the key opens nothing. */
  readonly worldOf: (apiKey: string) => World | undefined
  /** The one that a lockfile may name, and whose list has the requests that no key opens. */
  readonly first: World
  readonly log: Log
  readonly openBodies: OpenBodies
}

interface Route {
  readonly method: string
  /** With `{id}` where an id stands. */
  readonly path: string
  /** Undefined: no body is read. */
  body?(vocabulary: Vocabulary): z.ZodMiniType
  handle(world: World, request: RouteRequest): Promise<unknown>
}

interface RouteRequest {
  /** In the path. */
  readonly id: string
  /** X-Sandbox-Scope. */
  readonly scope: string | undefined
  /** It has passed the schema of the route. */
  readonly body: Body
}

type Body = Readonly<Record<string, unknown>>

/**
 * The seven endpoints of interface.md 4, and what `monitor.controlUrl` points at. Success is 200 with JSON; every answer carries a
 * request id and is logged. Bodies have a limit of their own, over all connections (readBody).
 */
export function createRoutes(options: RoutesOptions): Hono<SandboxServer> {
  const { worldOf, first, log, openBodies } = options
  const app = new Hono<SandboxServer>()
  const add = (added: readonly Route[], ...before: MiddlewareHandler<SandboxServer>[]) => {
    for (const { method, path, body, handle } of added) {
      app.on(method, [honoPath(path)], ...before, async context => {
        const { req, env, var: variables } = context
        const { world, listed } = variables
        const answer = await handle(world, {
          id: req.param('id') ?? '',
          scope: req.header('x-sandbox-scope'),
          body:
            body === undefined
              ? {}
              : await readBody(env.incoming, body(world.vocabulary), openBodies, listed?.tookBody),
        })
        return answerJson(context, JSON.stringify(answer))
      })
    }
    for (const path of new Set(added.map(route => route.path))) {
      const allow = added.flatMap(route => (route.path === path ? [route.method] : [])).join(', ')
      app.all(honoPath(path), ({ req }) => {
        throw new Problem(405, `${req.method} is not possible here; allowed: ${allow}`, {
          headers: { allow },
        })
      })
    }
  }
  // No endpoint of the interface, and no key: which sandbox this is, for a lockfile that was written with another one.
  app.get('/', () => Response.json({ service: 'callwright sandbox', teamId: first.team.teamId }))
  app.get('/openapi.json', async () =>
    Response.json((await import('./sandbox-openapi.ts')).sandboxOpenApi(first.vocabulary)),
  )
  app.use(
    logged(options),
    bearerAuth<SandboxServer>({
      verifyToken(token, context) {
        const world = worldOf(token)
        if (world !== undefined) context.set('world', world)
        return world !== undefined
      },
      noAuthenticationHeader: { message: unauthorized('the request carries no API key') },
      invalidAuthenticationHeader: { message: unauthorized('the request carries no API key') },
      invalidToken: { message: unauthorized('the API key is not the sandbox’s') },
    }),
  )
  app.use(listed)
  add(routes, faulty(log))
  add(controlRoutes)
  app.notFound(({ req }) => {
    throw new Problem(404, `there is nothing at ${req.path}`, {
      hint: 'docs/interface.md lists the endpoints',
    })
  })
  app.onError((error, context) => {
    const problem = toProblem(error, log)
    const { status, options } = problem
    const headers = { 'content-type': 'application/problem+json', ...options.headers }
    return answerJson(context, problem.toJson(context.var.requestId), { status, headers })
  })
  return app
}

const routes: readonly Route[] = [
  {
    ...endpoints.startCall,
    async handle(world, request) {
      const body = startCallBody.parse(withCheckedAssistant(request, world))
      const { id } = await world.calls.start(body, request.scope)
      return { sid: id }
    },
  },
  {
    ...endpoints.connectCall,
    async handle(world, request) {
      const body = connectCallBody.parse(withCheckedAssistant(request, world))
      return world.calls.connect(body, request.scope)
    },
  },
  { ...endpoints.createAssistant, handle: ({ resources }, { body }) => resources.createAssistant(body) },
  { ...endpoints.createTool, handle: ({ resources }, { body }) => resources.createTool(body) },
  { ...endpoints.updateTool, handle: ({ resources }, { id, body }) => resources.updateTool(id, body) },
  {
    ...endpoints.insertFaq,
    handle: ({ resources }, { id, body }) =>
      resources.insertFaq(id, z.array(newFaqEntrySchema).parse(body.faq)),
  },
  {
    ...endpoints.updateFaq,
    handle: ({ resources }, { id, body }) => resources.updateFaq(id, z.array(faqEntrySchema).parse(body.faq)),
  },
]

/** @throws Problem 422 for an inline assistant that has what no schema can check */
function withCheckedAssistant({ body }: RouteRequest, { store }: World): Body {
  const findings = isObject(body.assistant) ? checkAssistant(body.assistant, store, ['assistant']) : []
  if (findings.length > 0) throw invalidBody(findings)
  return body
}

const controlRoutes: readonly Route[] = [
  { method: 'GET', path: controlPath, handle: async ({ calls }, { id }) => calls.state(id) },
  {
    method: 'POST',
    path: controlPath,
    body: () => controlSchema,
    async handle({ calls }, { id, body }) {
      calls.intervene(id, toIntervention(controlSchema.parse(body)))
      return { message: 'done' }
    },
  },
]

function honoPath(path: string): string {
  return path.replace('{id}', ':id')
}

function logged({ log, first }: RoutesOptions): MiddlewareHandler<SandboxServer> {
  return async (context, next) => {
    const { req, env } = context
    const requestId = `req-${randomUUID()}`
    context.set('requestId', requestId)
    // Not on the answer: changing the headers of one builds it a second time.
    env.outgoing.setHeader('x-request-id', requestId)
    await next()
    const { status } = context.res
    const listed = context.var.listed ?? beginIn(first, context)
    listed.answered(status, context.var.answer ?? '')
    log({ kind: 'request', requestId, method: req.method, path: req.path, status })
  }
}

/** Puts a request on the list of the world that its key opens. */
const listed: MiddlewareHandler<SandboxServer> = async (context, next) => {
  context.set('listed', beginIn(context.var.world, context))
  await next()
}

function beginIn({ requests, clock }: World, { req, env, var: { requestId } }: Context<SandboxServer>) {
  const scope = req.header('x-sandbox-scope')
  return requests.begin({
    at: new Date(clock.now()).toISOString(),
    requestId,
    method: req.method,
    path: env.incoming.url ?? req.path,
    ...(scope === undefined ? {} : { scope }),
    headers: shownHeaders(env.incoming),
  })
}

function shownHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      isSecretHeader(name) ? redacted : String(value),
    ]),
  )
}

function answerJson(
  context: Context<SandboxServer>,
  text: string,
  answer: ResponseInit = { headers: { 'content-type': 'application/json' } },
): Response {
  context.set('answer', text)
  return new Response(text, answer)
}

/** interface.md 5. */
function unauthorized(detail: string): () => never {
  return () => {
    throw new Problem(401, detail, {
      hint: 'send Authorization: Bearer <API_KEY> with the key of its profile, or the one that sandbox start printed',
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

function toProblem(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error
  log({ kind: 'warning', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  return new Problem(500, 'the sandbox failed on this request; its log says why')
}

/**
 * Faults on request: 429 and 500 are answered and nothing is done; a hang is never answered and nothing is done; with a reset
 * everything is done and the answer is lost with the connection.
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
