import type { Address } from '../../files/formats/address.ts'
import { CallyardError } from '../../lib/error.ts'
import { lockfileName, type ResourceState, withTarget } from '../lockfile/index.ts'
import { reasonFor } from '../plan/explain/index.ts'
import { listFields, planTool } from '../plan/index.ts'
import { renderResource } from '../rendering/index.ts'
import { listDependencies, type Resource, type ResourceFile } from '../resources/index.ts'
import { assertNotCreated } from './apply-history.ts'
import { type CheckedResource, type CheckResourceOptions, checkResource } from './check-resource.ts'
import { createApplyJob } from './open-project.ts'
import { type LockedTarget, lockTarget } from './open-target.ts'
import type { ProjectDeps } from './read-target.ts'
import { createResource, type Done, type ServiceRecord, updateResource } from './send-resource.ts'

export interface SendEvents {
  /** The file passed its check, with or without warnings. */
  onChecked(checked: CheckedResource): void
  /** Awaited before the first request: what throws here sends nothing. */
  beforeSending(): Promise<void>
}

export interface CreateOptions extends CheckResourceOptions {
  /** Create another one of a file that the target has already. */
  readonly allowDuplicate?: boolean | undefined
}

/**
 * Creates a tool or an assistant from its file in a project as apply would: the same lock, the same lockfile, the intent
 * written down before the POST.
 * @throws CallyardError `conflict` for one that the target has, or may have, already
 */
export async function createFromFile(
  file: ResourceFile & { readonly kind: 'tool' | 'assistant' },
  options: CreateOptions,
  deps: ProjectDeps,
  events: SendEvents,
): Promise<Done> {
  const locked = await lockTarget(file.folder, options, deps)
  return withTarget(locked, async () => {
    const { resource, at, job } = await checkLocked(file, file.kind, locked, options, deps, events)
    const state = locked.store.state.stateOf(file.address)
    assertSettled(state, at)
    if (state?.id !== undefined && options.allowDuplicate !== true) throw createdAlready(at, state.id)
    const { history, name: lockfile } = locked
    const created = state?.id === undefined && history.findCreated(file.address, locked.store.state.section)
    if (created && options.allowDuplicate !== true)
      assertNotCreated(file.address, created, { ...at, lockfile, serial: history.serial })
    await events.beforeSending()
    return createResource(resource, await job())
  })
}

/**
 * Updates a tool by its file in a project as apply would: the same comparison, lock and lockfile. Undefined where nothing
 * changed since it was sent last.
 * @throws CallyardError `conflict` where the target has another tool for the file, `partial` where it cannot be updated
 */
export async function updateFromFile(
  file: ResourceFile,
  { id, ...options }: CheckResourceOptions & { readonly id: string },
  deps: ProjectDeps,
  events: SendEvents,
): Promise<{ readonly response: ServiceRecord | undefined; readonly fields: readonly string[] } | undefined> {
  const locked = await lockTarget(file.folder, options, deps)
  return withTarget(locked, async () => {
    const { store } = locked
    const { resource, snapshot, at, job } = await checkLocked(file, 'tool', locked, options, deps, events)
    const { address } = file
    const state = store.state.stateOf(address)
    if (state?.id !== undefined && state.id !== id) throw otherTool(at, state.id, id)
    assertSettled(state, at)
    const lastState = state?.id === undefined ? { id, body: {} } : state
    const action = planTool(resource, { lastState, snapshot })
    if (action.action === 'unchanged') return undefined
    if (action.action === 'blocked') {
      const { why } = action
      const reason = why === undefined ? '' : reasonFor(why, id)
      throw new CallyardError('partial', `${address} was not updated: ${reason}; nothing was sent`, {
        ...{ code: 'update-blocked', details: { ...at, id, why } },
      })
    }
    await events.beforeSending()
    if (state?.id === undefined) await store.patch(address, { recorded: lastState })
    const { response } = await updateResource(resource, action, await job()).catch(async error => {
      const hasResponse = error instanceof CallyardError && error.details.outcome !== 'unknown'
      // An id that the service refused, or that is another team's, is not this tool's.
      if (hasResponse && state?.id === undefined)
        await store.patch(address, state ? { recorded: state } : null).catch(() => {})
      throw error
    })
    return { response, fields: listFields(action.changes) }
  })
}

/** A file that passed its check while its project is locked: one resource, to be applied by itself. */
async function checkLocked(
  file: ResourceFile,
  kind: 'tool' | 'assistant',
  locked: LockedTarget,
  options: CheckResourceOptions,
  deps: ProjectDeps,
  events: SendEvents,
) {
  const checkedResource = await checkResource(file.path, kind, options, deps)
  events.onChecked(checkedResource)
  const { checked } = checkedResource
  const ids = checkedResource.idsWith(locked.store.state.hash)
  const resource: Resource = { ...file, checked, needs: listDependencies(checked) }
  const resources = new Map([[file.address, resource]])
  return {
    resource,
    snapshot: renderResource(checked, ids).fingerprint(),
    /** Resource and target for errors. */
    at: { address: file.address, target: locked.target.name },
    job: () => createApplyJob(locked, { settings: {}, resources, ids }, deps),
  }
}

function assertSettled(state: ResourceState | undefined, at: Location): void {
  if (state?.creating === undefined) return
  const { address } = at
  const message = `it is unknown whether an earlier run created ${address}; nothing was sent`
  throw new CallyardError('conflict', message, {
    code: 'creation-unanswered',
    hint: `check the service, then adopt ${address}, or forget it if it does not exist`,
    details: { ...at },
  })
}

/** A resource at a target. */
interface Location {
  readonly address: Address
  readonly target: string
}

const createdAlready = (at: Location, id: string) =>
  new CallyardError(
    'conflict',
    `${at.address} already exists as ${id} at target ${at.target} in ${lockfileName}; nothing was sent`,
    {
      code: 'created-already',
      hint: 'to send changes, apply it; to create another one, allow the duplicate',
      details: { ...at, id },
    },
  )

/** The lockfile has another id for the file than the one that is to be updated. */
const otherTool = (at: Location, recorded: string, id: string) =>
  new CallyardError(
    'conflict',
    `${at.address} is ${recorded} at target ${at.target} in ${lockfileName}, not ${id}; nothing was sent`,
    {
      code: 'other-tool',
      hint: `update ${recorded}; or, to make ${id} this tool, adopt ${at.address}=${id}`,
      details: { ...at, recorded, id },
    },
  )
