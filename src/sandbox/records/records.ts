import { randomBytes } from 'node:crypto'
import { getErrorReason } from '../../lib/error.ts'
import type { Log } from '../event-schemas.ts'
import type { WorldOptions } from '../world-options.ts'
import { memoryJournal, type RecordJournal } from './memory-journal.ts'
import { Problem } from './problem.ts'
import { createStore, markInterrupted, type RecordEntry, type RecordStore, type Team } from './store.ts'

interface LoadedRecords {
  readonly store: RecordStore
  readonly team: Team
}

export interface OpenedRecords extends LoadedRecords {
  readonly journal: RecordJournal
}

/** The records of a session, on the disk before they are announced. Once the session has ended, no change to them has any effect. */
export interface Records extends LoadedRecords {
  /** @throws Problem 507 when the journal cannot be written, or the reason of the session's end; then nothing changed */
  save(entry: RecordEntry): Promise<void>
  /** Takes effect at once and is written later: for events of calls, for which no response waits. */
  keep(entry: RecordEntry): void
  /** One at a time, for a change that depends on what is there. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
}

interface RecordsOptions extends WorldOptions {
  /** In place of the entries. */
  readonly store?: RecordStore | undefined
  /** Default id of the team, if the journal contains none. */
  readonly newTeamId: () => string
}

/** @throws CallyardError of openJournal */
export async function openRecords(options: RecordsOptions): Promise<OpenedRecords> {
  const { data, entries = [] } = options
  const load = (store: RecordStore) => {
    const { teamId, apiKey } = store.team() ?? {
      teamId: options.newTeamId(),
      apiKey: `cy_sandbox_${randomBytes(24).toString('base64url')}`,
    }
    const team: Team = { kind: 'team', version: 1, teamId, apiKey: options.apiKey ?? apiKey }
    store.apply(team)
    return { store, team }
  }
  if (data === undefined) {
    const store = options.store ?? createStore(entries.map(markInterrupted))
    return { ...load(store), journal: memoryJournal }
  }
  const { openJournal } = await import('./record-journal.ts')
  const { loaded, journal } = await openJournal(data, { ...options, load })
  return { ...loaded, journal }
}

export function createRecords(
  { store, team, journal }: OpenedRecords,
  { log, closed }: { readonly log: Log; readonly closed: AbortSignal },
): Records {
  let last: Promise<unknown> = Promise.resolve()
  return {
    store,
    team,
    async save(entry) {
      try {
        await journal.append(entry, closed)
      } catch (error) {
        throw notWritten(error, log)
      }
      store.apply(entry)
    },
    keep(entry) {
      if (closed.aborted) return
      store.apply(entry)
      journal.append(entry, closed).catch(error => log({ kind: 'warning', message: getErrorReason(error) }))
    },
    exclusively(work) {
      const result = last.then(work)
      last = result.catch(() => {})
      return result
    },
  }
}

/** Converts an error of the journal to a problem, and warns of it. */
export function notWritten(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error
  const reason = getErrorReason(error)
  log({ kind: 'warning', message: reason })
  return new Problem(507, reason, { hint: 'nothing was changed; repair it and send the request again' })
}
