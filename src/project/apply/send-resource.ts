import type { Address } from '../../files/formats/address.ts'
import { type Project as ProjectSettings, parseEndpoint } from '../../files/formats/project.ts'
import { assistantSchema } from '../../interface/assistant.ts'
import { idText } from '../../interface/fields.ts'
import { toolUpdateSchema } from '../../interface/tool.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { CallyardError, getErrorReason } from '../../lib/error.ts'
import { type Api, hasKnownOutcome, isNotFound } from '../../service/api/index.ts'
import { checkTeam, formerIds, type LockStore, type ResourceState } from '../lockfile/index.ts'
import { type Action, changedFields, listFields, withUpdate } from '../plan/index.ts'
import { renderResource, type TargetIds } from '../rendering/index.ts'
import type { Resource } from '../resources/index.ts'

/**
 * Creates a tool or an assistant with one POST (interface.md 4.3, 4.4). The lockfile records the attempt first, so that after a kill the
 * next run knows what may exist.
 * @throws CallyardError of the request; `conflict` for a response of another team, or an id that could not be recorded.
 */
export async function createResource(resource: Resource, job: ApplyJob): Promise<Done> {
  const { address, kind } = resource
  const { store, api, target } = job
  const { sent, fingerprint } = renderResource(resource.checked, job.ids)
  const before = store.state.stateOf(address)
  const rollback = await recordAttempt(job, address, { body: {}, ...before, creating: fingerprint() })
  const response = await (kind === 'tool' ? api.createTool(sent()) : api.createAssistant(sent())).catch(
    async error => {
      if (!hasKnownOutcome(error)) throw unknownOutcomeError(error, resource, target)
      await rollback()
      throw error
    },
  )
  const id = response._id
  try {
    checkTeam(store.state.teamId, response.teamId, { target, address, created: id })
  } catch (error) {
    await rollback()
    throw error
  }
  const lastState = { id, replaced: formerIds(before, id), ...fingerprint() }
  await recordResponse(job, address, { response, lastState, created: id })
  const former = before?.id
  const summary = former === undefined ? 'created' : `created again; ${former} remains at the service`
  return { id, summary, response }
}

function unknownOutcomeError(error: unknown, { address }: Resource, target: string): unknown {
  if (!(error instanceof CallyardError)) return error
  const { kind, details, message } = error
  const hint =
    details.outcome === 'done'
      ? 'look up its id in the service, then adopt it'
      : 'check the service, then adopt it if it exists, or else forget it'
  return new CallyardError(kind, unknownOutcome(details) ?? message, {
    ...{ code: 'create-unanswered', hint, cause: error },
    details: { ...details, address, target },
  })
}

/** Message for a response that leaves open whether the request was carried out; undefined without a response. */
function unknownOutcome({ status, serviceMessage }: CallyardError['details']): string | undefined {
  if (typeof status !== 'number' || (status >= 200 && status < 300)) return undefined
  const messageText = typeof serviceMessage === 'string' ? `: ${serviceMessage}` : ''
  return `outcome unknown (the service responded ${status}${messageText}); not retried`
}

/**
 * Sends the changed fields of a tool (interface.md 4.5), or of an assistant by the endpoint that the project declares.
 * The lockfile records the attempt first: until the response is recorded, the next plan treats these fields as unknown. @throws
 * CallyardError of the request; `conflict` for a response of another team.
 */
export async function updateResource(resource: Resource, action: Action, job: ApplyJob): Promise<Done> {
  const { address } = resource
  const { store, target } = job
  const before = store.state.stateOf(address)
  const id = before?.id
  if (before === undefined || id === undefined) throw new Error(`${address} has no id to be updated`)
  const { sent, fingerprint } = renderResource(resource.checked, job.ids)
  const rollback = await recordAttempt(job, address, withUpdate(before, fingerprint()))
  const response = await send(resource, action, { id, body: sent() }, job).catch(async error => {
    if (hasKnownOutcome(error)) await rollback()
    throw isNotFound(error) ? deletedAtServiceError(error, { address, target, id }) : error
  })
  checkTeam(store.state.teamId, response.teamId, { target, address })
  await recordResponse(job, address, {
    response,
    lastState: { id, replaced: before.replaced, ...fingerprint() },
  })
  return { id, summary: `updated ${listFields(action.changes).join(', ')}`, response }
}

async function send(
  { kind }: Resource,
  { changes }: Action,
  { id, body }: { readonly id: string; readonly body: Readonly<Record<string, unknown>> },
  { api, settings, vocabulary }: ApplyJob,
): Promise<ServiceRecord> {
  if (kind === 'tool') return api.updateTool(id, changedFields(body, changes, toolUpdateSchema()))
  const endpoint = parseEndpoint(settings.endpoints?.updateAssistant ?? '')
  const changed = endpoint.method === 'PUT' ? body : changedFields(body, changes, assistantSchema(vocabulary))
  return api.updateAssistant(id, endpoint, changed)
}

function deletedAtServiceError(
  error: CallyardError,
  at: { readonly address: Address; readonly target: string; readonly id: string },
): CallyardError {
  const { address, id } = at
  return new CallyardError(error.kind, error.message, {
    code: 'gone-at-target',
    hint: `${id} was deleted at the service, or the API key is another account's. To create it again, forget ${address}=${id}`,
    ...{ details: { ...error.details, ...at }, cause: error },
  })
}

/**
 * Records a request before it is sent, and checks again that this run is the only one. Returns a function that reverts the record, for a
 * request that is known to have had no effect; if the disk fails then, the next run asks about it.
 */
async function recordAttempt(
  { store, assertAlone }: ApplyJob,
  address: Address,
  lastState: ResourceState,
): Promise<() => Promise<void>> {
  const before = store.state.stateOf(address)
  const revert = await store.intend(address, { recorded: lastState }, before ? { recorded: before } : null)
  const rollback = () => revert().catch(() => {})
  await assertAlone().catch(async error => {
    await rollback()
    throw error
  })
  return rollback
}

/** Records the state of the service. @throws CallyardError `conflict` that says what was done, and how to continue. */
async function recordResponse(
  { store, target }: ApplyJob,
  address: Address,
  { response, lastState, created }: { response: ServiceRecord; lastState: ResourceState; created?: string },
): Promise<void> {
  const teamId = idText().safeParse(response.teamId).data
  await store.patch(address, { recorded: lastState }, teamId).catch(error => {
    throw notWrittenDown({ address, target, created }, error)
  })
}

/** A change at the service is not in the lockfile; `created` is the id of a created resource. */
const notWrittenDown = (
  {
    address,
    created,
    target,
  }: { readonly address: Address; readonly created: string | undefined; readonly target: string },
  cause: unknown,
) =>
  new CallyardError(
    'conflict',
    `${address} was ${created === undefined ? 'updated' : `created as ${created}`}, but the lockfile could not be written: ${getErrorReason(cause)}`,
    {
      code: 'not-written-down',
      hint:
        created === undefined
          ? 'fix this, then run it again: it repeats the update'
          : `fix this, then adopt ${address}=${created}`,
      ...{ details: { address, target, created }, cause },
    },
  )

/** Target of an apply or a push, with its section of the lockfile. */
export interface JobTarget {
  readonly target: string
  readonly baseUrl: string
  readonly store: LockStore
  readonly ids: TargetIds
}

export interface JobResources {
  readonly settings: ProjectSettings
  readonly resources: ReadonlyMap<Address, Resource>
  /** Ids of resources once these are done. */
  readonly ids: TargetIds
}

export interface ApplyJob extends JobTarget, JobResources {
  readonly vocabulary: Vocabulary
  readonly api: Api
  readonly signal: AbortSignal
  /** @throws CallyardError `conflict` once another process holds the project's lock. */
  assertAlone(): Promise<void>
}

/** Response of the service or of a declared endpoint. */
export type ServiceRecord = Readonly<Record<string, unknown>>

/** Summary of a change, the id at the target, and the response if there was one. */
export interface Done {
  readonly id?: string
  readonly summary: string
  readonly response?: ServiceRecord
}
