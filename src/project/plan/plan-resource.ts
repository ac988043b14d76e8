import { assistantSchema } from '../../interface/assistant.ts'
import { type Project as ProjectSettings, parseEndpoint } from '../../interface/project.ts'
import { toolUpdateSchema } from '../../interface/tool.ts'
import { projectFileName } from '../../source/index.ts'
import type { Resource } from '../load/find-resources.ts'
import type { Recorded } from '../lockfile/lockfile.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { Action } from './actions.ts'
import { changesSince, irremovable } from './changes.ts'

/** interface.md 4.4 and 4.5: a tool is created, and each of its fields updated. */
export function planTool(
  { address, needs, checked }: Resource,
  { recorded, snapshot }: { readonly recorded: Recorded | undefined; readonly snapshot: Snapshot },
): Action {
  const common = { address, file: checked.source.file, needs }
  if (recorded?.id === undefined) return { ...common, action: 'create', changes: [] }
  const id = recorded.id
  // `type` has one value and is no part of an update; a tool that was adopted has none on record.
  const changes = changesSince(recorded, snapshot).filter(({ path }) => path[0] !== 'type')
  if (changes.length === 0) return { ...common, action: 'unchanged', id, changes }
  const fixed = irremovable(changes, toolUpdateSchema)
  if (fixed.length === 0) return { ...common, action: 'update', id, changes }
  const fields = fixed.join(' and ')
  return {
    ...common,
    action: 'blocked',
    id,
    changes,
    reason: `the interface has no way to take ${fields} from a tool`,
    choices: [
      `give ${fields} a value that says nothing, such as ${fixed[0] === 'messages' ? 'messages: []' : `${fixed[0]}: {}`}`,
      `callwright apply --forget ${address}=${id} creates the tool anew, under a new id; ${id} stays until it is deleted at the service`,
    ],
  }
}

interface AssistantPlan {
  readonly recorded: Recorded | undefined
  readonly snapshot: Snapshot
  readonly settings: Pick<ProjectSettings, 'assistants' | 'endpoints'>
}

/**
 * interface.md 4.3: an assistant is created. The interface has no update, so a changed one is blocked, unless the project
 * says that a new one takes its place, or that its deployment has an endpoint for it.
 */
export function planAssistant(
  { address, needs, checked }: Resource,
  { recorded, snapshot, settings }: AssistantPlan,
): Action {
  const common = { address, file: checked.source.file, needs }
  if (recorded?.id === undefined) return { ...common, action: 'create', changes: [] }
  const id = recorded.id
  const changes = changesSince(recorded, snapshot)
  const changed = { ...common, id, changes }
  if (changes.length === 0) return { ...changed, action: 'unchanged' }
  const declared = settings.endpoints?.updateAssistant
  if (declared !== undefined) {
    const fixed = parseEndpoint(declared).method === 'PATCH' ? irremovable(changes, assistantSchema()) : []
    if (fixed.length === 0) return { ...changed, action: 'update' }
    return {
      ...changed,
      action: 'blocked',
      reason: `a PATCH cannot take ${fixed.join(' and ')} away`,
      choices: [
        'give it a value',
        `declare an endpoint that takes the whole assistant in ${projectFileName}: endpoints: { updateAssistant: "PUT …" }`,
      ],
    }
  }
  if (settings.assistants === 'replace') {
    return {
      ...changed,
      action: 'replace',
      reason: `a new assistant is created in its place; ${id} stays until it is deleted at the service`,
    }
  }
  return {
    ...changed,
    action: 'blocked',
    reason: 'the interface has no update for assistants',
    choices: [
      `assistants: replace in ${projectFileName} creates it anew under a new id; ${id} stays until it is deleted at the service`,
      `endpoints: { updateAssistant: "PATCH /assistants/v1/assistants/{id}" } in ${projectFileName}, if this deployment has such an endpoint`,
    ],
  }
}
