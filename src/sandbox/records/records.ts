import { randomBytes } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/error.ts'
import type { Log } from '../events.ts'
import { memoryJournal, openJournal, type RecordJournal } from './journal.ts'
import { Problem } from './problem.ts'
import type { RecordEntry, Team } from './store.ts'
import { createStore, type RecordStore } from './store.ts'

/** The records, on the disk before they are announced. */
export interface Records {
  readonly store: RecordStore
  readonly team: Team
  /** @throws Problem 507 when the journal cannot be written; then nothing changed */
  save(entry: RecordEntry): Promise<void>
  /** Takes effect at once and is written later: for what happens to a call, where nobody waits for an answer. */
  keep(entry: RecordEntry): void
  /** One at a time, for a change that depends on what is there. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

interface RecordsOptions {
  /** The journal; undefined keeps nothing. */
  readonly data?: string | undefined
  /** Records to begin with, where nothing is kept. */
  readonly entries?: readonly RecordEntry[] | undefined
  /** Instead of the key that the journal holds, or of a new one. */
  readonly apiKey?: string | undefined
  /** Id of the team, where the journal holds none. */
  readonly newTeamId: () => string
  readonly clock: Clock
  readonly log: Log
}

/** @throws CallwrightError of openJournal */
export async function openRecords({
  data,
  entries: given = [],
  apiKey,
  newTeamId,
  clock,
  log,
}: RecordsOptions): Promise<Records> {
  const compact = (entries: readonly RecordEntry[]) => {
    const store = createStore(entries.map(interrupted))
    const { teamId, apiKey: kept } = store.team() ?? { teamId: newTeamId(), apiKey: newApiKey() }
    store.apply({ kind: 'team', version: 1, teamId, apiKey: apiKey ?? kept })
    return store.snapshot()
  }
  const { entries, journal } =
    data === undefined
      ? { entries: compact(given), journal: memoryJournal }
      : await openJournal(data, { compact, clock })
  return createRecords(createStore(entries), journal, log)
}

function newApiKey(): string {
  return `cw_sandbox_${randomBytes(24).toString('base64url')}`
}

/** A call that ran when the sandbox was killed is over. */
function interrupted(entry: RecordEntry): RecordEntry {
  if (entry.kind !== 'call' || entry.record.status === 'completed' || entry.record.status === 'forwarded')
    return entry
  const { record } = entry
  return {
    kind: 'call',
    record: { ...record, status: 'completed', endAt: record.updatedAt, callEndTriggerBy: 'system' },
  }
}

function createRecords(store: RecordStore, journal: RecordJournal, log: Log): Records {
  const team = store.team()
  if (team === undefined) throw new Error('a snapshot always holds the team')
  let last: Promise<unknown> = Promise.resolve()
  return {
    store,
    team,
    async save(entry) {
      try {
        await journal.append(entry)
      } catch (error) {
        const reason = reasonOf(error)
        log({ kind: 'warning', message: reason })
        throw new Problem(507, reason, { hint: 'nothing was changed; repair it and send the request again' })
      }
      store.apply(entry)
    },
    keep(entry) {
      store.apply(entry)
      journal.append(entry).catch(error => {
        log({ kind: 'warning', message: reasonOf(error) })
      })
    },
    exclusively(work) {
      const result = last.then(work)
      last = result.catch(() => {})
      return result
    },
    close: () => journal.close(),
  }
}
