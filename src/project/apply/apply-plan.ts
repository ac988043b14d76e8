import pLimit from 'p-limit'
import { type Address, kindOfAddress } from '../../files/formats/address.ts'
import { idText } from '../../interface/fields.ts'
import { CallyardError } from '../../lib/error.ts'
import type { LockStore } from '../lockfile/index.ts'
import { type Action, isPending, type Plan } from '../plan/index.ts'
import type { ResourceOutcome } from './outcome-schema.ts'
import { pushKnowledgeBase } from './push-knowledge-base.ts'
import {
  type ApplyJob,
  createResource,
  type Done,
  type ServiceRecord,
  updateResource,
} from './send-resource.ts'

export interface ApplyEvents {
  readonly concurrency: number
  onStart(address: Address): void
  onOutcome(outcome: ResourceOutcome): void
}

/**
 * Applies a plan: each resource after those that it references, independent ones in parallel. A failure only stops dependents, unless
 * it would affect every request. Never rejects for a failed resource.
 *
 * If the lockfile names a team, nothing is created in parallel before a response has shown that the API key belongs to that team: updates
 * first, then one creation at a time.
 * @returns the outcome of each pending resource, in the order of the plan.
 */
export async function applyPlan(
  { actions }: Plan,
  job: ApplyJob,
  { concurrency, onStart, onOutcome }: ApplyEvents,
): Promise<ResourceOutcome[]> {
  const byAddress = new Map(actions.map(action => [action.address, action]))
  const runs = new Map<Address, Promise<ResourceOutcome | undefined>>()
  const limit = pLimit(concurrency)
  const halt = createHalt(job.signal, job.store)
  const gate = createTeamGate(job.store)
  const assertAlone = () =>
    job.assertAlone().catch(error => {
      halt.stop('another callyard is using the project')
      throw error
    })

  function start(address: Address): Promise<ResourceOutcome | undefined> {
    const running = runs.get(address) ?? run(byAddress.get(address))
    runs.set(address, running)
    return running
  }

  async function run(action: Action | undefined): Promise<ResourceOutcome | undefined> {
    if (action === undefined || !isPending(action)) return undefined
    const outcome = await executeAction(action)
    onOutcome(outcome)
    return outcome
  }

  async function executeAction(action: Action): Promise<ResourceOutcome> {
    if (action.action === 'blocked') return outcomeOf(action, 'blocked', { why: action.why })
    const before = await Promise.all(action.needs.map(start))
    const missing = before.find(outcome => outcome !== undefined && stops(outcome))
    if (missing !== undefined) {
      const reason = `it needs ${missing.address}, which ${statusTexts[missing.status]}`
      return outcomeOf(action, 'skipped', { reason })
    }
    const creates = action.action === 'create' || action.action === 'replace'
    return limit(() => (creates ? gate.pass(() => attempt(action)) : attempt(action)))
  }

  async function attempt(action: Action): Promise<ResourceOutcome> {
    const reason = halt.reason()
    if (reason !== undefined) return outcomeOf(action, 'skipped', { reason })
    onStart(action.address)
    try {
      const { response, ...done } = await perform(action, { ...job, assertAlone })
      gate.answered(response)
      halt.succeeded()
      return outcomeOf(action, 'done', done)
    } catch (error) {
      if (!(error instanceof CallyardError)) {
        halt.stop('callyard has a bug')
        throw error
      }
      halt.failed(error)
      return toFailedOutcome(action, error)
    }
  }

  for (const { address } of firstUpdates(actions)) {
    if (gate.open || halt.reason() !== undefined) break
    await start(address)
  }
  const results = await Promise.allSettled(actions.map(({ address }) => start(address)))
  return results.flatMap(result => {
    // Throw a bug when all that was under way is written down.
    if (result.status === 'rejected') throw result.reason
    return result.value ?? []
  })
}

const statusTexts = {
  done: 'is done',
  failed: 'failed',
  skipped: 'was skipped',
  blocked: 'is blocked',
} as const satisfies Record<ResourceOutcome['status'], string>

/** Updates that wait for nothing: another team's account refuses them, so they show whose key it is at no risk. */
function firstUpdates(actions: readonly Action[]): Action[] {
  const pending = new Set(actions.filter(isPending).map(({ address }) => address))
  return actions.filter(
    ({ address, action, needs }) =>
      action === 'update' && kindOfAddress(address) !== 'kb' && needs.every(need => !pending.has(need)),
  )
}

/** A blocked tool or assistant that exists is unchanged; a blocked knowledge base may not be the referenced one. */
function stops({ status, address, id, why }: ResourceOutcome): boolean {
  if (status !== 'blocked') return status !== 'done'
  return kindOfAddress(address) === 'kb' ? why?.code !== 'may-exist' : id === undefined
}

async function perform(action: Action, job: ApplyJob): Promise<Done> {
  const resource = job.resources.get(action.address)
  if (resource === undefined) throw new Error(`${action.address} is planned and not there`)
  if (resource.kind === 'kb') return pushKnowledgeBase(resource, job)
  return action.action === 'update' ? updateResource(resource, action, job) : createResource(resource, job)
}

function outcomeOf(
  { address, action, file = '', id }: Action,
  status: ResourceOutcome['status'],
  rest: Partial<ResourceOutcome>,
): ResourceOutcome {
  if (action === 'unchanged' || action === 'orphaned') throw new Error(`${address} has nothing to be done`)
  return { address, action, file, id, status, ...rest }
}

function toFailedOutcome(action: Action, error: CallyardError): ResourceOutcome {
  const { kind, details } = error
  const { outcome, unknown } = details
  // What was not begun when Ctrl-C came did not fail.
  if (kind === 'cancelled' && outcome !== 'unknown') return outcomeOf(action, 'skipped', { error })
  const isUnknown =
    unknown !== undefined || ((outcome === 'unknown' || outcome === 'done') && action.action !== 'update')
  return outcomeOf(action, 'failed', { error, unknown: isUnknown || undefined })
}

/** Failures of the service itself with no success between them, after which nothing more is sent. */
const maxFailuresInARow = 3

/**
 * Ends an apply for failures that are not one resource's own: Ctrl-C, a refused key, a lost lock, a service that is away. What
 * is under way is always ended.
 */
function createHalt(signal: AbortSignal, store: LockStore) {
  let stopReason: string | undefined
  let inARow = 0
  return {
    /** Why nothing more is begun; undefined while all is well. */
    reason(): string | undefined {
      if (stopReason !== undefined) return stopReason
      if (store.failure !== undefined) return 'the lockfile cannot be written'
      return signal.aborted ? 'cancelled' : undefined
    },
    stop(reason: string): void {
      stopReason ??= reason
    },
    succeeded() {
      inARow = 0
    },
    /** A failure may be one that every other request would meet too. */
    failed({ kind, details }: CallyardError): void {
      if (kind === 'unauthorized') stopReason ??= 'the service rejected the API key'
      else if (details.status === 429 || (details.status === 503 && details.outcome === 'refused'))
        stopReason ??= 'the service is rate limiting requests'
      else if (details.otherTeam !== undefined) stopReason ??= 'the API key is another team’s'
      else if (kind === 'unreachable' && details.outcome === 'not-sent')
        stopReason ??= 'the service cannot be reached'
      else if (kind === 'unreachable') {
        inARow += 1
        if (inARow >= maxFailuresInARow) stopReason ??= `the service failed ${inARow} times in a row`
      }
    },
  }
}

/**
 * Lets nothing be created side by side before it is known whose account the API key opens. Where the lockfile names no team
 * there is nothing to be compared, and the gate is open.
 */
function createTeamGate({ state: { teamId } }: LockStore) {
  let open = teamId === undefined
  const exclusively = pLimit(1)
  return {
    get open(): boolean {
      return open
    },
    /** Records a response that was compared with the lockfile. */
    answered(answer: ServiceRecord | undefined): void {
      if (idText().safeParse(answer?.teamId).success) open = true
    },
    /** Runs a creation; exclusively until a response has shown the team that the lockfile names. */
    pass: <Result>(work: () => Promise<Result>): Promise<Result> => (open ? work() : exclusively(work)),
  }
}
