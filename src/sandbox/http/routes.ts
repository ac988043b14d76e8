import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { assistantSchema } from '../../interface/assistant.ts'
import { connectCallSchema, startCallSchema } from '../../interface/call.ts'
import { faqEntrySchema, faqInsertSchema, faqUpdateSchema, newFaqEntrySchema } from '../../interface/faq.ts'
import { toolSchema, toolUpdateSchema } from '../../interface/tool.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { isObject } from '../../lib/json/is-object.ts'
import type { OpenBodies } from '../../lib/net/open-bodies.ts'
import { connectCallBody, startCallBody } from '../call/call-bodies.ts'
import type { Calls } from '../call/calls.ts'
import type { Log } from '../log/sandbox-event.ts'
import { invalidBody, Problem } from '../records/problem.ts'
import { checkAssistant, type Resources } from '../records/resources.ts'
import type { Store } from '../records/store.ts'
import { controlSchema, toIntervention } from './control.ts'
import type { CarryOut } from './faulty-endpoints.ts'
import { readBody } from './request-body.ts'

interface RoutesOptions {
  readonly resources: Resources
  readonly calls: Calls
  readonly store: Store
  readonly apiKey: string
  readonly teamId: string
  readonly vocabulary: Vocabulary
  readonly log: Log
  readonly openBodies: OpenBodies
  /** How requests to the seven endpoints are carried out; always, unless given. */
  readonly carryOut?: CarryOut | undefined
}

interface NodeServer {
  readonly Bindings: HttpBindings
}

type Handle = (request: Request, id: string) => Promise<unknown>
type Handlers = Readonly<Record<string, Handle>>

const always: CarryOut = (_subject, work) => work()

/** The seven endpoints of interface.md 4, and what `monitor.controlUrl` points at. Success is 200 with JSON. */
export function createRoutes(options: RoutesOptions): Hono<NodeServer> {
  const app = new Hono<NodeServer>()
  const handleAll = (paths: Readonly<Record<string, Handlers>>, carryOut: CarryOut) => {
    for (const [path, handlers] of Object.entries(paths)) {
      app.all(path, context =>
        answer(context, options, async requestId => {
          const handle = choose(handlers, context)
          const { req, env } = context
          return carryOut({ requestId, method: req.method, path: req.path, incoming: env.incoming }, () =>
            handle(req.raw, req.param('id') ?? ''),
          )
        }),
      )
    }
  }
  handleAll(endpoints(options), options.carryOut ?? always)
  handleAll(control(options), always)
  // No endpoint of the interface, and no key: which sandbox this is, for a lockfile that was written with another one.
  app.get('/', () => Response.json({ service: 'callwright sandbox', teamId: options.teamId }))
  app.notFound(context =>
    answer(context, options, async () => {
      throw new Problem(404, `there is nothing at ${context.req.path}`, {
        hint: 'docs/interface.md lists the endpoints',
      })
    }),
  )
  return app
}

function endpoints({ resources, calls, store, vocabulary, openBodies }: RoutesOptions) {
  const read = (request: Request, schema: z.ZodMiniType) => readBody(request, schema, openBodies)
  const schemas = {
    assistant: assistantSchema(vocabulary),
    startCall: startCallSchema(vocabulary),
    connectCall: connectCallSchema(vocabulary),
  }
  const readCall = async (request: Request, schema: z.ZodMiniType) => {
    const body = await read(request, schema)
    const findings = isObject(body.assistant) ? checkAssistant(body.assistant, store, ['assistant']) : []
    if (findings.length > 0) throw invalidBody(findings)
    return body
  }
  return {
    '/calls/v1/conversations': {
      POST: async request => {
        const { id } = await calls.start(startCallBody.parse(await readCall(request, schemas.startCall)))
        return { sid: id }
      },
    },
    '/calls/v1/conversations/connect': {
      POST: async request =>
        calls.connect(connectCallBody.parse(await readCall(request, schemas.connectCall))),
    },
    '/assistants/v1/assistants': {
      POST: async request => resources.createAssistant(await read(request, schemas.assistant)),
    },
    '/assistants/v1/tools': {
      POST: async request => resources.createTool(await read(request, toolSchema)),
    },
    '/assistants/v1/tools/:id': {
      PATCH: async (request, id) => resources.updateTool(id, await read(request, toolUpdateSchema)),
    },
    '/kb/v1/knowledge-bases/:id/faq-template': {
      POST: async (request, id) => {
        const { faq } = await read(request, faqInsertSchema)
        return resources.insertFaq(id, z.array(newFaqEntrySchema).parse(faq))
      },
      PUT: async (request, id) => {
        const { faq } = await read(request, faqUpdateSchema)
        return resources.updateFaq(id, z.array(faqEntrySchema).parse(faq))
      },
    },
  } satisfies Record<string, Handlers>
}

function control({ calls, openBodies }: RoutesOptions) {
  return {
    '/calls/v1/conversations/:id/control': {
      GET: async (_request, id) => calls.state(id),
      POST: async (request, id) => {
        calls.intervene(
          id,
          toIntervention(controlSchema.parse(await readBody(request, controlSchema, openBodies))),
        )
        return { message: 'done' }
      },
    },
  } satisfies Record<string, Handlers>
}

function choose(handlers: Handlers, { req }: Context): Handle {
  const handle = Object.hasOwn(handlers, req.method) ? handlers[req.method] : undefined
  if (handle !== undefined) return handle
  const allow = Object.keys(handlers).join(', ')
  throw new Problem(405, `${req.method} is not possible here; allowed: ${allow}`, { headers: { allow } })
}

/** Checks the key, does the work, and answers; every answer carries a request id and is logged. */
async function answer(
  { req }: Context,
  { apiKey, log }: RoutesOptions,
  work: (requestId: string) => Promise<unknown>,
): Promise<Response> {
  const requestId = `req-${randomUUID()}`
  const authorization = req.raw.headers.get('authorization')
  const response = await respond(authorization, apiKey, () => work(requestId)).catch(error =>
    toProblem(error, log).toResponse(requestId),
  )
  response.headers.set('x-request-id', requestId)
  log({ kind: 'request', requestId, method: req.method, path: req.path, status: response.status })
  return response
}

async function respond(
  authorization: string | null,
  apiKey: string,
  work: () => Promise<unknown>,
): Promise<Response> {
  authorize(authorization, apiKey)
  return Response.json(await work())
}

/** interface.md 5. The comparison takes as long for a nearly right key as for a wrong one. */
function authorize(authorization: string | null, apiKey: string): void {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (given !== undefined && timingSafeEqual(digest(given), digest(apiKey))) return
  throw new Problem(
    401,
    given === undefined ? 'the request carries no API key' : 'the API key is not the sandbox’s',
    {
      hint: 'send Authorization: Bearer <API_KEY> with the key of its profile, or the one that sandbox start printed',
      headers: { 'www-authenticate': 'Bearer' },
    },
  )
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function toProblem(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error
  log({ kind: 'warning', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  return new Problem(500, 'the sandbox failed on this request; its log says why')
}
