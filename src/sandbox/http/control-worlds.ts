import type { MiddlewareHandler } from 'hono'
import * as z from 'zod/mini'
import { clockSchema, type ShownClock } from '../../files/formats/control-api.ts'
import { named, objectSchema, optional, required, someText, wholeNumber } from '../../interface/fields.ts'
import { CallyardError } from '../../lib/error.ts'
import { durationPattern, readDuration } from '../../lib/text/date-time.ts'
import { checkAdvance, maxPace, type SandboxClock } from '../clock/world-clock.ts'
import { invalidField, notFound, Problem } from '../records/problem.ts'
import type { World } from '../world.ts'
import type { OpenWorldOptions } from '../world-options.ts'
import { bearerPattern } from '../worlds.ts'
import type { SandboxRoute, SandboxServer } from './route-table.ts'

export interface ControlWorlds {
  /** The first one first. */
  all(): readonly World[]
  open(options: OpenWorldOptions): Promise<World>
}

export const controlRoot = '/__sandbox'

/** A route below it; by default a GET that takes the world. */
export interface ControlRoute extends Omit<SandboxRoute, 'method' | 'tag'> {
  readonly method?: SandboxRoute['method']
}

/** The schema of a response with one list. */
export function listOf(name: string, item: z.ZodMiniType, description: string): z.ZodMiniType {
  const fields = z.object({ [name]: required(z.array(item), description) })
  return named(`${name[0]?.toUpperCase()}${name.slice(1)}`, fields)
}

const worldsSchema = listOf(
  'worlds',
  z.object({ teamId: required(z.string(), 'Team id of the world') }),
  'The first one first',
)

const noQuery = z.strictObject({})
export const worldQuery = z.strictObject({ world: optional(someText(), 'Team id of a world') })

/** `?world=` is the team id of a world; default: the first one. @throws Problem 404 */
export function chooseWorld(worlds: ControlWorlds): MiddlewareHandler<SandboxServer> {
  return async (context, next) => {
    const worldId = context.req.query('world')
    const [first] = worlds.all()
    const world = worldId === undefined ? first : findWorld(worlds, worldId)
    if (world === undefined) throw new Problem(503, 'the sandbox is stopping')
    context.set('world', world)
    await next()
  }
}

function findWorld({ all }: ControlWorlds, teamId: string): World {
  const world = all().find(({ team }) => team.teamId === teamId)
  if (world !== undefined) return world
  throw notFound('world with the team id', teamId, `GET ${controlRoot}/worlds lists them`)
}

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

export function routesOfWorlds(worlds: ControlWorlds): readonly ControlRoute[] {
  const list = () => ({ worlds: worlds.all().map(({ team: { teamId } }) => ({ teamId })) })
  return [
    {
      id: 'listWorlds',
      path: '/worlds',
      summary: 'List worlds',
      query: noQuery,
      response: () => worldsSchema,
      handle: async () => list(),
    },
    {
      id: 'openWorld',
      method: 'POST',
      path: '/worlds',
      summary: 'Open another world',
      description:
        'A world has an API key, records, calls, a clock and faults of its own. Beside the first one 1,000 are open at most.',
      query: noQuery,
      body: () => worldBody,
      isBodyOptional: true,
      response: objectSchema('OpenedWorld', () => ({
        teamId: required(z.string(), 'Team id of the world'),
        apiKey: required(z.string(), 'API key of the world'),
        clock: clockSchema(),
      })),
      problems: [409],
      async handle(_world, { body }) {
        const { pace, ...own } = worldBody.parse(body)
        const opening = worlds.open({ ...own, ...(pace === undefined ? {} : { pace }) })
        const { team, clock } = await opening.catch(refuseWorld)
        return { teamId: team.teamId, apiKey: team.apiKey, clock: shownClock(clock) }
      },
    },
    {
      id: 'closeWorld',
      method: 'DELETE',
      path: '/worlds/{id}',
      summary: 'Close a world',
      idOf: 'Team id of the world',
      query: noQuery,
      response: () => worldsSchema,
      problems: [409],
      async handle(_world, { id }) {
        const world = findWorld(worlds, id)
        if (world === worlds.all()[0]) {
          throw new Problem(409, 'the first world stays as long as the sandbox', {
            hint: `to empty it: POST ${controlRoot}/reset`,
          })
        }
        await world.close()
        return list()
      },
    },
  ]
}

/** @throws Problem 422 or 409; any other error as it is */
function refuseWorld(error: unknown): never {
  if (!(error instanceof CallyardError)) throw error
  const { code, details } = error
  const conflict = (detail: string, hint: string) => new Problem(409, detail, { hint })
  if (code === 'key-taken') throw conflict('another world has this apiKey', 'omit it')
  if (code === 'team-taken') throw conflict('another world has this teamId', 'omit it')
  if (code === 'too-many-worlds') {
    const hint = `DELETE ${controlRoot}/worlds/{id} closes one that is not used any more`
    throw conflict(`${details.max} worlds are open beside the first one`, hint)
  }
  if (code !== 'unusable-key') throw error
  throw invalidField(
    ['apiKey'],
    'not-allowed',
    'apiKey contains characters that a bearer token cannot have',
    'omit it',
  )
}

const timeSpan = z.stringFormat('time-span', text => readDuration(text) !== undefined)

export const clockBody = named(
  'ClockChange',
  z.strictObject({
    advance: optional(
      z.union([
        required(timeSpan, 'A duration: 500ms, 30s, 2m, 3h, 2d or 1w', { pattern: durationPattern.source }),
        required(z.number().check(z.minimum(0)), 'Milliseconds'),
      ]),
      'Time that passes',
    ),
    freeze: optional(z.boolean(), 'Whether time passes only by advance'),
    pace: optional(
      z.number().check(z.minimum(0), z.maximum(maxPace)),
      'Speed relative to real time; 0 does not wait',
    ),
  }),
)

/** Formats a clock for the control API. */
export function shownClock({ now, pace, frozen }: SandboxClock): ShownClock {
  return { now: new Date(now()).toISOString(), pace, frozen }
}

/** @throws Problem 422 */
export async function changeClock(clock: SandboxClock, change: z.infer<typeof clockBody>): Promise<void> {
  const { advance, freeze, pace } = change
  if (Object.keys(change).length === 0) {
    throw invalidField([], 'missing', 'the body changes nothing', 'send advance, freeze or pace')
  }
  const milliseconds = typeof advance === 'string' ? readDuration(advance) : advance
  try {
    // Before anything changes.
    if (milliseconds !== undefined) checkAdvance(clock.now(), milliseconds)
    if (pace !== undefined) clock.setPace(pace)
    if (freeze !== undefined) clock.freeze(freeze)
    if (milliseconds !== undefined) await clock.advance(milliseconds)
  } catch (error) {
    if (!(error instanceof CallyardError && error.code === 'bad-advance')) throw error
    throw invalidField(
      ['advance'],
      'out-of-range',
      `advance is ${JSON.stringify(advance)}: beyond the year 9999`,
      'advance by less; a reset or restore sets the clock back',
    )
  }
}
