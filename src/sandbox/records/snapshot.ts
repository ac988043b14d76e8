import * as z from 'zod/mini'
import { check } from '../../interface/check.ts'
import { named, required } from '../../interface/fields.ts'
import { isObject, nestsAtMost } from '../../lib/json.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import { invalidBody, invalidField } from './problem.ts'
import {
  type Counters,
  countersSchema,
  createStore,
  markInterrupted,
  maxCounter,
  type RecordEntry,
  type RecordStore,
  snapshotEntrySchema,
  type Team,
} from './store.ts'

const format = 'callyard-sandbox'

export const sandboxSnapshotSchema = lazy(() => {
  const { now, ids, requests } = countersSchema().shape
  return named(
    'Snapshot',
    z.strictObject({
      format: required(z.literal(format), 'What this is'),
      version: required(z.literal(1), 'Of the format'),
      clock: required(z.strictObject({ now }), 'The time of the sandbox'),
      ids: required(ids, 'How many ids were given out'),
      requests: required(requests, 'How many requests came to the endpoints'),
      entries: required(z.array(snapshotEntrySchema()), 'The records'),
    }),
  )
})

/** Records of a world with the state of ids and clock: plain JSON, without a key. */
export type SandboxSnapshot = Infer<typeof sandboxSnapshotSchema>

/** Stays as it is when the records change. */
export function toSnapshot(store: RecordStore, { ids, requests, now }: Counters): SandboxSnapshot {
  const entries = store.snapshot().filter(({ kind }) => kind !== 'team' && kind !== 'counters')
  const counters = { ids: Math.min(ids, maxCounter), requests: Math.min(requests, maxCounter) }
  return JSON.parse(JSON.stringify({ format, version: 1, clock: { now }, ...counters, entries }))
}

/** Not parsed: that would put the fields of a record in another order. */
export function isSnapshot(value: unknown): value is SandboxSnapshot {
  return check(sandboxSnapshotSchema(), value).length === 0
}

/** Levels, as of a body: writing deeper ones recurses. */
const maxNesting = 200

/**
 * Assigns the records to this team. Calls that were in progress have ended. `assistantSchema` has the assistant fields that a call reads.
 * @throws Problem 422
 */
export function readSnapshot(snapshot: unknown, team: Team, assistantSchema: z.ZodMiniType) {
  if (!nestsAtMost(snapshot, maxNesting))
    throw invalidField([], 'too-deep', `the snapshot is nested deeper than ${maxNesting} levels`)
  if (!isSnapshot(snapshot)) throw invalidBody(check(sandboxSnapshotSchema(), snapshot))
  const findings = snapshot.entries.flatMap((entry, index) =>
    entry.kind === 'assistant'
      ? check(assistantSchema, entry.record).map(finding => ({
          ...finding,
          path: ['entries', index, 'record', ...finding.path],
        }))
      : [],
  )
  if (findings.length > 0) throw invalidBody(findings)
  const { entries, clock, ids, requests } = structuredClone(snapshot)
  return {
    store: createStore(entries.map(entry => markInterrupted(ofTeam(entry, team)))),
    counters: { ids, requests, now: clock.now },
  }
}

function ofTeam(entry: RecordEntry, { teamId }: Team): RecordEntry {
  if (entry.kind === 'call') return { ...entry, record: { ...entry.record, teamId } }
  if (!('record' in entry) || !isObject(entry.record) || entry.record.teamId === undefined) return entry
  return { ...entry, record: { ...entry.record, teamId } }
}
