import pLimit from 'p-limit'
import { CliError } from '../../errors.ts'
import type { Address } from '../address.ts'
import { type Action, isPending, type Plan } from '../plan/actions.ts'
import { createResource } from './create-resource.ts'
import { createHalt, type Halt } from './halt.ts'
import type { ApplyJob, Done } from './job.ts'
import type { Outcome } from './outcome.ts'
import { pushKnowledgeBase } from './push-knowledge-base.ts'
import { updateResource } from './update-resource.ts'

export interface ApplyTools {
  /** Most resources at once. */
  readonly parallelism: number
  onStart(address: Address): void
  onOutcome(outcome: Outcome): void
}

/**
 * Carries a plan out: each resource after all that it refers to, independent ones side by side. A failure stops what
 * depends on it and nothing else, unless it would meet every request. Never rejects for a failed resource.
 *
 * Where the lockfile knows the team, nothing is created side by side before an answer has shown that the API key is that
 * team's: updates, which another team's account refuses, go first, one by one.
 * @returns what became of each pending resource, in the order of the plan.
 */
export async function applyPlan(
  { actions }: Plan,
  job: ApplyJob,
  { parallelism, onStart, onOutcome }: ApplyTools,
): Promise<Outcome[]> {
  const byAddress = new Map(actions.map(action => [action.address, action]))
  const started = new Map<Address, Promise<Outcome | undefined>>()
  const limit = pLimit(parallelism)
  const halt = createHalt(job.signal, job.store)
  const assertAlone = () =>
    job.assertAlone().catch(error => {
      halt.stop('another run has the project now')
      throw error
    })

  function start(address: Address): Promise<Outcome | undefined> {
    const running = started.get(address) ?? run(byAddress.get(address))
    started.set(address, running)
    return running
  }

  async function run(action: Action | undefined): Promise<Outcome | undefined> {
    if (action === undefined || !isPending(action)) return undefined
    const outcome = await carryOut(action)
    onOutcome(outcome)
    return outcome
  }

  async function carryOut(action: Action): Promise<Outcome> {
    if (action.action === 'blocked') return blocked(action)
    const before = await Promise.all(action.needs.map(start))
    const missing = before.find(each => each !== undefined && stops(each))
    if (missing !== undefined)
      return skipped(action, `it needs ${missing.address}, which ${became[missing.status]}`)
    return limit(() => attempt(action))
  }

  async function attempt(action: Action): Promise<Outcome> {
    const reason = halt.reason()
    if (reason !== undefined) return skipped(action, reason)
    onStart(action.address)
    try {
      const { answer: _, ...done } = await perform(action, { ...job, assertAlone })
      halt.succeeded()
      return outcomeOf(action, { status: 'done', ...done })
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      halt.failed(error)
      return failed(action, error)
    }
  }

  await confirmTeam(actions, job, { start, halt })
  const outcomes = await Promise.all(actions.map(({ address }) => start(address)))
  return outcomes.filter(outcome => outcome !== undefined)
}

/** A tool or assistant that is blocked is still there as it was; a blocked knowledge base is not the one that is named. */
function stops({ status, address }: Outcome): boolean {
  return status === 'failed' || status === 'skipped' || (status === 'blocked' && address.startsWith('kb/'))
}

const became = { done: 'is done', failed: 'failed', skipped: 'was skipped', blocked: 'is blocked' } as const

async function perform(action: Action, job: ApplyJob): Promise<Done> {
  const resource = job.resources.get(action.address)
  if (resource === undefined) throw new Error(`${action.address} is planned and not there`)
  if (resource.kind === 'kb') return pushKnowledgeBase(resource, job)
  return action.action === 'update' ? updateResource(resource, action, job) : createResource(resource, job)
}

async function confirmTeam(
  actions: readonly Action[],
  { store }: ApplyJob,
  { start, halt }: { start(address: Address): Promise<Outcome | undefined>; halt: Halt },
): Promise<void> {
  if (store.section.teamId === undefined) return
  const pending = new Set(actions.filter(isPending).map(({ address }) => address))
  const first = actions.filter(
    ({ address, needs }) => !address.startsWith('kb/') && needs.every(need => !pending.has(need)),
  )
  const updates = first.filter(({ action }) => action === 'update')
  for (const { address } of updates) {
    const outcome = await start(address)
    if (outcome?.status === 'done' || halt.reason() !== undefined) return
  }
  if (updates.length > 0) {
    halt.stop('no answer has shown yet that the API key is of the team that the lockfile names')
    return
  }
  for (const { address } of first.filter(({ action }) => action === 'create' || action === 'replace')) {
    const outcome = await start(address)
    if (outcome?.status === 'done' || halt.reason() !== undefined) return
  }
}

function outcomeOf(
  { address, action, file = '', id }: Action,
  rest: Pick<Outcome, 'status'> & Partial<Outcome>,
): Outcome {
  if (action === 'unchanged' || action === 'orphaned') throw new Error(`${address} has nothing to be done`)
  return { address, action, file, ...(id === undefined ? {} : { id }), ...rest }
}

function blocked(action: Action): Outcome {
  const { reason = '', choices = [] } = action
  return outcomeOf(action, { status: 'blocked', reason, hint: choices.join('; or: ') })
}

function skipped(action: Action, reason: string): Outcome {
  return outcomeOf(action, { status: 'skipped', reason })
}

function failed(action: Action, error: CliError): Outcome {
  const { kind, message, hint, details } = error
  const unknown = details.outcome === 'unknown' && action.action !== 'update'
  return outcomeOf(action, {
    status: 'failed',
    reason: message,
    kind,
    ...(hint === undefined ? {} : { hint }),
    ...(unknown || kind === 'conflict' ? { unknown: true } : {}),
  })
}
