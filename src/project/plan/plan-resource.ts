import { assistantSchema } from '../../interface/assistant.ts'
import { type Project as ProjectSettings, parseEndpoint } from '../../interface/project.ts'
import { toolUpdateSchema } from '../../interface/tool.ts'
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
  return {
    ...common,
    action: 'blocked',
    id,
    changes,
    why: { code: 'fixed-fields', fields: fixed },
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
      why: { code: 'patched-fields', fields: fixed },
    }
  }
  return settings.assistants === 'replace'
    ? { ...changed, action: 'replace', why: { code: 'replaced' } }
    : { ...changed, action: 'blocked', why: { code: 'no-assistant-update' } }
}
