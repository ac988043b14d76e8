import type { ZodMiniType } from 'zod/mini'
import { withDefaults } from '../../interface/vocabulary.ts'
import type { Recorded } from '../lockfile/lockfile.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { FieldChange } from './actions.ts'
import { diffSnapshots } from './diff.ts'

/**
 * What an update has to change: what differs from what was sent last, and what an earlier update may have changed whose
 * answer never came. Pure.
 */
export function changesSince(recorded: Recorded, snapshot: Snapshot): FieldChange[] {
  const changes = diffSnapshots(recorded, snapshot)
  const { updating } = recorded
  if (updating === undefined) return changes
  const named = fieldsOf(changes)
  const uncertain = fieldsOf(diffSnapshots(recorded, updating)).filter(field => !named.includes(field))
  return [
    ...changes,
    ...uncertain.map((field): FieldChange => {
      const notes = ['an earlier update ended without an answer; it is sent again to be sure']
      return Object.hasOwn(snapshot.body, field)
        ? { path: [field], kind: 'changed', after: snapshot.body[field], notes }
        : { path: [field], kind: 'removed', before: updating.body[field], notes }
    }),
  ]
}

/**
 * What is written down while one more update is on its way. A field that an earlier one without an answer may have changed,
 * and that this one sends as it was before both, is no longer known to be so: it is left out of the body, and with that
 * sent again until an answer comes. Pure.
 */
export function withUpdate(recorded: Recorded, snapshot: Snapshot): Recorded {
  const { updating, body } = recorded
  if (updating === undefined) return { ...recorded, updating: snapshot }
  const changed = fieldsOf(diffSnapshots(recorded, snapshot))
  const unknown = fieldsOf(diffSnapshots(recorded, updating)).filter(field => !changed.includes(field))
  const among = (fields: Snapshot['body'], wanted: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => unknown.includes(field) === wanted))
  return {
    ...recorded,
    body: among(body, false),
    updating: {
      ...snapshot,
      body: { ...among(updating.body, true), ...snapshot.body },
    },
  }
}

/** The fields of the body that hold changes, each once. */
export function fieldsOf(changes: readonly FieldChange[]): string[] {
  return [...new Set(changes.map(({ path }) => String(path[0])))]
}

/**
 * The body of an update by PATCH: each changed field whole, and nothing else. A field that the file no longer has goes out
 * with the default that the interface gives it. `body` is what would be sent whole.
 */
export function changedFields(
  body: Readonly<Record<string, unknown>>,
  changes: readonly FieldChange[],
  schema: ZodMiniType,
): Record<string, unknown> {
  const filled = withDefaults(schema, body)
  return Object.fromEntries(
    fieldsOf(changes).flatMap(field => (Object.hasOwn(filled, field) ? [[field, filled[field]]] : [])),
  )
}

/** Removed fields that no PATCH can take back: the interface gives them no default. */
export function irremovable(changes: readonly FieldChange[], schema: ZodMiniType): string[] {
  const defaults = withDefaults(schema, {})
  return changes.flatMap(({ kind, path }) =>
    kind === 'removed' && path.length === 1 && !Object.hasOwn(defaults, String(path[0]))
      ? [String(path[0])]
      : [],
  )
}
