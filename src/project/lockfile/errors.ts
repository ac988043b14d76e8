import type { Address } from '../../files/formats/address.ts'
import { defineErrors } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'

/** Errors of lockfiles and their journals: each code with its details. */
export type LockfileErrors = Immutable<{
  /** The lockfile knows the target at another base URL. */
  'target-elsewhere': { target: string; recorded: string; baseUrl: string }
  /** The lockfile knows the base URL as another target. */
  'target-twice': { target: string; recorded: string; baseUrl: string }
  /** A different sandbox responds at the recorded address. Both are named by the start of their team id. */
  'other-sandbox': { target: string; baseUrl: string; recorded: string; found: string; otherSandbox: string }
  /** A response came from a different team than the lockfile names. The change was made there. */
  'other-team': {
    target: string
    recorded: string
    otherTeam: string
    address: string
    created?: string | undefined
  }
  'lockfile-damaged': { lockfile: string; reason: string }
  /** A later version wrote it. */
  'lockfile-version': { lockfile: string; version: number }
  /** It holds the marks of a merge conflict. */
  'lockfile-merge': { lockfile: string; line: number }
  /** It holds a name that no apply writes. */
  'lockfile-name': { lockfile: string; name: string }
  'lockfile-changed': { lockfile: string }
  'project-locked': { folder: string; holder: OtherRun | undefined }
  'lockfile-journal-damaged': { path: string }
  /** The lockfile was changed since a run was killed whose journal is still there. */
  'journal-of-other-lockfile': { lockfile: string; journal: string }
  /** The lockfile says that a run to a target, begun at this time, has a journal, and there is none. */
  'journal-lost': { lockfile: string; journal: string; target: string; begun: string }
  'adopt-malformed': { text: string }
  /** The id is that of another resource, which has a file of its own. */
  'adopt-taken': { id: string; holder: Address }
  'adopt-knowledge-base': { address: Address; former: string }
  'adopt-no-file': { address: string; files: string[] }
  /** The resource exists; to forget it, its id must be given. */
  'forget-known': { address: Address; id: string }
  'not-recorded': { text: string; known: string[] }
  /** Several ids of entries begin with the text. */
  'forget-ambiguous': { text: string; ids: string[] }
}>

export interface OtherRun {
  readonly pid: number
  readonly host: string
}

export function runOf(holder: OtherRun | undefined): OtherRun | undefined {
  return holder && { pid: holder.pid, host: holder.host }
}

/** ` (process 4711 on laptop)`. */
export const processOf = (holder: OtherRun | undefined) =>
  holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`

export const lockfileError = defineErrors<LockfileErrors>()

/** Error for the beginning of several ids of entries. */
export const ambiguousEntry = (text: string, ids: readonly string[]) =>
  lockfileError('usage', 'forget-ambiguous', { text, ids })
