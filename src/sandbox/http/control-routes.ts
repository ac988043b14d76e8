import type { Hono } from 'hono'
import * as z from 'zod/mini'
import {
  activeFaultSchema,
  clockSchema,
  faultRuleSchema,
  requestFilterSchema,
  requestRecordSchema,
  webhookFilterSchema,
  webhookRecordSchema,
} from '../../files/formats/control-api.ts'
import { describedSchema, named, required, requiredList } from '../../interface/fields.ts'
import { hashContent } from '../../lib/hash.ts'
import type { BodyReader } from '../../lib/net/body-reader.ts'
import { notFound, Problem } from '../records/problem.ts'
import { sandboxSnapshotSchema } from '../records/snapshot.ts'
import type { World } from '../world.ts'
import { controlCall } from './call-control.ts'
import {
  type ControlRoute,
  type ControlWorlds,
  changeClock,
  chooseWorld,
  clockBody,
  controlRoot,
  listOf,
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
 * Adds the control API, with which tests inspect and control the sandbox. It has its own token; API keys are not accepted.
 */
export function addControl(
  app: Hono<SandboxServer>,
  options: ControlOptions,
  { host, bodies }: { readonly host: string; readonly bodies: BodyReader },
): void {
  const tokenHash = hashContent(options.token)
  const openStream = createWorldStreams()
  app.use(
    `${controlRoot}/*`,
    guard({ host }),
    requireToken('control token', tokenHint, token => hashContent(token) === tokenHash),
    chooseWorld(options.worlds),
  )
  const routes = [
    ...ofWorld,
    {
      id: 'streamEvents',
      path: '/events',
      summary: 'Stream server-sent events',
      description: 'At most 100 streams may be open in all worlds.',
      problems: [429] as const,
      handle: async (world: World) => openStream(world),
    },
    ...routesOfWorlds(options.worlds),
  ].map(
    (route): SandboxRoute => ({
      method: 'GET',
      query: worldQuery,
      ...route,
      path: controlRoot + route.path,
      tag,
    }),
  )
  const document: SandboxRoute = {
    id: 'describeControl',
    method: 'GET',
    path: `${controlRoot}/openapi.json`,
    tag,
    summary: 'This document',
    response: () => describedSchema('OpenApiDocument', 'An OpenAPI 3.1 document', {}),
    query: worldQuery,
    // All worlds have the vocabulary of the first one.
    handle: documentOnce(async ({ vocabulary }) =>
      (await import('./openapi.ts')).controlOpenApi([document, ...routes], vocabulary),
    ),
  }
  addRoutes(app, [document, ...routes], bodies)
  app.all(`${controlRoot}/*`, ({ req }) => {
    throw new Problem(404, `there is nothing at ${req.path}`, {
      hint: `GET ${controlRoot}/openapi.json lists what is`,
    })
  })
}

const tokenHint =
  'send Authorization: Bearer <token> with the control token that sandbox start printed (CALLYARD_SANDBOX_TOKEN)'

const webhooksQuery = z.strictObject({ ...worldQuery.shape, ...webhookFilterSchema().shape })
const requestsQuery = z.strictObject({ ...worldQuery.shape, ...requestFilterSchema().shape })

const tag = 'Control'

const dropsCalls = 'Calls that go on are dropped; they send no more webhooks.'

const faultsSchema = listOf('faults', activeFaultSchema(), 'In the order in which they came')

/** Routes of the world that `?world=` names. */
const ofWorld: readonly ControlRoute[] = [
  {
    id: 'listRequests',
    path: '/requests',
    summary: 'List the last 1,000 requests',
    description: 'Oldest first, with up to 8 MB of bodies and responses.',
    query: requestsQuery,
    response: () => listOf('requests', requestRecordSchema(), 'The oldest first'),
    handle: async ({ requests }, { query }) => ({ requests: requests.list(requestsQuery.parse(query)) }),
  },
  {
    id: 'listWebhooks',
    path: '/webhooks',
    summary: 'List the last 1,000 webhooks',
    description:
      'Webhooks with the responses of their receivers. A request for a single id includes the body.',
    query: webhooksQuery,
    response: () => listOf('webhooks', webhookRecordSchema(), 'The oldest first'),
    handle: async ({ webhooks }, { query }) => ({ webhooks: webhooks.list(webhooksQuery.parse(query)) }),
  },
  {
    id: 'listCalls',
    path: '/calls',
    summary: 'List calls',
    response: ({ callResponse: callAnswer }, vocabulary) =>
      listOf('calls', callAnswer(vocabulary), 'In the order in which they were placed'),
    handle: async ({ calls }) => ({ calls: calls.list() }),
  },
  {
    ...controlCall,
    id: 'controlCallOfWorld',
    path: '/calls/{id}/control',
    description: 'What monitor.controlUrl does, without the API key of the world.',
    problems: [409],
  },
  {
    id: 'listRecords',
    path: '/records',
    summary: 'List assistants, tools and FAQ entries',
    response: ({ assistantResponse: assistantAnswer, faqAnswer, toolResponse: toolAnswer }, vocabulary) =>
      named(
        'Records',
        z.object({
          assistants: required(z.array(assistantAnswer(vocabulary)), 'Assistants'),
          tools: required(z.array(toolAnswer), 'Function tools'),
          knowledgeBases: requiredList('Knowledge bases with their entries', {
            id: required(z.string(), 'Id of the knowledge base'),
            faq: faqAnswer.shape.faq,
          }),
        }),
      ),
    handle: async ({ store }) => ({
      assistants: [...store.assistants()],
      tools: [...store.tools()],
      knowledgeBases: Array.from(store.knowledgeBases(), ([id, { entries }]) => ({
        id,
        faq: [...entries.values()],
      })),
    }),
  },
  {
    id: 'showClock',
    path: '/clock',
    summary: 'Show the clock',
    response: clockSchema,
    handle: async ({ clock }) => shownClock(clock),
  },
  {
    id: 'changeClock',
    method: 'POST',
    path: '/clock',
    summary: 'Advance, freeze or pace the clock',
    description: 'Advancing resolves when all that fell due in that time has happened.',
    body: () => clockBody,
    response: clockSchema,
    examples: { body: { advance: '2d' } },
    async handle({ clock }, { body }) {
      await changeClock(clock, clockBody.parse(body))
      return shownClock(clock)
    },
  },
  {
    id: 'listFaults',
    path: '/faults',
    summary: 'List the faults in force',
    response: () => faultsSchema,
    handle: async ({ faults }) => ({ faults: faults.list() }),
  },
  {
    id: 'addFault',
    method: 'POST',
    path: '/faults',
    summary: 'Add a fault',
    body: faultRuleSchema,
    response: activeFaultSchema,
    examples: { body: { drop: 1, times: 2, type: 'status-update' } },
    handle: async ({ faults }, { body }) => faults.add(body),
  },
  {
    id: 'clearFaults',
    method: 'DELETE',
    path: '/faults',
    summary: 'Remove all faults',
    response: () => faultsSchema,
    async handle({ faults }) {
      faults.clear()
      return { faults: faults.list() }
    },
  },
  {
    id: 'removeFault',
    method: 'DELETE',
    path: '/faults/{id}',
    summary: 'Remove a fault',
    idOf: 'Id of the fault',
    response: () => faultsSchema,
    async handle({ faults }, { id }) {
      if (faults.remove(id)) return { faults: faults.list() }
      throw notFound('fault with the id', id, `GET ${controlRoot}/faults lists those in force`)
    },
  },
  {
    id: 'takeSnapshot',
    method: 'POST',
    path: '/snapshot',
    summary: 'Take a snapshot',
    response: sandboxSnapshotSchema,
    handle: async world => world.snapshot(),
  },
  {
    id: 'restore',
    method: 'POST',
    path: '/restore',
    summary: 'Restore a snapshot',
    description: dropsCalls,
    body: sandboxSnapshotSchema,
    bodyOptions: { maxBytes: maxSnapshotBytes, isCheckedLater: true },
    response: clockSchema,
    async handle(world, { body }) {
      await world.restore(body)
      return shownClock(world.clock)
    },
  },
  {
    id: 'reset',
    method: 'POST',
    path: '/reset',
    summary: 'Go back to what the world began with',
    description: dropsCalls,
    response: clockSchema,
    async handle(world) {
      await world.reset()
      return shownClock(world.clock)
    },
  },
]

/** Bytes that wait for a reader; of one that leaves more unread the stream ends, and it comes back when it reads again. */
const maxUnreadBytes = 1024 * 1024

/** Limit over all worlds, because each stream may buffer bytes. */
const maxStreams = 100

/**
 * Streams the events of a world as server-sent events, until the reader leaves or the world is closed.
 * @throws Problem 429, when the function that it returns is called
 */
export function createWorldStreams(): (world: World) => Response {
  let streamCount = 0
  return world => {
    if (streamCount === maxStreams)
      throw new Problem(429, `${maxStreams} streams of events are open`, { hint: 'close one of them' })
    streamCount += 1
    return eventStream(world, () => {
      streamCount -= 1
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
        // Sent at once, because clients wait for the head of the response.
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
