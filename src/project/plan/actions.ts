import type { Address } from '../../files/formats/address.ts'
import type { FieldPath } from '../../interface/finding.ts'

/** A field that differs from the last sent value. Values are unresolved, so they contain no secrets. */
export interface FieldChange {
  readonly path: FieldPath
  readonly kind: 'added' | 'removed' | 'changed'
  /** Recorded value, with included files inlined; absent if added. Texts may have many lines. */
  readonly before?: unknown
  /** Value in the file; absent if removed. */
  readonly after?: unknown
  /** Why it is sent although both may look alike. */
  readonly notes: readonly ChangeNote[]
}

/** Why a field or an entry is sent although the files may not show it. */
export type ChangeNote =
  | { readonly code: 'unanswered-update' }
  /** The variables of these references have other values: `${env:TOKEN}`. */
  | { readonly code: 'other-value'; readonly references: readonly string[] }
  /** The id of this reference is known only once it is applied. */
  | { readonly code: 'new-id'; readonly reference: string }
  /** This reference has another id; undefined for one that may be secret. */
  | { readonly code: 'other-id'; readonly reference: string; readonly id: string | undefined }
  | { readonly code: 'other-ids' }
  /** An entry has an id, and no earlier push of it is known. */
  | { readonly code: 'not-recorded' }

export interface EntryChange {
  readonly action: 'insert' | 'update' | 'orphaned'
  /** Id at the target; absent if it is new. */
  readonly id?: string
  /** Question in the file, or the recorded one if the entry was removed. */
  readonly question?: string
  readonly line?: number
  /** For an update, the changed fields whose texts are recorded. */
  readonly changes?: readonly FieldChange[]
  /** For an update, the reason if `changes` do not show it. */
  readonly note?: ChangeNote
}

/** Why a resource is blocked, replaced or orphaned. */
export type Why =
  /** The interface cannot take these fields from a tool. */
  | { readonly code: 'fixed-fields'; readonly fields: readonly string[] }
  /** The declared endpoint of assistants is a PATCH, which cannot take these fields away. */
  | { readonly code: 'patched-fields'; readonly fields: readonly string[] }
  | { readonly code: 'no-assistant-update' }
  /** It, or some of its entries, would be created, and a later version of the lockfile may have them. */
  | { readonly code: 'may-exist' }
  /** A new assistant is created; the old one stays. */
  | { readonly code: 'replaced' }
  /** The lockfile has these entries under the name of a file that is gone. */
  | { readonly code: 'renamed-file'; readonly former: Address }
  /** The file has another knowledge base id than its recorded entries. */
  | { readonly code: 'other-knowledge-base' }
  /** No file holds it any more; `heir` is the only new file of its kind. */
  | { readonly code: 'no-file'; readonly heir?: Address }

export interface Action {
  readonly address: Address
  readonly action: 'create' | 'update' | 'replace' | 'blocked' | 'unchanged' | 'orphaned'
  /** Display name of the file; absent if orphaned. */
  readonly file?: string
  /** At the target; absent before it is created. */
  readonly id?: string | undefined
  /** Differences of fields, in the order of the file. Empty for what is created. */
  readonly changes: readonly FieldChange[]
  /** Knowledge bases only. */
  readonly entries?: readonly EntryChange[]
  /** Knowledge bases only: how many entries are as they were last sent. */
  readonly unchangedEntries?: number
  /** Blocked, replaced, orphaned: why. */
  readonly why?: Why
  /** Resources that must be done before. */
  readonly needs: readonly Address[]
}

export interface LastApply {
  readonly serial: number
  /** ISO 8601. */
  readonly at: string
  /** User and host. */
  readonly by: string
}

/** Everything that an apply would do, as data (`plan --json`). Actions are in the order in which they are applied. */
export interface Plan {
  /** The section of the lockfile. */
  readonly target: string
  /** Undefined if none is set: a plan needs no service. */
  readonly baseUrl: string | undefined
  /** Run that last wrote the section; undefined before the first one. */
  readonly lastApply?: LastApply | undefined
  readonly actions: readonly Action[]
}

/** True if an apply would change something or be blocked. */
export function isPending({ action }: Pick<Action, 'action'>): boolean {
  return action === 'create' || action === 'update' || action === 'replace' || action === 'blocked'
}
