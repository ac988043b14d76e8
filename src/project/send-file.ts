import { CallwrightError } from '../lib/error.ts'
import type { Done, ServiceAnswer } from './apply/send-resource.ts'
import { createResource, updateResource } from './apply/send-resource.ts'
import { type CheckedResource, type CheckResourceOptions, checkResource } from './check-resource.ts'
import { projectError } from './errors.ts'
import { needsOf, type Resource, type ResourceInProject } from './load/find-resources.ts'
import type { Recorded } from './lockfile/lockfile.ts'
import { jobOf } from './open-project.ts'
import {
  type LockedTarget,
  lockTarget,
  type ProjectDeps,
  type TargetOptions,
  withTarget,
} from './open-target.ts'
import { fieldsOf, planTool } from './plan/plan-resource.ts'
import { snapshotOf } from './snapshot.ts'

export interface SendEvents {
  /** The file passed its check, with or without warnings. */
  onChecked(checked: CheckedResource): void
  /** Awaited before the first request: what throws here sends nothing. */
  beforeSending(): Promise<void>
}

export interface CreateOptions extends CheckResourceOptions {
  /** Create another one of a file that the target has already. */
  readonly again?: boolean | undefined
}

/**
 * Creates a tool or an assistant from its file in a project as apply would: the same lock, the same lockfile, the intent
 * written down before the POST.
 * @throws CallwrightError `conflict` for one that the target has, or may have, already
 */
export async function createFromFile(
  file: ResourceInProject & { readonly kind: 'tool' | 'assistant' },
  options: CreateOptions,
  deps: ProjectDeps,
  events: SendEvents,
): Promise<Done> {
  return withLock(file, options, deps, async locked => {
    const found = await checkResource(file.path, file.kind, options, deps)
    events.onChecked(found)
    assertNew(locked, file, options)
    await events.beforeSending()
    const resource = asResource(file, found)
    return createResource(resource, await jobOf(locked, alone(resource, found, locked), deps))
  })
}

/**
 * Updates a tool by its file in a project as apply would: the same comparison, lock and lockfile. Undefined where nothing
 * changed since it was sent last.
 * @throws CallwrightError `conflict` where the target has another tool for the file, `partial` where it cannot be updated
 */
export async function updateFromFile(
  file: ResourceInProject,
  { id, ...options }: CheckResourceOptions & { readonly id: string },
  deps: ProjectDeps,
  events: SendEvents,
): Promise<{ readonly answer: ServiceAnswer | undefined; readonly fields: readonly string[] } | undefined> {
  return withLock(file, options, deps, async locked => {
    const { store, target } = locked
    const { address } = file
    const found = await checkResource(file.path, 'tool', options, deps)
    events.onChecked(found)
    const known = store.recorded(address)
    if (known?.id !== undefined && known.id !== id) {
      const { name } = target
      throw projectError('conflict', 'other-tool', {
        address,
        target: name,
        recorded: known.id,
        id,
        given: options.target,
      })
    }
    assertSettled(known, file, options)
    const recorded = known?.id === undefined ? { id, body: {} } : known
    const resource = asResource(file, found)
    const { hash } = locked.state()
    const snapshot = snapshotOf(found.checked, { hash, idOf: found.fingerprintOf(hash) })
    const action = planTool(resource, { recorded, snapshot })
    if (action.action === 'unchanged') return undefined
    if (action.action === 'blocked') {
      throw projectError('partial', 'update-blocked', { address, id, why: action.why })
    }
    await events.beforeSending()
    if (known?.id === undefined) await store.record(address, recorded)
    const job = await jobOf(locked, alone(resource, found, locked), deps)
    const { answer } = await updateResource(resource, action, job).catch(async error => {
      const isAnswered = error instanceof CallwrightError && error.details.outcome !== 'unknown'
      // An id that the service refused, or that is another team's, is not this tool's.
      if (isAnswered && known?.id === undefined) await store.record(address, known).catch(() => {})
      throw error
    })
    return { answer, fields: fieldsOf(action.changes) }
  })
}

async function withLock<Result>(
  { folder }: ResourceInProject,
  options: TargetOptions,
  deps: ProjectDeps,
  work: (locked: LockedTarget) => Promise<Result>,
): Promise<Result> {
  const locked = await lockTarget(folder, options, deps)
  return withTarget(locked, () => work(locked))
}

function asResource(file: ResourceInProject, { checked }: CheckedResource): Resource {
  return { ...file, checked, needs: needsOf(checked) }
}

/** One resource, to be applied by itself. */
function alone(resource: Resource, { idOf, fingerprintOf }: CheckedResource, { state }: LockedTarget) {
  const resources = new Map([[resource.address, resource]])
  return { settings: {}, resources, idOf, fingerprintOf: fingerprintOf(state().hash) }
}

function assertNew({ store, target }: LockedTarget, file: ResourceInProject, options: CreateOptions): void {
  const { address } = file
  const known = store.recorded(address)
  assertSettled(known, file, options)
  if (known?.id === undefined || options.again === true) return
  const { id } = known
  throw projectError('conflict', 'created-already', {
    address,
    target: target.name,
    id,
    given: options.target,
  })
}

function assertSettled(
  known: Recorded | undefined,
  { address }: ResourceInProject,
  { target }: TargetOptions,
): void {
  if (known?.creating !== undefined)
    throw projectError('conflict', 'creation-unanswered', { address, given: target })
}
