import type { Clock } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { createCalendar } from '../../lib/text/date-time.ts'
import { placesCall, type SentRequest } from '../../service/api/index.ts'
import { createRulesReader, type Limits, serviceOf } from '../../service/profile/index.ts'
import { readCallLog } from '../log/index.ts'
import { findLimit } from './limits.ts'

/** The requests that a person has approved in this process. Nothing outside of the process can create one. */
export type Grant = (request: SentRequest) => boolean

interface CountDeps {
  readonly env: Environment
  readonly clock: Clock
}

interface PermitDeps extends CountDeps {
  readonly grant: Grant | undefined
  /** Asks the person at the terminal of this process; false without a terminal. */
  ask(request: SentRequest): Promise<boolean>
}

/**
 * Returns the check of every request that may change something at a service: the limits of its profiles, and the approval of a person.
 * The confirmation of a person is valid for the rest of the command.
 */
export function createPermit({ env, clock, grant, ask }: PermitDeps) {
  let isApproved = false
  const counter = createCounter(env, clock)
  const rulesOf = createRulesReader(env)
  return async (request: SentRequest): Promise<void> => {
    const { method, url } = request
    const { requiresApproval, limits } = await rulesOf(url.origin)
    if (placesCall(request)) await assertWithinLimits(limits, request, { clock, counter })
    const path = url.pathname
    const details = { method, path, outcome: 'not-sent' }
    if (grant !== undefined) {
      if (grant(request)) return
      const message = `${method} ${path} does not match the approved request; it was not sent`
      throw new CallyardError('conflict', message, {
        code: 'not-as-approved',
        hint: 'request approval again',
        details,
      })
    }
    if (!requiresApproval || isApproved) return
    isApproved = await ask(request)
    if (!isApproved) {
      const service = url.origin
      const message = `${service} requires approval; ${method} ${path} was not sent`
      throw new CallyardError('unauthorized', message, {
        code: 'approval-required',
        hint: 'run the command in your own terminal; agents request approval',
        details: { ...details, service },
      })
    }
  }
}

async function assertWithinLimits(
  limits: readonly Limits[],
  { url, json }: SentRequest,
  { clock, counter }: { readonly clock: Clock; readonly counter: CallCounter },
): Promise<void> {
  if (limits.length === 0) return
  const callsToday = await counter.next(serviceOf(url.href), limits)
  const error = findLimit(limits, { number: calledNumber(json), at: clock.now(), callsToday })
  if (error !== undefined) throw error
}

/** Number that a request calls (interface.md 4.1 and 4.2). */
export function calledNumber(json: string | undefined): string | undefined {
  const body = parseJson(json ?? '')
  if (!isObject(body)) return undefined
  const { userNumber, customer } = body
  const number = userNumber ?? (isObject(customer) ? customer.number : undefined)
  return typeof number === 'string' ? number : undefined
}

type CallCounter = ReturnType<typeof createCounter>

/**
 * Counts the calls of a day: those of the log when the first one is placed, which is in the log itself, and then those of this process.
 * A long batch would otherwise read the log for each call.
 */
function createCounter(env: Environment, clock: Clock) {
  const counted = new Map<string | undefined, { readonly day: string; calls: number }>()
  return {
    /** Returns the calls of this day with the next one, by time zone. */
    async next(service: string, limits: readonly Limits[]) {
      const at = clock.now()
      for (const timeZone of zonesOf(limits)) {
        const { day } = createCalendar(timeZone)(at)
        const usage = counted.get(timeZone)
        if (usage?.day === day) usage.calls += 1
        else counted.set(timeZone, { day, calls: await countCalls(service, { at, timeZone }, env) })
      }
      return (timeZone: string | undefined) => counted.get(timeZone)?.calls ?? 0
    },
  }
}

/** Returns the time zones of the daily limits. */
function zonesOf(limits: readonly Limits[]): ReadonlySet<string | undefined> {
  return new Set(limits.flatMap(limit => (limit.callsPerDay === undefined ? [] : [limit.timeZone])))
}

/** Returns the number of calls that one more call of this day would be, by time zone. */
export async function countNext(
  service: string,
  limits: readonly Limits[],
  { env, clock }: CountDeps,
): Promise<(timeZone: string | undefined) => number> {
  const counts = new Map<string | undefined, number>()
  for (const timeZone of zonesOf(limits))
    counts.set(timeZone, 1 + (await countCalls(serviceOf(service), { at: clock.now(), timeZone }, env)))
  return timeZone => counts.get(timeZone) ?? 0
}

interface Day {
  readonly at: number
  readonly timeZone: string | undefined
}

/** Number of logged calls of a day that were placed at a service, or may have been. */
async function countCalls(service: string, { at: now, timeZone }: Day, env: Environment): Promise<number> {
  const { calls } = await readCallLog(env)
  const calendar = createCalendar(timeZone)
  const { day } = calendar(now)
  return calls.filter(
    ({ at, service: baseUrl, status }) =>
      status !== 'not-placed' && serviceOf(baseUrl) === service && calendar(Date.parse(at)).day === day,
  ).length
}
