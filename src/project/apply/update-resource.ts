import { assistantSchema } from '../../interface/assistant.ts'
import { parseEndpoint } from '../../interface/project.ts'
import { toolUpdateSchema } from '../../interface/tool.ts'
import { CallwrightError } from '../../lib/error.ts'
import { hasKnownOutcome } from '../known-outcome.ts'
import type { Resource } from '../load/resource.ts'
import type { Action } from '../plan/actions.ts'
import { changedFields, fieldsOf, withUpdate } from '../plan/changes.ts'
import { type Answer, type ApplyJob, type Done, outgoing } from './job.ts'
import { announce, assertTeam, recordAnswer } from './steps.ts'

/**
 * Sends the changed fields of a tool (interface.md 4.5), or of an assistant by the endpoint that the project declares.
 * That an update is on its way stands in the lockfile before it leaves: until its answer is written down, the next plan
 * takes these fields for unknown.
 * @throws CliError the request's own, `conflict` for an answer of another team.
 */
export async function updateResource(resource: Resource, action: Action, job: ApplyJob): Promise<Done> {
  const { address } = resource
  const { store } = job
  const before = store.recorded(address)
  const id = before?.id
  if (before === undefined || id === undefined) throw new Error(`${address} has no id to be updated`)
  const { body, snapshot } = outgoing(resource, job)
  const takeBack = await announce(job, address, withUpdate(before, snapshot))
  const answer = await send(resource, action, { id, body }, job).catch(async error => {
    if (hasKnownOutcome(error)) await takeBack()
    throw isUnknownThere(error) ? goneThere(error, resource, id) : error
  })
  assertTeam(job, answer, { address })
  const { replaced } = before
  await recordAnswer(job, address, {
    answer,
    recorded: { id, ...(replaced === undefined ? {} : { replaced }), ...snapshot },
    what: `${address} was updated`,
    next: 'run again; it is updated once more, which changes nothing',
  })
  return { id, summary: `updated ${fieldsOf(action.changes).join(', ')}`, answer }
}

async function send(
  { kind }: Resource,
  { changes }: Action,
  { id, body }: { readonly id: string; readonly body: Record<string, unknown> },
  { api, settings, vocabulary }: ApplyJob,
): Promise<Answer> {
  if (kind === 'tool') return api.updateTool(id, changedFields(body, changes, toolUpdateSchema))
  const endpoint = parseEndpoint(settings.endpoints?.updateAssistant ?? '')
  const changed = endpoint.method === 'PUT' ? body : changedFields(body, changes, assistantSchema(vocabulary))
  return api.updateAssistant(id, endpoint, changed)
}

function isUnknownThere(error: unknown): error is CallwrightError {
  return error instanceof CallwrightError && (error.details.status === 404 || error.details.status === 410)
}

function goneThere(error: CallwrightError, { address }: Resource, id: string): CallwrightError {
  return new CallwrightError(error.kind, error.message, {
    hint: `${id} was deleted at the service, or the API key is another account's. To create it anew: callwright apply --forget ${address}=${id}`,
    details: error.details,
    cause: error,
  })
}
