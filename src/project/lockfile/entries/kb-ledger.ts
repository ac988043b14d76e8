import type { Address } from '../../../files/formats/address.ts'
import { type EntriesPatch, type EntryText, hashIn, PushLedger, type RecordedEntry } from '../ledger.ts'
import type { LockStore } from '../lock-store.ts'
import { lockfileName, type ResourceState, type Snapshot } from '../lockfile.ts'
import { LiveResource, type Patch } from '../target-state.ts'

/** Returns the recorded entries of a knowledge base. Changes of them are not recorded. */
export function ledgerView(
  lastState: ResourceState | undefined,
  isOwnedByOtherTarget: (key: string) => boolean,
): PushLedger {
  const state = new LiveResource(lastState)
  const patch = async (change: EntriesPatch) => state.patch(change)
  const intend = async (change: EntriesPatch, inverse: EntriesPatch) => {
    state.patch(change)
    return () => patch(inverse)
  }
  return new PushLedger(state, { keptIn: '', isOwnedByOtherTarget, patch, intend })
}

/** The ledger of a knowledge base: a part of the lockfile. */
export function kbLedger(
  store: LockStore,
  address: Address,
  {
    snapshot,
    texts: knownTexts,
    keptIn = lockfileName,
  }: {
    readonly snapshot: Snapshot
    /** Texts of the file's entries; undefined records none. */
    readonly texts: TextsByHash | undefined
    readonly keptIn?: string | undefined
  },
): PushLedger {
  const { isOwnedByOtherTarget } = store.state
  const state = store.state.entriesOf(address)
  const textsIn = (entries: Iterable<readonly [string, RecordedEntry]>) =>
    knownTexts === undefined
      ? []
      : [...entries].flatMap(([key, entry]): [string, EntryText][] => {
          const text = entry === null ? undefined : knownTexts.get(hashIn(entry))
          return text === undefined ? [] : [[key, text]]
        })
  let hasBegun = false
  // A preview, and a push with nothing to do, change nothing.
  const begin = (): Patch => {
    if (hasBegun) return {}
    hasBegun = true
    // While an update is on its way, the text is the one that was sent before.
    const { texts = {} } = knownTexts === undefined ? {} : (store.state.stateOf(address) ?? {})
    return { recorded: { ...snapshot, texts: { ...texts, ...Object.fromEntries(textsIn(state.entries)) } } }
  }
  const withTexts = (patch: EntriesPatch): Patch => {
    const texts = textsIn(patch.entries ?? [])
    return { ...begin(), ...patch, ...(texts.length === 0 ? {} : { texts }) }
  }
  return new PushLedger(state, {
    ...{ keptIn, isOwnedByOtherTarget },
    patch: patch => store.patch(address, withTexts(patch)),
    intend: (patch, inverse) => store.intend(address, withTexts(patch), inverse),
  })
}

/** Hash of an entry's content → its text. */
type TextsByHash = ReadonlyMap<string, EntryText>

/** Larger knowledge bases keep hashes alone: a lockfile is read and written as a whole, and reviewed by people. */
const maxEntries = 2000
/** Characters of all texts together. */
const maxCharacters = 2_000_000

interface KeptEntry {
  readonly hashes: { readonly content: string }
  readonly text: EntryText
}

/** The texts of a file's entries that the lockfile may keep; undefined where they are too many. */
export function textsToKeep(entries: readonly KeptEntry[]): TextsByHash | undefined {
  if (entries.length > maxEntries) return undefined
  const texts = new Map<string, EntryText>()
  let characters = 0
  for (const { hashes, text } of entries) {
    characters += JSON.stringify(text).length
    if (characters > maxCharacters) return undefined
    texts.set(hashes.content, text)
  }
  return texts
}

/** Returns the recorded text of an entry by its id in the file. */
export function findEntryText(lastState: ResourceState | undefined, key: string): EntryText | undefined {
  const texts = lastState?.texts ?? {}
  return Object.hasOwn(texts, key) ? texts[key] : undefined
}
