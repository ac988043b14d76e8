import { isDeepStrictEqual } from 'node:util'
import type { Address } from '../../files/formats/address.ts'
import { parseTemplate } from '../../files/source/index.ts'
import {
  entriesAt,
  type FileEntry,
  placedIds,
  planFile,
  pushedEntries,
  readEntries,
  recover,
} from '../faq/index.ts'
import {
  type EntryText,
  findEntryText,
  ledgerView,
  type PushLedger,
  unknownContent,
} from '../lockfile/entries/index.ts'
import type { ResourceState, Snapshot } from '../lockfile/index.ts'
import type { Rendering } from '../rendering/index.ts'
import type { Resource } from '../resources/index.ts'
import { diffSnapshots } from './diff.ts'
import { notes } from './notes.ts'
import type { Action, EntryChange, FieldChange } from './plan-schema.ts'

/** A file, and what is recorded of it at a target. */
export interface EntryState {
  readonly lastState: ResourceState | undefined
  readonly rendering: Rendering
  isOwnedByOtherTarget(key: string): boolean
}

interface KnowledgeBasePlan extends EntryState {
  /** The name under which the lockfile has these entries, where the file was renamed. */
  readonly former: Address | undefined
}

/** interface.md 4.6 and 4.7: entries are inserted and updated. There is no way to create a knowledge base or to delete. */
export function planKnowledgeBase(
  { address, needs, checked }: Resource,
  { former, ...state }: KnowledgeBasePlan,
): Action {
  const common = { address, file: checked.source.file, needs }
  if (former !== undefined)
    return { ...common, action: 'blocked', changes: [], why: { code: 'renamed-file', former } }
  const { lastState, rendering } = state
  const identityChanges = changedIdentity(lastState, rendering.fingerprint())
  if (identityChanges.length > 0)
    return { ...common, action: 'blocked', changes: identityChanges, why: { code: 'other-knowledge-base' } }
  const plan = planEntries(checked, state)
  const { ledger, placed, inserts, updates, unchanged } = plan
  const changes = [
    ...inserts.map(entry => describeEntryChange('insert', entry)),
    ...updates.map(entry => ({
      ...describeEntryChange('update', entry),
      ...changedText(entry, ledger, lastState),
    })),
  ]
  const orphaned = plan.orphaned.flatMap((key): EntryChange[] => {
    const id = ledger.idOf(key)
    const { question } = findEntryText(lastState, key) ?? {}
    return id === undefined
      ? []
      : [{ action: 'orphaned', id, ...(typeof question === 'string' ? { question } : {}) }]
  })
  return {
    ...common,
    // What an earlier apply left to be written down, or the file lost, is something to be done, too.
    action:
      changes.length === 0 && placed.size === 0 && lastState?.pending === undefined ? 'unchanged' : 'update',
    changes: [],
    entries: [...changes, ...orphaned],
    unchangedEntries: unchanged.length,
  }
}

/** Compares the entries of a file with those that are recorded. */
export function planEntries(
  checked: Resource['checked'],
  { lastState, rendering, isOwnedByOtherTarget }: EntryState,
) {
  const ledger = ledgerView(lastState, isOwnedByOtherTarget)
  const entries = entriesAt(readEntries(checked.source, checked.body, rendering), ledger)
  const earlier = recover(ledger, entries)
  const placed = placedIds(earlier)
  const keptKeys = new Set([
    ...entries.flatMap(({ key }) => key ?? []),
    ...[...placed.values()].map(({ key }) => key),
  ])
  return {
    ledger,
    placed,
    ...planFile(entries, ledger, placed, pushedEntries(earlier)),
    /** Keys of recorded entries that the file no longer has; the service keeps them. */
    orphaned: Object.keys(lastState?.entries ?? {}).filter(key => !keptKeys.has(key)),
  }
}

/**
 * Returns the changes if the file names a different knowledge base than the recorded entries belong to, because their ids are not valid
 * there; empty without recorded entries.
 */
export function changedIdentity(lastState: ResourceState | undefined, snapshot: Snapshot): FieldChange[] {
  if (lastState?.body.knowledgeBaseId === undefined) return []
  const { entries = {}, pending } = lastState
  const holds = pending !== undefined || Object.values(entries).some(entry => entry !== null)
  return holds ? diffSnapshots(lastState, withoutEntries(snapshot)) : []
}

/** Returns the recorded part of a knowledge base without its entries: its id, and the references in it. */
export function withoutEntries({ body, env, files }: Snapshot): Snapshot {
  const { knowledgeBaseId } = body
  const segments = typeof knowledgeBaseId === 'string' ? parseTemplate(knowledgeBaseId) : []
  const named = new Set(
    segments.flatMap(segment =>
      segment.kind === 'env' ? [segment.name] : segment.kind === 'file' ? [segment.path] : [],
    ),
  )
  const only = <Value>(values: Readonly<Record<string, Value>> | undefined) => {
    const keptValues = Object.entries(values ?? {}).filter(([name]) => named.has(name))
    return keptValues.length === 0 ? undefined : Object.fromEntries(keptValues)
  }
  return { body: { knowledgeBaseId }, env: only(env), files: only(files) }
}

function describeEntryChange(action: 'insert' | 'update', entry: FileEntry): EntryChange {
  const { id, label: question } = entry
  const line = entry.position()?.line
  // Literals, because spreads would take twice the memory, and there may be a million entries.
  if (line === undefined) return id === undefined ? { action, question } : { action, id, question }
  return id === undefined ? { action, question, line } : { action, id, question, line }
}

/** Compares an updated entry with the last sent one, if its text is recorded. Pure. */
function changedText(
  { key, id, text: after }: FileEntry,
  ledger: PushLedger,
  lastState: ResourceState | undefined,
): Partial<EntryChange> {
  const entryKey = key ?? id
  if (entryKey === undefined) return {}
  const hash = ledger.pushed(entryKey)
  if (hash === undefined) return { note: notes.notRecorded }
  const before = findEntryText(lastState, entryKey)
  const changes = before && fieldChanges(before, after)
  const note = noteOn(hash, changes, after)
  return { ...(changes?.length ? { changes } : {}), ...(note === undefined ? {} : { note }) }
}

function fieldChanges(before: EntryText, after: EntryText): FieldChange[] {
  const fields = new Set([...Object.keys(after), ...Object.keys(before)])
  return [...fields].flatMap((field): FieldChange[] => {
    const path = [field]
    if (!Object.hasOwn(before, field)) return [{ path, kind: 'added', after: after[field], notes: [] }]
    if (!Object.hasOwn(after, field)) return [{ path, kind: 'removed', before: before[field], notes: [] }]
    if (isDeepStrictEqual(before[field], after[field])) return []
    return [{ path, kind: 'changed', before: before[field], after: after[field], notes: [] }]
  })
}

function noteOn(
  hash: string,
  changes: readonly FieldChange[] | undefined,
  after: EntryText,
): string | undefined {
  if (hash === unknownContent) return notes.unansweredUpdate
  if (changes?.length !== 0) return undefined
  const segments = Object.values(after).flatMap(value =>
    typeof value === 'string' ? parseTemplate(value) : [],
  )
  const names = new Set(segments.flatMap(segment => (segment.kind === 'env' ? segment.written : [])))
  return names.size === 0 ? notes.changedIds : notes.changedValue([...names])
}
