import { toolUpdateSchema } from '../../interface/tool.ts'
import type { Resource } from '../load/resource.ts'
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
  const id = recorded?.id
  if (recorded === undefined || id === undefined) return { ...common, action: 'create', changes: [] }
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
