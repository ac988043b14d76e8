import { isIP } from 'node:net'
import type { Hono, MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import * as z from 'zod/mini'
import { named, optional, required, someText, wholeNumber } from '../../interface/fields.ts'
import type { Finding } from '../../interface/finding.ts'
import { CallwrightError } from '../../lib/error.ts'
import { hashOf } from '../../lib/hash.ts'
import { isLoopbackName } from '../../lib/net/address.ts'
import type { OpenBodies } from '../../lib/net/open-bodies.ts'
import { isFromOtherPage } from '../../lib/net/other-page.ts'
import { durationPattern, readDuration } from '../../lib/text/duration.ts'
import { maxPace, type SandboxClock } from '../clock/sandbox-clock.ts'
import { faultRuleSchema } from '../faults/fault-rules.ts'
import { invalidBody, Problem, refusal } from '../records/problem.ts'
import type { World } from '../world.ts'
import type { OpenWorldOptions } from '../world-options.ts'
import { bearerPattern } from '../worlds.ts'
import { controlSchema, toIntervention } from './call-control.ts'
import { eventStream } from './event-stream.ts'
import { addRoutes, type SandboxRoute, type SandboxServer, unauthorized } from './route-table.ts'

export interface ControlOptions {
  readonly token: string
  /** Where the sandbox listens: a name that requests may be addressed to, beside loopback. */
  readonly host: string
  readonly worlds: {
    /** The first one first. */
    all(): readonly World[]
    open(options: OpenWorldOptions): Promise<World>
  }
}

const top = '/__sandbox'
/** Bytes. Records of many calls are larger than any body of the interface. */
const maxSnapshotBytes = 64 * 1024 * 1024

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
    `${top}/*`,
    guard(options),
    bearerAuth<SandboxServer>({
      verifyToken: token => hashOf(token) === tokenHash,
      noAuthenticationHeader: { message: unauthorized('the request carries no control token', tokenHint) },
      invalidAuthenticationHeader: {
        message: unauthorized('the request carries no control token', tokenHint),
      },
      invalidToken: { message: unauthorized('the control token is not the sandbox’s', tokenHint) },
    }),
    chooseWorld(options),
  )
  const routes = [...ofWorld, ...ofWorlds(options)]
  const document: SandboxRoute = {
    method: 'GET',
    path: `${top}/openapi.json`,
    query: worldQuery,
    handle: async ({ vocabulary }) =>
      (await import('./control-openapi.ts')).controlOpenApi([document, ...routes], vocabulary),
  }
  addRoutes(app, [document, ...routes], { openBodies })
  app.all(`${top}/*`, ({ req }) => {
    throw new Problem(404, `there is nothing at ${req.path}`, {
      hint: `GET ${top}/openapi.json lists what is`,
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

/** `?world=` is the team id of a world; default: the first one. @throws Problem 404 */
function chooseWorld({ worlds }: ControlOptions): MiddlewareHandler<SandboxServer> {
  return async (context, next) => {
    const asked = context.req.query('world')
    const [first] = worlds.all()
    const world = asked === undefined ? first : findWorld(worlds, asked)
    if (world === undefined) throw new Problem(503, 'the sandbox is stopping')
    context.set('world', world)
    await next()
  }
}

function findWorld({ all }: ControlOptions['worlds'], teamId: string): World {
  const found = all().find(({ team }) => team.teamId === teamId)
  if (found !== undefined) return found
  throw new Problem(404, `there is no world with the team id ${JSON.stringify(teamId)}`, {
    hint: `GET ${top}/worlds lists them`,
  })
}

const world = optional(someText(), 'Team id of a world')
const noQuery = z.strictObject({})
const worldQuery = z.strictObject({ world })
const requestsQuery = z.strictObject({
  world,
  path: optional(someText(), 'This path and what is below it'),
  method: optional(someText(), 'HTTP method'),
  scope: optional(z.string(), 'X-Sandbox-Scope'),
  call: optional(someText(), 'Id of a call'),
  id: optional(someText(), 'Id of the request'),
})

const clockBody = named(
  'ClockChange',
  z.strictObject({
    advance: optional(
      z.union([
        required(z.string(), 'A duration: 500ms, 30s, 2m, 3h, 2d or 1w', { pattern: durationPattern.source }),
        required(z.number().check(z.minimum(0)), 'Milliseconds'),
      ]),
      'Time that passes',
    ),
    freeze: optional(z.boolean(), 'Whether time passes by advance alone'),
    pace: optional(
      z.number().check(z.minimum(0), z.maximum(maxPace)),
      'How many times as fast as real time; 0 does not wait',
    ),
  }),
)

const worldBody = named(
  'NewWorld',
  z.strictObject({
    apiKey: optional(someText(), 'A bearer token; without it a new one', { pattern: bearerPattern.source }),
    teamId: optional(someText(), 'Default: made from the seed'),
    seed: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER), 'Of its ids and faults'),
    pace: optional(z.number().check(z.minimum(0), z.maximum(maxPace)), 'As of the clock'),
    frozen: optional(z.boolean(), 'Whether its time passes by advance alone'),
  }),
)

/** Of the world that `?world=` names. */
const ofWorld: readonly SandboxRoute[] = [
  {
    method: 'GET',
    path: `${top}/requests`,
    query: requestsQuery,
    handle: async ({ requests }, { query }) => ({ requests: requests.list(requestsQuery.parse(query)) }),
  },
  {
    method: 'GET',
    path: `${top}/calls`,
    query: worldQuery,
    handle: async ({ calls }) => ({ calls: calls.list() }),
  },
  {
    method: 'POST',
    path: `${top}/calls/{id}/control`,
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
    path: `${top}/records`,
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
    path: `${top}/clock`,
    query: worldQuery,
    handle: async ({ clock }) => shownClock(clock),
  },
  {
    method: 'POST',
    path: `${top}/clock`,
    query: worldQuery,
    body: () => clockBody,
    async handle({ clock }, { body }) {
      await changeClock(clock, clockBody.parse(body))
      return shownClock(clock)
    },
  },
  {
    method: 'GET',
    path: `${top}/faults`,
    query: worldQuery,
    handle: async ({ faults }) => ({ faults: faults.list() }),
  },
  {
    method: 'POST',
    path: `${top}/faults`,
    query: worldQuery,
    body: () => faultRuleSchema,
    handle: async ({ faults }, { body }) => faults.add(body),
  },
  {
    method: 'DELETE',
    path: `${top}/faults`,
    query: worldQuery,
    async handle({ faults }) {
      faults.clear()
      return { faults: faults.list() }
    },
  },
  {
    method: 'DELETE',
    path: `${top}/faults/{id}`,
    query: worldQuery,
    async handle({ faults }, { id }) {
      if (faults.remove(id)) return { faults: faults.list() }
      throw new Problem(404, `there is no fault with the id ${JSON.stringify(id)}`, {
        hint: `GET ${top}/faults lists those in force`,
      })
    },
  },
  {
    method: 'POST',
    path: `${top}/snapshot`,
    query: worldQuery,
    handle: async world => world.snapshot(),
  },
  {
    method: 'POST',
    path: `${top}/restore`,
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
    path: `${top}/reset`,
    query: worldQuery,
    async handle(world) {
      await world.reset()
      return shownClock(world.clock)
    },
  },
  {
    method: 'GET',
    path: `${top}/events`,
    query: worldQuery,
    handle: async world => eventStream(world),
  },
]

function ofWorlds({ worlds }: ControlOptions): readonly SandboxRoute[] {
  const list = () => ({ worlds: worlds.all().map(({ team: { teamId } }) => ({ teamId })) })
  return [
    { method: 'GET', path: `${top}/worlds`, query: noQuery, handle: async () => list() },
    {
      method: 'POST',
      path: `${top}/worlds`,
      query: noQuery,
      body: () => worldBody,
      bodyOptions: { isOptional: true },
      async handle(_world, { body }) {
        const { pace, ...own } = worldBody.parse(body)
        const opening = worlds.open({ ...own, ...(pace === undefined ? {} : { pace }) })
        const { team, clock } = await opening.catch(refuse)
        return { teamId: team.teamId, apiKey: team.apiKey, clock: shownClock(clock) }
      },
    },
    {
      method: 'DELETE',
      path: `${top}/worlds/{id}`,
      query: noQuery,
      async handle(_world, { id }) {
        const found = findWorld(worlds, id)
        if (found === worlds.all()[0]) {
          throw new Problem(409, 'the first world stays as long as the sandbox', {
            hint: `POST ${top}/reset empties it`,
          })
        }
        await found.close()
        return list()
      },
    },
  ]
}

function shownClock({ now, pace, frozen }: SandboxClock) {
  return { now: new Date(now()).toISOString(), pace, frozen }
}

/** @throws Problem 422 */
async function changeClock(clock: SandboxClock, change: z.infer<typeof clockBody>): Promise<void> {
  const { advance, freeze, pace } = change
  if (Object.keys(change).length === 0) {
    throw invalidBody([refusal([], 'missing', 'the body changes nothing', 'give advance, freeze or pace')])
  }
  const milliseconds = typeof advance === 'string' ? readDuration(advance) : advance
  if (advance !== undefined && milliseconds === undefined) {
    throw invalidBody([
      refusal(
        ['advance'],
        'not-allowed',
        `advance is ${JSON.stringify(advance)}`,
        'give a duration such as 500ms, 30s, 2m, 3h, 2d or 1w, or milliseconds',
      ),
    ])
  }
  try {
    if (pace !== undefined) clock.setPace(pace)
    if (freeze !== undefined) clock.freeze(freeze)
    if (milliseconds !== undefined) await clock.advance(milliseconds)
  } catch (error) {
    refuse(error)
  }
}

/** What worlds and clocks refuse, field by field. @throws Problem 422 or 409; any other error as it is */
function refuse(error: unknown): never {
  const code = error instanceof CallwrightError ? error.code : undefined
  if (code === 'key-taken') throw new Problem(409, 'another world has this apiKey', { hint: 'leave it out' })
  if (code === 'team-taken') throw new Problem(409, 'another world has this teamId', { hint: 'leave it out' })
  const finding = refusals[code ?? '']
  throw finding === undefined ? error : invalidBody([finding])
}

const refusals: Readonly<Record<string, Finding>> = {
  'unusable-key': refusal(['apiKey'], 'not-allowed', 'apiKey holds what no bearer token can', 'leave it out'),
  'bad-advance': refusal(['advance'], 'out-of-range', 'advance is negative, or leads beyond the year 9999'),
}

/** A name can be rebound to this machine; an address cannot. */
function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
}
