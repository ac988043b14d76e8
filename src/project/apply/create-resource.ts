import { CliError } from '../../errors.ts'
import { isDefinite } from '../definite.ts'
import type { Resource } from '../load/resource.ts'
import { type ApplyJob, assertTeam, type Done, outgoing, teamOf } from './job.ts'

/**
 * One POST for a tool or an assistant (interface.md 4.3, 4.4). That it is on its way stands in the lockfile before it
 * leaves, so that wherever the process is killed, the next run knows what may exist.
 * @throws CliError the request's own, `conflict` for an answer of another team or an id that could not be written down.
 */
export async function createResource(resource: Resource, job: ApplyJob): Promise<Done> {
  const { address, kind } = resource
  const { store, api } = job
  const { body, snapshot } = outgoing(resource, job)
  await store.record(address, before => ({ body: {}, ...before, creating: snapshot }))
  await job.assertAlone()
  const answer = await (kind === 'tool' ? api.createTool(body) : api.createAssistant(body)).catch(
    async error => {
      if (!isDefinite(error)) throw unanswered(error, resource)
      // Why it was refused matters more than that it is still written down: the next run then asks about it.
      await clearIntent(resource, job).catch(() => {})
      throw error
    },
  )
  const id = answer._id
  try {
    assertTeam(job, answer, `${address} was created there as ${id}, and nothing more was sent`)
  } catch (error) {
    await clearIntent(resource, job).catch(() => {})
    throw error
  }
  const earlier = store.recorded(address)
  const replaced = [...(earlier?.replaced ?? []), ...(earlier?.id === undefined ? [] : [earlier.id])]
  await store
    .change(section => ({
      ...section,
      ...(section.teamId === undefined ? { teamId: teamOf(answer) } : {}),
      resources: {
        ...section.resources,
        [address]: { id, ...(replaced.length === 0 ? {} : { replaced }), ...snapshot },
      },
    }))
    .catch(error => {
      throw notRecorded(error, `${address} was created as ${id}`, `callwright apply --adopt ${address}=${id}`)
    })
  const old = earlier?.id
  return { id, summary: old === undefined ? 'created' : `created anew; ${old} is still at the service` }
}

/** What was done at the service and could not be written down: the next run is told how to go on. */
export function notRecorded(error: unknown, what: string, next: string): CliError {
  const reason = error instanceof Error ? error.message : String(error)
  return new CliError('conflict', `${what}, which could not be written down: ${reason}`, {
    hint: `when that is solved: ${next}`,
    cause: error,
  })
}

async function clearIntent({ address }: Resource, { store }: ApplyJob): Promise<void> {
  await store.record(address, before => {
    if (before === undefined) return undefined
    const { creating: _, ...settled } = before
    return settled.id === undefined ? undefined : settled
  })
}

function unanswered(error: unknown, { address }: Resource): unknown {
  if (!(error instanceof CliError)) return error
  return new CliError(error.kind, error.message, {
    hint: `look whether it exists at the service. If so: callwright apply --adopt ${address}=<id>; if not: callwright apply --forget ${address}`,
    details: error.details,
    cause: error,
  })
}
