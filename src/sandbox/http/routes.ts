import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import * as z from 'zod/mini'
import { assistantSchema } from '../../interface/assistant.ts'
import { connectCallSchema, startCallSchema } from '../../interface/call.ts'
import { faqEntrySchema, faqInsertSchema, faqUpdateSchema, newFaqEntrySchema } from '../../interface/faq.ts'
import { required, someText } from '../../interface/fields.ts'
import { toolSchema, toolUpdateSchema } from '../../interface/tool.ts'
import { isObject } from '../../lib/json.ts'
import type { OpenBodies } from '../../lib/net/open-bodies.ts'
import { isSecretHeader, redacted } from '../../lib/net/secrets.ts'
import type { ControlCommand } from '../call/call-runner.ts'
import { connectCallBody, startCallBody } from '../call/calls.ts'
import type { Log } from '../events.ts'
import { invalidBody, Problem } from '../records/problem.ts'
import type { OpenRequest } from '../records/request-journal.ts'
import { checkAssistant } from '../records/resources.ts'
import { serverSchema } from '../webhooks/delivery.ts'
import type { World } from '../world.ts'
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

interface RequestContext {
  /** In the path. */
  readonly id: string
  /** X-Sandbox-Scope. */
  readonly scope: string | undefined
  /** @throws Problem as readBody */
  read(schema: z.ZodMiniType): Promise<Readonly<Record<string, unknown>>>
}

type Handle = (world: World, request: RequestContext) => Promise<unknown>
/** By path, then by method. */
type Endpoints = Readonly<Record<string, Readonly<Record<string, Handle>>>>

/**
 * The seven endpoints of interface.md 4, and what `monitor.controlUrl` points at. Success is 200 with JSON; every answer carries a
 * request id and is logged. Bodies have a limit of their own, over all connections (readBody).
 */
export function createRoutes(options: RoutesOptions): Hono<SandboxServer> {
  const { worldOf, first, log, openBodies } = options
  const app = new Hono<SandboxServer>()
  const add = (endpoints: Endpoints, ...before: MiddlewareHandler<SandboxServer>[]) => {
    for (const [path, handlers] of Object.entries(endpoints)) {
      for (const [method, handle] of Object.entries(handlers)) {
        app.on(method, [path], ...before, async context => {
          const { req, env, var: variables } = context
          const answer = await handle(variables.world, {
            id: req.param('id') ?? '',
            scope: req.header('x-sandbox-scope'),
            read: schema => readBody(env.incoming, schema, openBodies, variables.listed?.tookBody),
          })
          return answerJson(context, JSON.stringify(answer))
        })
      }
      const allow = Object.keys(handlers).join(', ')
      app.all(path, ({ req }) => {
        throw new Problem(405, `${req.method} is not possible here; allowed: ${allow}`, {
          headers: { allow },
        })
      })
    }
  }
  // No endpoint of the interface, and no key: which sandbox this is, for a lockfile that was written with another one.
  app.get('/', () => Response.json({ service: 'callwright sandbox', teamId: first.team.teamId }))
  app.get('/openapi.json', async () => {
    const { openApi } = await import('../../interface/openapi.ts')
    // Relative to this document: to the sandbox, by any of its names.
    return Response.json(
      openApi({ vocabulary: first.vocabulary, servers: [{ url: '/' }], replaced: [serverSchema] }),
    )
  })
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
  add(endpoints, faulty(log))
  add(control)
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

const endpoints = {
  '/calls/v1/conversations': {
    async POST(world, request) {
      const body = await readCall(request, startCallSchema(world.vocabulary), world)
      const { id } = await world.calls.start(startCallBody.parse(body), request.scope)
      return { sid: id }
    },
  },
  '/calls/v1/conversations/connect': {
    async POST(world, request) {
      const body = await readCall(request, connectCallSchema(world.vocabulary), world)
      return world.calls.connect(connectCallBody.parse(body), request.scope)
    },
  },
  '/assistants/v1/assistants': {
    async POST(world, { read }) {
      const body = await read(assistantSchema(world.vocabulary))
      return world.resources.createAssistant(body)
    },
  },
  '/assistants/v1/tools': {
    async POST(world, { read }) {
      const body = await read(toolSchema)
      return world.resources.createTool(body)
    },
  },
  '/assistants/v1/tools/:id': {
    async PATCH(world, { id, read }) {
      const body = await read(toolUpdateSchema)
      return world.resources.updateTool(id, body)
    },
  },
  '/kb/v1/knowledge-bases/:id/faq-template': {
    async POST(world, { id, read }) {
      const { faq } = await read(faqInsertSchema)
      return world.resources.insertFaq(id, z.array(newFaqEntrySchema).parse(faq))
    },
    async PUT(world, { id, read }) {
      const { faq } = await read(faqUpdateSchema)
      return world.resources.updateFaq(id, z.array(faqEntrySchema).parse(faq))
    },
  },
} satisfies Endpoints

async function readCall({ read }: RequestContext, schema: z.ZodMiniType, world: World) {
  const body = await read(schema)
  const findings = isObject(body.assistant) ? checkAssistant(body.assistant, world.store, ['assistant']) : []
  if (findings.length > 0) throw invalidBody(findings)
  return body
}

const control = {
  '/calls/v1/conversations/:id/control': {
    GET: async ({ calls }, { id }) => calls.state(id),
    async POST(world, { id, read }) {
      const command = toIntervention(controlSchema.parse(await read(controlSchema)))
      world.calls.intervene(id, command)
      return { message: 'done' }
    },
  },
} satisfies Endpoints

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

/** What `monitor.controlUrl` takes; its shape is not published, so this is the sandbox's own. */
const controlSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('say'),
    role: required(z.enum(['user', 'assistant']), 'Who says it'),
    text: required(someText(), 'What is said'),
  }),
  z.strictObject({
    type: z.literal('keys'),
    keys: required(
      z.string().check(z.regex(/^[0-9*#]{1,32}$/)),
      'Keys that the caller presses: 0-9, * and #',
    ),
  }),
  z.strictObject({
    type: z.literal('silence'),
    seconds: required(z.number().check(z.positive(), z.maximum(7200)), 'How long the caller says nothing'),
  }),
  z.strictObject({ type: z.literal('hangup') }),
])

export function toIntervention(command: z.infer<typeof controlSchema>): ControlCommand {
  if (command.type === 'silence') return { type: 'silence', milliseconds: command.seconds * 1000 }
  return command.type === 'hangup' ? { type: 'hang-up', by: 'control' } : command
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
