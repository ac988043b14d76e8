/** Recorded entries of knowledge bases: what was pushed, what is pending, and texts of earlier versions. */

export {
  type EntryText,
  type PendingEntry,
  type PushedEntry,
  PushLedger,
  type Target,
  unknownContent,
} from '../ledger.ts'
export { findEntryText, kbLedger, ledgerView, textsToKeep } from './kb-ledger.ts'
