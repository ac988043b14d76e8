import { isIP } from 'node:net'
import type { Hono, MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import * as z from 'zod/mini'
import { optional, someText } from '../../interface/fields.ts'
import { hashOf } from '../../lib/hash.ts'
import { isLoopbackName } from '../../lib/net/address.ts'
import { isFromOtherPage } from '../../lib/net/http.ts'
import type { OpenBodies } from '../../lib/net/open-bodies.ts'
import { faultRuleSchema, requestPath } from '../faults/fault-rules.ts'
import { Problem } from '../records/problem.ts'
import { controlSchema, toIntervention } from './call-control.ts'
import { changeClock, clockBody, shownClock } from './control-clock.ts'
import { type ControlWorlds, chooseWorld, controlRoot, routesOfWorlds, worldQuery } from './control-worlds.ts'
import { createWorldStreams } from './event-stream.ts'
import {
  addRoutes,
  documentOnce,
  type SandboxRoute,
  type SandboxServer,
  unauthorized,
} from './route-table.ts'

export interface ControlOptions {
  readonly token: string
  /** Where the sandbox listens: a name that requests may be addressed to, beside loopback. */
  readonly host: string
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
  { openBodies }: { readonly openBodies: OpenBodies },
): void {
  const tokenHash = hashOf(options.token)
  app.use(
    `${controlRoot}/*`,
    guard(options),
    bearerAuth<SandboxServer>({
      verifyToken: token => hashOf(token) === tokenHash,
      noAuthenticationHeader: { message: unauthorized('the request carries no control token', tokenHint) },
      invalidAuthenticationHeader: {
        message: unauthorized('the request carries no control token', tokenHint),
      },
      invalidToken: { message: unauthorized('the control token is not the sandbox’s', tokenHint) },
    }),
    chooseWorld(options.worlds),
  )
  const routes = [...ofWorld, routeOfEvents(), ...routesOfWorlds(options.worlds)]
  const document: SandboxRoute = {
    method: 'GET',
    path: `${controlRoot}/openapi.json`,
    query: worldQuery,
    // All worlds have the vocabulary of the first one.
    handle: documentOnce(async ({ vocabulary }) =>
      (await import('./control-openapi.ts')).controlOpenApi([document, ...routes], vocabulary),
    ),
  }
  addRoutes(app, [document, ...routes], { openBodies })
  app.all(`${controlRoot}/*`, ({ req }) => {
    throw new Problem(404, `there is nothing at ${req.path}`, {
      hint: `GET ${controlRoot}/openapi.json lists what is`,
    })
  })
}

const tokenHint =
  'send Authorization: Bearer <token> with the control token that sandbox start printed (CALLWRIGHT_SANDBOX_TOKEN)'

/** @throws Problem 403 for what a web page sends, or a name that was rebound to this machine */
function guard({ host }: ControlOptions): MiddlewareHandler<SandboxServer> {
  return async ({ env: { incoming } }, next) => {
    const address = `http://${incoming.headers.host}`
    const { hostname } = URL.canParse(address) ? new URL(address) : { hostname: '' }
    if (!isLoopbackName(hostname) && hostname !== host && !isAddress(hostname)) {
      throw new Problem(403, `the Host ${JSON.stringify(hostname)} is not this sandbox`, {
        hint: 'send the request to 127.0.0.1 or localhost',
      })
    }
    if (isFromOtherPage(incoming.headers)) {
      throw new Problem(403, 'requests from other web pages are not allowed')
    }
    await next()
  }
}

const requestsQuery = z.strictObject({
  ...worldQuery.shape,
  path: optional(requestPath(), 'This path and what is below it'),
  method: optional(someText(), 'HTTP method'),
  scope: optional(z.string(), 'X-Sandbox-Scope'),
  call: optional(someText(), 'Id of a call'),
  id: optional(someText(), 'Id of the request'),
})

/** Of the world that `?world=` names. */
const ofWorld: readonly SandboxRoute[] = [
  {
    method: 'GET',
    path: `${controlRoot}/requests`,
    query: requestsQuery,
    handle: async ({ requests }, { query }) => ({ requests: requests.list(requestsQuery.parse(query)) }),
  },
  {
    method: 'GET',
    path: `${controlRoot}/calls`,
    query: worldQuery,
    handle: async ({ calls }) => ({ calls: calls.list() }),
  },
  {
    method: 'POST',
    path: `${controlRoot}/calls/{id}/control`,
    query: worldQuery,
    body: () => controlSchema,
    // As the control URL of the call does it, without the world's key: a page may be the caller.
    async handle({ calls }, { id, body }) {
      calls.intervene(id, toIntervention(controlSchema.parse(body)))
      return { message: 'done' }
    },
  },
  {
    method: 'GET',
    path: `${controlRoot}/records`,
    query: worldQuery,
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
    method: 'GET',
    path: `${controlRoot}/clock`,
    query: worldQuery,
    handle: async ({ clock }) => shownClock(clock),
  },
  {
    method: 'POST',
    path: `${controlRoot}/clock`,
    query: worldQuery,
    body: () => clockBody,
    async handle({ clock }, { body }) {
      await changeClock(clock, clockBody.parse(body))
      return shownClock(clock)
    },
  },
  {
    method: 'GET',
    path: `${controlRoot}/faults`,
    query: worldQuery,
    handle: async ({ faults }) => ({ faults: faults.list() }),
  },
  {
    method: 'POST',
    path: `${controlRoot}/faults`,
    query: worldQuery,
    body: () => faultRuleSchema,
    handle: async ({ faults }, { body }) => faults.add(body),
  },
  {
    method: 'DELETE',
    path: `${controlRoot}/faults`,
    query: worldQuery,
    async handle({ faults }) {
      faults.clear()
      return { faults: faults.list() }
    },
  },
  {
    method: 'DELETE',
    path: `${controlRoot}/faults/{id}`,
    query: worldQuery,
    async handle({ faults }, { id }) {
      if (faults.remove(id)) return { faults: faults.list() }
      throw new Problem(404, `there is no fault with the id ${JSON.stringify(id)}`, {
        hint: `GET ${controlRoot}/faults lists those in force`,
      })
    },
  },
  {
    method: 'POST',
    path: `${controlRoot}/snapshot`,
    query: worldQuery,
    handle: async world => world.snapshot(),
  },
  {
    method: 'POST',
    path: `${controlRoot}/restore`,
    query: worldQuery,
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
    path: `${controlRoot}/reset`,
    query: worldQuery,
    async handle(world) {
      await world.reset()
      return shownClock(world.clock)
    },
  },
]

function routeOfEvents(): SandboxRoute {
  const open = createWorldStreams()
  return {
    method: 'GET',
    path: `${controlRoot}/events`,
    query: worldQuery,
    handle: async world => open(world),
  }
}

/** A name can be rebound to this machine; an address cannot. */
function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
}
