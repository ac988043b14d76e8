import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { requireConnection } from '../../profile/index.ts'
import { addressOf } from '../../project/address.ts'
import type { Done } from '../../project/apply/job.ts'
import { createResource } from '../../project/apply/send-resource.ts'
import { type ResourceInProject, resourceInProject } from '../../project/load/file-in-project.ts'
import { lockfileName, type Recorded } from '../../project/lockfile/lockfile.ts'
import { agreeToAccess } from './agree-to-access.ts'
import { checkResource } from './check-resource.ts'
import { type LockedProject, lockProject } from './locked-project.ts'
import { applyCommand, type ProjectOptions } from './open-project.ts'
import { singleJob } from './single-job.ts'

export interface CreateOptions extends ProjectOptions {
  /** Create another one of a file that the target has already. */
  readonly again?: boolean
}

interface Created {
  readonly resource: ResourceInProject
  readonly done: Done
}

/**
 * Creates a tool or an assistant from its file in a project as apply would: the same lock, the same lockfile, the intent
 * written down before the POST. Undefined for a file that is no such resource of a project.
 * @throws CliError `conflict` for one that the target has, or may have, already
 */
export async function createInProject(
  file: string,
  kind: 'tool' | 'assistant',
  options: CreateOptions,
  context: Context,
): Promise<Created | undefined> {
  const resource = await resourceInProject(file, context.files)
  if (resource?.kind !== kind) return undefined
  const held = await lockProject(resource.folder, options, context)
  try {
    return { resource, done: await createHeld(held, resource, kind, options, context) }
  } finally {
    await held.lock.release()
  }
}

async function createHeld(
  held: LockedProject,
  file: ResourceInProject,
  kind: 'tool' | 'assistant',
  options: CreateOptions,
  context: Context,
): Promise<Done> {
  const found = await checkResource(file.path, kind, options, context)
  assertNew(held.store.recorded(file.address), file, held.target.name, options)
  requireConnection(await context.settings())
  await agreeToAccess(context)
  const { checked } = found
  const needs = checked.references.resources.map(each => addressOf(each.kind, each.name))
  const resource = { ...file, checked, needs }
  return createResource(resource, await singleJob(held, resource, found, context))
}

function assertNew(
  known: Recorded | undefined,
  { address }: ResourceInProject,
  target: string,
  options: CreateOptions,
): void {
  if (known?.creating !== undefined) throw unsettled(address, options)
  if (known?.id === undefined || options.again === true) return
  throw new CallwrightError(
    'conflict',
    `${address} is ${known.id} at target ${target} in ${lockfileName} already; nothing was sent`,
    { hint: `--again creates another one; to send what changed: ${applyCommand(options)}` },
  )
}

/** The conflict of a resource whose creation has no answer yet. */
export function unsettled(address: string, options: Pick<ProjectOptions, 'target'>): CallwrightError {
  return new CallwrightError(
    'conflict',
    `whether an earlier run created ${address} is not known; nothing was sent`,
    { hint: `${applyCommand(options)} --adopt ${address}=<id>, or --forget ${address}` },
  )
}
