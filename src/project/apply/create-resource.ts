import { CallwrightError } from '../../lib/error.ts'
import { hasKnownOutcome } from '../known-outcome.ts'
import type { Resource } from '../load/resource.ts'
import { type ApplyJob, type Done, outgoing } from './job.ts'
import { announce, assertTeam, recordAnswer } from './steps.ts'

/**
 * One POST for a tool or an assistant (interface.md 4.3, 4.4). That it is on its way stands in the lockfile before it
 * leaves, so that wherever the process is killed, the next run knows what may exist.
 * @throws CliError the request's own, `conflict` for an answer of another team or an id that could not be written down.
 */
export async function createResource(resource: Resource, job: ApplyJob): Promise<Done> {
  const { address, kind } = resource
  const { store, api } = job
  const { body, snapshot } = outgoing(resource, job)
  const before = store.recorded(address)
  const takeBack = await announce(job, address, { body: {}, ...before, creating: snapshot })
  const answer = await (kind === 'tool' ? api.createTool(body) : api.createAssistant(body)).catch(
    async error => {
      if (!hasKnownOutcome(error)) throw unanswered(error, resource)
      await takeBack()
      throw error
    },
  )
  const id = answer._id
  try {
    assertTeam(job, answer, { address, created: id })
  } catch (error) {
    await takeBack()
    throw error
  }
  const old = before?.id
  const replaced = [...(before?.replaced ?? []), ...(old === undefined ? [] : [old])]
  await recordAnswer(job, address, {
    answer,
    recorded: { id, ...(replaced.length === 0 ? {} : { replaced }), ...snapshot },
    what: `${address} was created as ${id}`,
    next: `callwright apply --adopt ${address}=${id}`,
  })
  const summary = old === undefined ? 'created' : `created anew; ${old} is still at the service`
  return { id, summary, answer }
}

function unanswered(error: unknown, { address }: Resource): unknown {
  if (!(error instanceof CallwrightError)) return error
  return new CallwrightError(error.kind, error.message, {
    hint: `look whether it exists at the service. If so: callwright apply --adopt ${address}=<id>; if not: callwright apply --forget ${address}`,
    details: error.details,
    cause: error,
  })
}
