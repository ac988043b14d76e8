import * as z from 'zod/mini'
import type { Address } from '../../files/formats/address.ts'
import type { Immutable } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { type SecretHash, secretHash } from '../../lib/secret-hash.ts'
import {
  type EntriesState,
  type EntryText,
  entriesPatchSchema,
  entryTextSchema,
  type PendingEntry,
  type RecordedEntry,
} from './ledger.ts'
import type { WrittenRecord, WrittenSection } from './lock-text.ts'
import { type Lockfile, type ResourceState, recordedSchema, type Section, type Stamp } from './lockfile.ts'

/** A change of a resource. */
export const patchSchema = z.extend(entriesPatchSchema(), {
  /** Replaces everything but entries and pending entries. */
  recorded: z.optional(recordedSchema),
  /** Texts of entries, by the same key. */
  texts: z.optional(z.array(z.tuple([z.string(), entryTextSchema()]))),
})
export type Patch = Immutable<z.infer<typeof patchSchema>>

/** State of a target: what the lockfile records of it, and each change since. */
export class TargetState {
  /** Hashes a secret with the salt of the section. */
  readonly hash: SecretHash
  /** True if another target has recorded an entry under this id, even if its file was renamed since. */
  readonly isOwnedByOtherTarget: (key: string) => boolean
  #head: Omit<Section, 'resources' | 'teamId'>
  teamId: string | undefined
  readonly #resources: Map<Address, ResourceState | LiveResource>
  /** Resources that change, or whose entries are in use. */
  readonly #live = new Map<Address, LiveResource>()

  constructor({ targets }: Lockfile, target: string, { resources, teamId, ...head }: Section) {
    const otherKeys = lazy(() => {
      const { [target]: _, ...others } = targets
      const states = Object.values(others).flatMap(other => Object.values(other.resources))
      return new Set(states.flatMap(({ entries = {} }) => Object.keys(entries)))
    })
    this.hash = secretHash(head.salt)
    this.isOwnedByOtherTarget = key => otherKeys().has(key)
    this.#head = head
    this.teamId = teamId
    this.#resources = new Map(Object.entries(resources) as [Address, ResourceState][])
  }

  /** Notes the run that changes the section. */
  stamp(stamp: Stamp): void {
    this.#head = { ...this.#head, ...stamp }
  }

  stateOf(address: Address): ResourceState | undefined {
    const resource = this.#resources.get(address)
    return resource instanceof LiveResource ? resource.toState() : resource
  }

  /** Returns the entries of a knowledge base, which show later patches. */
  entriesOf(address: Address): EntriesState {
    return this.#liveAt(address)
  }

  /** Null removes the resource. `teamId` is that of the response; the first one is kept. */
  patch(address: Address, patch: Patch | null, teamId?: string): void {
    this.teamId ??= teamId
    if (patch === null) {
      this.#resources.delete(address)
      this.#live.delete(address)
      return
    }
    const resource = this.#liveAt(address)
    resource.patch(patch)
    this.#resources.set(address, resource)
  }

  #liveAt(address: Address): LiveResource {
    const resource = this.#resources.get(address)
    const live =
      this.#live.get(address) ?? new LiveResource(resource instanceof LiveResource ? undefined : resource)
    this.#live.set(address, live)
    return live
  }

  /** Section of the lockfile, written or being written. */
  get section(): Section {
    return this.#sectionOf(resource => resource.toState()) as Section
  }

  /** The section with live entries in place: a copy of a million entries takes as much memory again. */
  toWritten(): WrittenSection {
    return this.#sectionOf(resource => ({ ...resource.toState(false), entries: resource.entries }))
  }

  #sectionOf(recordedOf: (resource: LiveResource) => ResourceState | WrittenRecord): WrittenSection {
    const resources = [...this.#resources].map(([address, resource]) => {
      return [address, resource instanceof LiveResource ? recordedOf(resource) : resource] as const
    })
    return { ...this.#head, teamId: this.teamId, resources: Object.fromEntries(resources) }
  }
}

/** Recorded state of a resource while it changes. A patch costs only what it changes. */
export class LiveResource implements EntriesState {
  /** Recorded state without entries, texts and pending entries. */
  #head: ResourceState
  readonly entries: Map<string, RecordedEntry>
  readonly pending: PendingEntry[]
  #texts: Map<string, EntryText>

  constructor({ entries = {}, pending = [], texts = {}, ...head }: ResourceState = { body: {} }) {
    this.#head = head
    this.entries = new Map(Object.entries(entries))
    this.pending = [...pending]
    this.#texts = new Map(Object.entries(texts))
  }

  patch({ recorded, entries = [], texts: changedTexts = [], pending }: Patch): void {
    if (recorded !== undefined) {
      const { entries: _, pending: __, texts = {}, ...head } = recorded
      this.#head = head
      this.#texts = new Map(Object.entries(texts))
    }
    for (const [key, entry] of entries) this.entries.set(key, entry)
    for (const [key, text] of changedTexts) this.#texts.set(key, text)
    if (pending === undefined) return
    this.pending.length = pending.from
    for (const entry of pending.entries) this.pending.push(entry)
  }

  /** `hasEntries: false` leaves the entries out. */
  toState(hasEntries = true): ResourceState {
    const { entries, pending } = this
    const texts = [...this.#texts].filter(([key]) => (entries.get(key) ?? null) !== null)
    return {
      ...this.#head,
      ...(!hasEntries || entries.size === 0 ? {} : { entries: Object.fromEntries(entries) }),
      ...(texts.length === 0 ? {} : { texts: Object.fromEntries(texts) }),
      ...(pending.length === 0 ? {} : { pending: [...pending] }),
    }
  }
}
