import { randomBytes } from 'node:crypto'
import { getErrorReason } from '../../lib/error.ts'
import type { Log } from '../event-schemas.ts'
import type { WorldOptions } from '../world-options.ts'
import { memoryJournal, type RecordJournal } from './memory-journal.ts'
import { Problem, wasReplaced } from './problem.ts'
import { createStore, markInterrupted, type RecordEntry, type RecordStore, type Team } from './store.ts'

interface LoadedRecords {
  readonly store: RecordStore
  readonly team: Team
}

/** The records, on the disk before they are announced. Once others have replaced them, no change to them has any effect. */
export interface Records extends LoadedRecords {
  /** @throws Problem 507 when the journal cannot be written, 409 when others replaced these; then nothing changed */
  save(entry: RecordEntry): Promise<void>
  /** Takes effect at once and is written later: for events of calls, for which no response waits. */
  keep(entry: RecordEntry): void
  /** One at a time, for a change that depends on what is there. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Puts the records of another store in the place of all that is kept, and calls `onReplaced` with them. Without a journal that
   * happens before it returns; with one when they are on the disk, so that a kill leaves the old records or the new ones.
   * @throws Problem 507 when the journal cannot be written; then nothing changed
   */
  replace(store: RecordStore, onReplaced: (records: Records) => void): Promise<void>
  close(): Promise<void>
}

interface RecordsOptions extends WorldOptions {
  /** In place of the entries. */
  readonly store?: RecordStore | undefined
  /** Default id of the team, if the journal contains none. */
  readonly newTeamId: () => string
  readonly log: Log
}

/** @throws CallyardError of openJournal */
export async function openRecords(options: RecordsOptions): Promise<Records> {
  const { data, entries = [], log } = options
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
    return createRecords(load(store), memoryJournal, log)
  }
  const { openJournal } = await import('./record-journal.ts')
  const { loaded, journal } = await openJournal(data, { ...options, load })
  return createRecords(loaded, journal, log)
}

function createRecords({ store, team }: LoadedRecords, journal: RecordJournal, log: Log): Records {
  let last: Promise<unknown> = Promise.resolve()
  let replaced = false
  const isCurrent = () => !replaced
  const notWritten = (error: unknown) => {
    if (error instanceof Problem) return error
    const reason = getErrorReason(error)
    log({ kind: 'warning', message: reason })
    return new Problem(507, reason, { hint: 'nothing was changed; repair it and send the request again' })
  }
  return {
    store,
    team,
    async save(entry) {
      try {
        await journal.append(entry, isCurrent)
      } catch (error) {
        throw notWritten(error)
      }
      store.apply(entry)
    },
    keep(entry) {
      if (replaced) return
      store.apply(entry)
      journal.append(entry, isCurrent).catch(error => {
        if (!replaced) log({ kind: 'warning', message: getErrorReason(error) })
      })
    },
    exclusively(work) {
      const result = last.then(work)
      last = result.catch(() => {})
      return result
    },
    async replace(next, onReplaced) {
      if (replaced) throw wasReplaced()
      next.apply(team)
      try {
        await journal.replace(next, isCurrent, () => {
          replaced = true
          onReplaced(createRecords({ store: next, team }, journal, log))
        })
      } catch (error) {
        throw notWritten(error)
      }
    },
    close: journal.close,
  }
}
