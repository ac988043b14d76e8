import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  batchRequest,
  type OpenBatch,
  openBatch,
  type Person,
  planBatch,
  sendersOf,
} from '../../../calls/batch/index.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import type { SentRequest } from '../../../service/api/index.ts'
import type { Context } from '../../shell/context.ts'

/** The calls that a batch may place, in memory. */
export interface ApprovedBatch {
  /** In the order in which they are called. */
  readonly people: readonly Person[]
  /** Hash of the requests of these people, without values from the environment. */
  readonly digest: string
  /** True for the request of a call to one of these people, with the body that was shown; at most `calls` different ones. */
  createCheck(calls: number): (request: SentRequest) => boolean
}

/** Reads the people of a batch, and everything that is sent to them. */
export async function readApprovedBatch(
  batch: string,
  maxCalls: number,
  context: Context,
): Promise<ApprovedBatch> {
  const opened = await openBatch(batch, { limit: { calls: maxCalls } }, { checksProgram: true }, context)
  for (const file of opened.checked) context.willSend(file)
  const { people } = planBatch({ ...opened, now: context.clock.now() })
  return {
    people,
    digest: digestOf(opened, people),
    createCheck: calls => createCheck(opened, people, calls),
  }
}

/** Person by person: a million requests do not fit into memory. */
function digestOf(opened: OpenBatch, people: readonly Person[]): string {
  const hash = createHash('sha256').update(JSON.stringify([opened.batch.check, sendersOf(opened.batch)]))
  for (const person of people) {
    const job = { person, from: '', to: '', number: 1 }
    hash.update(JSON.stringify([person.numbers, batchRequest(job, opened, { isShown: true }).body]))
  }
  return hash.digest('base64url')
}

function createCheck(opened: OpenBatch, people: readonly Person[], calls: number) {
  const { batch, state } = opened
  const byId = new Map(people.map(person => [person.id, person]))
  const senders = new Set(sendersOf(batch).map(({ number }) => number))
  const { attempts = 1 } = batch.retry ?? {}
  const permitted = new Set<string>()
  return ({ json }: SentRequest): boolean => {
    const body = parseJson(json ?? '')
    if (!isObject(body) || !isObject(body.metadata)) return false
    const { assistantNumber: from, userNumber: to } = body
    const { person: id, attempt } = body.metadata
    const person = typeof id === 'string' ? byId.get(id) : undefined
    if (person === undefined || typeof to !== 'string' || !person.numbers.includes(to)) return false
    if (typeof from !== 'string' || !senders.has(from) || typeof attempt !== 'number') return false
    // `batch retry` during the run would call somebody again.
    const before = state.attempts.get(person.id)?.filter(({ outcome }) => outcome !== 'not-sent') ?? []
    if (attempt > before.length + attempts) return false
    const expected = batchRequest({ person, from, to, number: attempt }, opened).body
    if (!isDeepStrictEqual(body, parseJson(JSON.stringify(expected)))) return false
    // A request that the service was too busy for is sent again, with the same number.
    permitted.add(`${attempt} ${person.id}`)
    return permitted.size <= calls
  }
}
