import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import * as z from 'zod/mini'
import { assistantSchema } from '../../interface/assistant.ts'
import { connectCallSchema, startCallSchema } from '../../interface/call.ts'
import { faqEntrySchema, faqInsertSchema, faqUpdateSchema, newFaqEntrySchema } from '../../interface/faq.ts'
import { required, someText } from '../../interface/fields.ts'
import { toolSchema, toolUpdateSchema } from '../../interface/tool.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { isObject } from '../../lib/json.ts'
import type { OpenBodies } from '../../lib/net/open-bodies.ts'
import type { ControlCommand } from '../call/call-runner.ts'
import { connectCallBody, startCallBody } from '../call/calls.ts'
import type { SeededRandom } from '../deterministic.ts'
import { type HttpFaultName, type HttpFaults, httpFaultNames, type Log } from '../events.ts'
import { invalidBody, Problem } from '../records/problem.ts'
import { checkAssistant } from '../records/resources.ts'
import { serverSchema } from '../webhooks/delivery.ts'
import type { World } from '../world.ts'
import { readBody } from './request-body.ts'

interface SandboxServer {
  readonly Bindings: HttpBindings
  readonly Variables: { requestId: string; world: World }
}

interface RoutesOptions {
  /** Undefined: the key opens nothing. */
  readonly worldOf: (apiKey: string) => World | undefined
  /** Of the world that a lockfile may name. */
  readonly teamId: string
  readonly vocabulary: Vocabulary
  readonly log: Log
  readonly openBodies: OpenBodies
  /** The faults of requests to the seven endpoints. */
  readonly httpFaults: HttpFaults | undefined
}

type Handle = (world: World, request: IncomingMessage, id: string) => Promise<unknown>
/** By path, then by method. */
type Endpoints = Readonly<Record<string, Readonly<Record<string, Handle>>>>

/**
 * The seven endpoints of interface.md 4, and what `monitor.controlUrl` points at. Success is 200 with JSON; every answer carries a
 * request id and is logged. Bodies have a limit of their own, over all connections (readBody).
 */
export function createRoutes(options: RoutesOptions): Hono<SandboxServer> {
  const { worldOf, teamId, vocabulary, log, httpFaults } = options
  const app = new Hono<SandboxServer>()
  const add = (endpoints: Endpoints, ...before: MiddlewareHandler<SandboxServer>[]) => {
    for (const [path, handlers] of Object.entries(endpoints)) {
      for (const [method, handle] of Object.entries(handlers)) {
        app.on(method, [path], ...before, async ({ req, env, var: { world } }) =>
          Response.json(await handle(world, env.incoming, req.param('id') ?? '')),
        )
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
  app.get('/', () => Response.json({ service: 'callwright sandbox', teamId }))
  app.get('/openapi.json', async () => {
    const { openApi } = await import('../../interface/openapi.ts')
    // Relative to this document: to the sandbox, by any of its names.
    return Response.json(openApi({ vocabulary, servers: [{ url: '/' }], replaced: [serverSchema] }))
  })
  app.use(
    logged(log),
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
  add(endpoints(options), ...(httpFaults === undefined ? [] : [faultyEndpoints(httpFaults, options)]))
  add(control(options))
  app.notFound(({ req, var: { requestId } }) =>
    new Problem(404, `there is nothing at ${req.path}`, {
      hint: 'docs/interface.md lists the endpoints',
    }).toResponse(requestId),
  )
  app.onError((error, context) => toProblem(error, log).toResponse(context.var.requestId))
  return app
}

function endpoints({ openBodies }: RoutesOptions) {
  const read = (request: IncomingMessage, schema: z.ZodMiniType) => readBody(request, schema, openBodies)
  const readCall = async (
    request: IncomingMessage,
    schema: z.ZodMiniType,
    { store }: Pick<World, 'store'>,
  ) => {
    const body = await read(request, schema)
    const findings = isObject(body.assistant) ? checkAssistant(body.assistant, store, ['assistant']) : []
    if (findings.length > 0) throw invalidBody(findings)
    return body
  }
  return {
    '/calls/v1/conversations': {
      POST: async (world, request) => {
        const body = await readCall(request, startCallSchema(world.vocabulary), world)
        const { id } = await world.calls.start(startCallBody.parse(body))
        return { sid: id }
      },
    },
    '/calls/v1/conversations/connect': {
      POST: async (world, request) => {
        const body = await readCall(request, connectCallSchema(world.vocabulary), world)
        return world.calls.connect(connectCallBody.parse(body))
      },
    },
    '/assistants/v1/assistants': {
      POST: async ({ resources, vocabulary }, request) =>
        resources.createAssistant(await read(request, assistantSchema(vocabulary))),
    },
    '/assistants/v1/tools': {
      POST: async ({ resources }, request) => resources.createTool(await read(request, toolSchema)),
    },
    '/assistants/v1/tools/:id': {
      PATCH: async ({ resources }, request, id) =>
        resources.updateTool(id, await read(request, toolUpdateSchema)),
    },
    '/kb/v1/knowledge-bases/:id/faq-template': {
      POST: async ({ resources }, request, id) => {
        const { faq } = await read(request, faqInsertSchema)
        return resources.insertFaq(id, z.array(newFaqEntrySchema).parse(faq))
      },
      PUT: async ({ resources }, request, id) => {
        const { faq } = await read(request, faqUpdateSchema)
        return resources.updateFaq(id, z.array(faqEntrySchema).parse(faq))
      },
    },
  } satisfies Endpoints
}

function control({ openBodies }: RoutesOptions) {
  return {
    '/calls/v1/conversations/:id/control': {
      GET: async ({ calls }, _request, id) => calls.state(id),
      POST: async ({ calls }, request, id) => {
        calls.intervene(
          id,
          toIntervention(controlSchema.parse(await readBody(request, controlSchema, openBodies))),
        )
        return { message: 'done' }
      },
    },
  } satisfies Endpoints
}

function logged(log: Log): MiddlewareHandler<SandboxServer> {
  return async (context, next) => {
    const { req, env } = context
    const requestId = `req-${randomUUID()}`
    context.set('requestId', requestId)
    // Not on the answer: changing the headers of one builds it a second time.
    env.outgoing.setHeader('x-request-id', requestId)
    await next()
    log({ kind: 'request', requestId, method: req.method, path: req.path, status: context.res.status })
  }
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
 * `--fault-http`: 429 and 500 are answered and nothing is done; a hang is never answered and nothing is done; with a reset
 * everything is done and the answer is lost with the connection. Decided for each request by how many came before it.
 * @throws Problem 429, 500
 */
function faultyEndpoints(
  faults: HttpFaults,
  { log }: Pick<RoutesOptions, 'log'>,
): MiddlewareHandler<SandboxServer> {
  let requests = 0
  return async ({ req, env: { incoming }, var: { requestId, world } }, next) => {
    const fault = httpFaultOf(faults, world.random, requests)
    requests += 1
    if (fault !== undefined) log({ kind: 'fault', fault, requestId, method: req.method, path: req.path })
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

/** The faults of the request with this number, counted from 0; where several would, the first in the order of their names. */
export function httpFaultOf(
  faults: HttpFaults,
  random: SeededRandom,
  ordinal: number,
): HttpFaultName | undefined {
  return httpFaultNames.find(name => random('http', ordinal, name) < (faults[name] ?? 0))
}
