import type { ZodMiniType } from 'zod/mini'
import { type Project as ProjectSettings, parseEndpoint } from '../../files/formats/project.ts'
import { assistantSchema } from '../../interface/assistant.ts'
import { toolUpdateSchema } from '../../interface/tool.ts'
import { withDefaults } from '../../interface/vocabulary.ts'
import type { ResourceState, Snapshot } from '../lockfile/index.ts'
import type { Resource } from '../resources/index.ts'
import { diffSnapshots } from './diff.ts'
import { notes } from './notes.ts'
import type { Action, FieldChange } from './plan-schema.ts'

/** interface.md 4.4 and 4.5: a tool is created, and each of its fields updated. */
export function planTool(
  { address, needs, checked }: Resource,
  { lastState, snapshot }: { readonly lastState: ResourceState | undefined; readonly snapshot: Snapshot },
): Action {
  const common = { address, file: checked.source.file, needs }
  if (lastState?.id === undefined) return { ...common, action: 'create', changes: [] }
  const id = lastState.id
  // `type` has only one value and is not part of an update; an adopted tool has none recorded.
  const changes = changesSince(lastState, snapshot).filter(({ path }) => path[0] !== 'type')
  if (changes.length === 0) return { ...common, action: 'unchanged', id, changes }
  const fixed = irremovable(changes, toolUpdateSchema())
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
  readonly lastState: ResourceState | undefined
  readonly snapshot: Snapshot
  readonly settings: ProjectSettings
}

/**
 * interface.md 4.3: an assistant is created. The interface has no update, so a changed one is blocked, unless the project
 * says that a new one takes its place, or that its deployment has an endpoint for it.
 */
export function planAssistant(
  { address, needs, checked }: Resource,
  { lastState, snapshot, settings }: AssistantPlan,
): Action {
  const common = { address, file: checked.source.file, needs }
  if (lastState?.id === undefined) return { ...common, action: 'create', changes: [] }
  const id = lastState.id
  const changes = changesSince(lastState, snapshot)
  const changed = { ...common, id, changes }
  if (changes.length === 0) return { ...changed, action: 'unchanged' }
  const endpoint = settings.endpoints?.updateAssistant
  if (endpoint !== undefined) {
    const fixed = parseEndpoint(endpoint).method === 'PATCH' ? irremovable(changes, assistantSchema()) : []
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

/**
 * Returns the fields to update: those that differ from the last sent body, and those of an earlier update without a response. Pure.
 */
export function changesSince(lastState: ResourceState, snapshot: Snapshot): FieldChange[] {
  const changes = diffSnapshots(lastState, snapshot)
  const { updating } = lastState
  if (updating === undefined) return changes
  const named = listFields(changes)
  const uncertain = listFields(diffSnapshots(lastState, updating)).filter(field => !named.includes(field))
  return [
    ...changes,
    ...uncertain.map((field): FieldChange => {
      const common = { path: [field], notes: [notes.unansweredUpdate] }
      return Object.hasOwn(snapshot.body, field)
        ? { ...common, kind: 'changed', after: snapshot.body[field] }
        : { ...common, kind: 'removed', before: updating.body[field] }
    }),
  ]
}

/**
 * Returns the state to record before another update is sent. A field that an earlier update without a response may have changed, and
 * that this one resets, is unknown: it is removed from the recorded body, and therefore sent again until a response arrives. Pure.
 */
export function withUpdate(lastState: ResourceState, snapshot: Snapshot): ResourceState {
  const { updating, body } = lastState
  if (updating === undefined) return { ...lastState, updating: snapshot }
  const fields = listFields(diffSnapshots(lastState, snapshot))
  const unknown = listFields(diffSnapshots(lastState, updating)).filter(field => !fields.includes(field))
  const among = (fields: Snapshot['body'], isUnknown: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => unknown.includes(field) === isUnknown))
  return {
    ...lastState,
    body: among(body, false),
    updating: {
      ...snapshot,
      body: { ...among(updating.body, true), ...snapshot.body },
    },
  }
}

/** The fields of the body that hold changes, each once. */
export function listFields(changes: readonly FieldChange[]): string[] {
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
  const completeBody = withDefaults(schema, body)
  return Object.fromEntries(listFields(changes).map(field => [field, completeBody[field]]))
}

/** Removed fields that no PATCH can take back: the interface gives them no default. */
function irremovable(changes: readonly FieldChange[], schema: ZodMiniType): string[] {
  const defaults = withDefaults(schema, {})
  return changes.flatMap(({ kind, path }) =>
    kind === 'removed' && path.length === 1 && !Object.hasOwn(defaults, String(path[0]))
      ? [String(path[0])]
      : [],
  )
}
