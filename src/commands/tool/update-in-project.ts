import type { Context } from '../../context.ts'
import { CliError, InvalidInput } from '../../errors.ts'
import { formatFinding } from '../../output/diagnostics.ts'
import { bold, text } from '../../output/text.ts'
import { requireConnection } from '../../profile/settings.ts'
import { type Address, addressOf } from '../../project/address.ts'
import { updateResource } from '../../project/apply/update-resource.ts'
import { checkFileInProject, type ResourceInProject } from '../../project/load/file-in-project.ts'
import { lockfileName } from '../../project/lockfile/lockfile.ts'
import { planTool } from '../../project/plan/plan-tool.ts'
import { type IdOf, snapshotOf } from '../../project/snapshot/snapshot.ts'
import { type HeldProject, holdProject } from '../project/held-project.ts'
import { recordedResource } from '../project/recorded-resource.ts'

interface ProjectToolOptions {
  readonly id: string
  readonly allowUnknown?: boolean
}

/** Updates one tool of a project as apply would: the same comparison, the same lock, the same lockfile. */
export async function updateProjectTool(
  file: ResourceInProject,
  options: ProjectToolOptions,
  context: Context,
): Promise<void> {
  const held = await holdProject(file.folder, {}, context)
  try {
    await updateHeld(held, file, options, context)
  } finally {
    await held.lock.release()
  }
}

async function updateHeld(
  held: HeldProject,
  file: ResourceInProject,
  { id, allowUnknown }: ProjectToolOptions,
  context: Context,
): Promise<void> {
  const { store, lock, target } = held
  const { address } = file
  const { output, cwd, env, signal } = context
  const settings = await context.settings()
  const vocabulary = settings.vocabulary.value
  const checkOptions = { cwd, env, vocabulary, allowUnknown }
  const state = held.state()
  const ids = new Map<Address, { readonly id: string; readonly mark: string }>()
  const recordedId = recordedResource(context)
  const checked = await checkFileInProject(file.path, 'tool', checkOptions, async (other, project) => {
    const found = await recordedId(other, project)
    if ('text' in found) {
      const { text: id, concealed = false } = found
      ids.set(other.address, { id, mark: concealed ? state.hash(id) : id })
    }
    return found
  })
  if (checked.diagnostics.some(({ severity }) => severity === 'error'))
    throw new InvalidInput(checked.diagnostics)
  for (const warning of checked.diagnostics) output.warn(formatFinding(warning), warning.hint)

  const known = store.recorded(address)
  assertSameTool(known?.id, id, file, target.name)
  if (known?.creating !== undefined) throw unsettled(file)
  const recorded = known?.id === undefined ? { id, body: {} } : known
  const needs = checked.references.resources.map(({ kind, name }) => addressOf(kind, name))
  const resource = { ...file, checked, needs }
  const idOf: IdOf = other => ids.get(other)?.id
  const markOf: IdOf = other => ids.get(other)?.mark
  const action = planTool(resource, {
    recorded,
    snapshot: snapshotOf(checked, { hash: state.hash, idOf: markOf }),
  })
  if (action.action === 'unchanged') {
    return output.result(
      { _id: id, unchanged: true },
      () => text`Tool ${bold(id)} is up to date; nothing was sent`,
    )
  }
  if (action.action === 'blocked') {
    throw new CliError('partial', `${address} is not updated: ${action.reason ?? ''}; nothing was sent`, {
      hint: action.choices?.join('; or: '),
    })
  }
  requireConnection(settings)
  if (known?.id === undefined) await store.record(address, () => recorded)
  const { answer, summary } = await updateResource(resource, action, {
    target: target.name,
    baseUrl: target.baseUrl ?? '',
    settings: {},
    vocabulary,
    resources: new Map([[address, resource]]),
    store,
    ...state,
    idOf,
    markOf,
    api: context.api({ batch: true }),
    signal,
    assertAlone: lock.assertHeld,
  }).catch(async error => {
    const answered = error instanceof CliError && error.details.outcome !== 'unknown'
    // An id that the service refused, or that is another team's, is not this tool's.
    if (answered && known?.id === undefined) await store.record(address, () => known).catch(() => {})
    throw error
  })
  output.result(answer, () => text`Updated tool ${bold(id)}: ${summary.replace(/^updated /, '')}`)
}

function assertSameTool(
  known: string | undefined,
  id: string,
  { address }: ResourceInProject,
  target: string,
): void {
  if (known === undefined || known === id) return
  throw new CliError(
    'conflict',
    `${address} is ${known} at target ${target} in ${lockfileName}, not ${id}; nothing was sent`,
    {
      hint: `callwright tool update ${known} …; or, if ${id} is to be this tool: callwright apply --adopt ${address}=${id}`,
    },
  )
}

function unsettled({ address }: ResourceInProject): CliError {
  return new CliError(
    'conflict',
    `whether an earlier apply created ${address} is not known; nothing was sent`,
    {
      hint: `callwright apply --adopt ${address}=<id>, or --forget ${address}`,
    },
  )
}
