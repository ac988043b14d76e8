import type { Hono } from 'hono'
import * as z from 'zod/mini'
import { faultRuleSchema, requestFilterSchema, webhookFilterSchema } from '../../interface/control-api.ts'
import { hashOf } from '../../lib/hash.ts'
import type { OpenBodies } from '../../lib/net/open-bodies.ts'
import { notFound, Problem } from '../records/problem.ts'
import type { World } from '../world.ts'
import { controlCall } from './call-control.ts'
import {
  type ControlRoute,
  type ControlWorlds,
  changeClock,
  chooseWorld,
  clockBody,
  controlRoot,
  routesOfWorlds,
  shownClock,
  worldQuery,
} from './control-worlds.ts'
import { guard } from './guard.ts'
import {
  addRoutes,
  documentOnce,
  requireToken,
  type SandboxRoute,
  type SandboxServer,
} from './route-table.ts'

export interface ControlOptions {
  readonly token: string
  readonly worlds: ControlWorlds
}

/** Records of many calls are larger than any body of the interface. Less than all bodies together may hold, or one alone would be too many. */
const maxSnapshotBytes = 60 * 1024 * 1024

/**
 * What a test program needs to know of the sandbox and to do to it, beside the service's own interface. It has a token of its own: an API
 * key opens nothing here.
 */
export function addControl(
  app: Hono<SandboxServer>,
  options: ControlOptions,
  { host, openBodies }: { readonly host: string; readonly openBodies: OpenBodies },
): void {
  const tokenHash = hashOf(options.token)
  const openStream = createWorldStreams()
  app.use(
    `${controlRoot}/*`,
    guard({ host }),
    requireToken('control token', tokenHint, token => hashOf(token) === tokenHash),
    chooseWorld(options.worlds),
  )
  const routes = [
    ...ofWorld,
    { path: '/events', handle: async (world: World) => openStream(world) },
    ...routesOfWorlds(options.worlds),
  ].map(
    (route): SandboxRoute => ({ method: 'GET', query: worldQuery, ...route, path: controlRoot + route.path }),
  )
  const document: SandboxRoute = {
    method: 'GET',
    path: `${controlRoot}/openapi.json`,
    query: worldQuery,
    // All worlds have the vocabulary of the first one.
    handle: documentOnce(async ({ vocabulary }) =>
      (await import('./openapi.ts')).controlOpenApi([document, ...routes], vocabulary),
    ),
  }
  addRoutes(app, [document, ...routes], openBodies)
  app.all(`${controlRoot}/*`, ({ req }) => {
    throw new Problem(404, `there is nothing at ${req.path}`, {
      hint: `GET ${controlRoot}/openapi.json lists what is`,
    })
  })
}

const tokenHint =
  'send Authorization: Bearer <token> with the control token that sandbox start printed (CALLWRIGHT_SANDBOX_TOKEN)'

const webhooksQuery = z.strictObject({ ...worldQuery.shape, ...webhookFilterSchema.shape })
const requestsQuery = z.strictObject({ ...worldQuery.shape, ...requestFilterSchema.shape })

/** Of the world that `?world=` names. */
const ofWorld: readonly ControlRoute[] = [
  {
    path: '/requests',
    query: requestsQuery,
    handle: async ({ requests }, { query }) => ({ requests: requests.list(requestsQuery.parse(query)) }),
  },
  {
    path: '/webhooks',
    query: webhooksQuery,
    handle: async ({ webhooks }, { query }) => ({ webhooks: webhooks.list(webhooksQuery.parse(query)) }),
  },
  { path: '/calls', handle: async ({ calls }) => ({ calls: calls.list() }) },
  // As the control URL of the call does it, without the world's key: a page may be the caller.
  { ...controlCall, path: '/calls/{id}/control' },
  {
    path: '/records',
    handle: async ({ store }) => ({
      assistants: [...store.assistants()],
      tools: [...store.tools()],
      knowledgeBases: Array.from(store.knowledgeBases(), ([id, { entries }]) => ({
        id,
        faq: [...entries.values()],
      })),
    }),
  },
  { path: '/clock', handle: async ({ clock }) => shownClock(clock) },
  {
    method: 'POST',
    path: '/clock',
    body: () => clockBody,
    async handle({ clock }, { body }) {
      await changeClock(clock, clockBody.parse(body))
      return shownClock(clock)
    },
  },
  { path: '/faults', handle: async ({ faults }) => ({ faults: faults.list() }) },
  {
    method: 'POST',
    path: '/faults',
    body: () => faultRuleSchema,
    handle: async ({ faults }, { body }) => faults.add(body),
  },
  {
    method: 'DELETE',
    path: '/faults',
    async handle({ faults }) {
      faults.clear()
      return { faults: faults.list() }
    },
  },
  {
    method: 'DELETE',
    path: '/faults/{id}',
    async handle({ faults }, { id }) {
      if (faults.remove(id)) return { faults: faults.list() }
      throw notFound('fault with the id', id, `GET ${controlRoot}/faults lists those in force`)
    },
  },
  { method: 'POST', path: '/snapshot', handle: async world => world.snapshot() },
  {
    method: 'POST',
    path: '/restore',
    // The world checks it.
    body: () => z.looseObject({}),
    bodyOptions: { maxBytes: maxSnapshotBytes },
    async handle(world, { body }) {
      await world.restore(body)
      return shownClock(world.clock)
    },
  },
  {
    method: 'POST',
    path: '/reset',
    async handle(world) {
      await world.reset()
      return shownClock(world.clock)
    },
  },
]

/** Bytes that wait for a reader; of one that leaves more unread the stream ends, and it comes back when it reads again. */
const maxUnreadBytes = 1024 * 1024

/** Of all worlds together: each may hold its bytes. */
const maxStreams = 100

/**
 * What happens in a world as server-sent events, until the reader leaves or the world is closed.
 * @throws Problem 429, when the function that it returns is called
 */
export function createWorldStreams(): (world: World) => Response {
  let open = 0
  return world => {
    if (open === maxStreams)
      throw new Problem(429, `${maxStreams} streams of events are open`, { hint: 'close one of them' })
    open += 1
    return eventStream(world, () => {
      open -= 1
    })
  }
}

/** `onEnd` is called once. */
function eventStream(world: World, onEnd: () => void): Response {
  const encoder = new TextEncoder()
  let end = () => {}
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (frame: string) => controller.enqueue(encoder.encode(frame))
        // At once: a client waits for the head of the answer.
        write('retry: 1000\n\n')
        const unsubscribe = world.subscribe(({ kind, ...data }) => {
          write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)
          if (kind !== 'closed' && (controller.desiredSize ?? 0) > 0) return
          end()
          controller.close()
        })
        end = () => {
          end = () => {}
          unsubscribe()
          onEnd()
        }
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  )
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  })
}
