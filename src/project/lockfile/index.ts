/** The lockfile: each target's last sent state, its journal, adopted and forgotten resources, and the ledger of pushed entries. */
export { ambiguousEntry } from './errors.ts'
export { journalPath, readLockfile } from './journal.ts'
export { loadLockText } from './lazy-lock-text.ts'
export { type LockStore, openLockStore, replayJournal, takeProjectLock, withTarget } from './lock-store.ts'
export {
  type LockVersion,
  readVersions,
} from './lock-versions.ts'
export {
  checkTeam,
  findState,
  formerIds,
  type Lockfile,
  type LockfilePart,
  lockfileLocation,
  lockfileName,
  newSalt,
  type ProjectTarget,
  type ResourceState,
  type Section,
  type Snapshot,
  selectSection,
} from './lockfile.ts'
export {
  adopt,
  forget,
  type Overridden,
  resend,
} from './overrides.ts'
export { TargetState } from './target-state.ts'
