import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { bold, text } from '../../lib/text/text.ts'
import { requireConnection } from '../../profile/index.ts'
import { addressOf } from '../../project/address.ts'
import { updateResource } from '../../project/apply/send-resource.ts'
import type { ResourceInProject } from '../../project/load/file-in-project.ts'
import { lockfileName } from '../../project/lockfile/lockfile.ts'
import { planTool } from '../../project/plan/plan-resource.ts'
import { snapshotOf } from '../../project/snapshot/snapshot.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { checkResource } from '../project/check-resource.ts'
import { unsettled } from '../project/create-in-project.ts'
import { type LockedProject, lockProject } from '../project/locked-project.ts'
import { applyCommand, type ProjectOptions } from '../project/open-project.ts'
import { singleJob } from '../project/single-job.ts'

interface ProjectToolOptions extends ProjectOptions {
  readonly id: string
}

/** Updates one tool of a project as apply would: the same comparison, the same lock, the same lockfile. */
export async function updateProjectTool(
  file: ResourceInProject,
  options: ProjectToolOptions,
  context: Context,
): Promise<void> {
  const held = await lockProject(file.folder, options, context)
  try {
    await updateHeld(held, file, options, context)
  } finally {
    await held.lock.release()
  }
}

async function updateHeld(
  held: LockedProject,
  file: ResourceInProject,
  options: ProjectToolOptions,
  context: Context,
): Promise<void> {
  const { store, target } = held
  const { address } = file
  const { id } = options
  const { output } = context
  const { hash } = held.state()
  const found = await checkResource(file.path, 'tool', options, context)
  const { checked } = found

  const known = store.recorded(address)
  assertSameTool(known?.id, file, target.name, options)
  if (known?.creating !== undefined) throw unsettled(address, options)
  const recorded = known?.id === undefined ? { id, body: {} } : known
  const needs = checked.references.resources.map(({ kind, name }) => addressOf(kind, name))
  const resource = { ...file, checked, needs }
  const snapshot = snapshotOf(checked, { hash, idOf: found.fingerprintOf(hash) })
  const action = planTool(resource, { recorded, snapshot })
  if (action.action === 'unchanged') {
    return output.result(
      { _id: id, unchanged: true },
      () => text`Tool ${bold(id)} is up to date; nothing was sent`,
    )
  }
  if (action.action === 'blocked') {
    throw new CallwrightError(
      'partial',
      `${address} is not updated: ${action.reason ?? ''}; nothing was sent`,
      {
        hint: action.choices?.join('; or: '),
      },
    )
  }
  requireConnection(await context.settings())
  await agreeToAccess(context)
  if (known?.id === undefined) await store.record(address, () => recorded)
  const job = await singleJob(held, resource, found, context)
  const { answer, summary } = await updateResource(resource, action, job).catch(async error => {
    const answered = error instanceof CallwrightError && error.details.outcome !== 'unknown'
    // An id that the service refused, or that is another team's, is not this tool's.
    if (answered && known?.id === undefined) await store.record(address, () => known).catch(() => {})
    throw error
  })
  output.result(answer, () => text`Updated tool ${bold(id)}: ${summary.replace(/^updated /, '')}`)
}

function assertSameTool(
  known: string | undefined,
  { address }: ResourceInProject,
  target: string,
  { id, ...options }: ProjectToolOptions,
): void {
  const given = options.target === undefined ? '' : ` --target ${options.target}`
  if (known === undefined || known === id) return
  throw new CallwrightError(
    'conflict',
    `${address} is ${known} at target ${target} in ${lockfileName}, not ${id}; nothing was sent`,
    {
      hint: `callwright tool update ${known} …${given}; or, if ${id} is to be this tool: ${applyCommand(options)} --adopt ${address}=${id}`,
    },
  )
}
