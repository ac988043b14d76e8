import type { Api } from '../../api/index.ts'
import type { Project as ProjectSettings } from '../../interface/project.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import { type Address, addressOf } from '../address.ts'
import type { Resource } from '../load/find-resources.ts'
import type { LockStore } from '../lockfile/lock-store.ts'
import { type IdOf, type SecretHash, type Snapshot, snapshotOf } from '../snapshot/snapshot.ts'

/** What applying one resource needs of the whole. */
export interface ApplyJob {
  readonly target: string
  readonly baseUrl: string
  readonly settings: Pick<ProjectSettings, 'endpoints'>
  readonly vocabulary: Vocabulary
  readonly resources: ReadonlyMap<Address, Resource>
  readonly store: LockStore
  readonly hash: SecretHash
  /** The id that a reference stands for, now that what it refers to is done. */
  readonly idOf: IdOf
  /** The same for the lockfile, without secrets. */
  readonly fingerprintOf: IdOf
  isElsewhere(key: string): boolean
  readonly api: Pick<
    Api,
    'createTool' | 'updateTool' | 'createAssistant' | 'updateAssistant' | 'insertFaq' | 'updateFaq'
  >
  readonly signal: AbortSignal
  /** @throws CallwrightError `conflict` once another process holds the project's lock. */
  assertAlone(): Promise<void>
}

/** What the service, or a declared endpoint, answered. */
export type ServiceAnswer = Readonly<Record<string, unknown>>

/** What was done, in words, the id at the target, and the answer where there was one. */
export interface Done {
  readonly id?: string
  readonly summary: string
  readonly answer?: ServiceAnswer
}

/** A resource as it is sent now: all that it refers to has its id. */
export function outgoing(
  { checked }: Resource,
  { hash, idOf, fingerprintOf }: Pick<ApplyJob, 'hash' | 'idOf' | 'fingerprintOf'>,
): { readonly body: Record<string, unknown>; readonly snapshot: Snapshot } {
  const body = checked.render({ resource: ({ kind, name }) => idOf(addressOf(kind, name)) ?? '' })
  return {
    body: body as Record<string, unknown>,
    snapshot: snapshotOf(checked, { hash, idOf: fingerprintOf }),
  }
}
