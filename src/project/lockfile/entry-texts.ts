import type { EntryText, FaqEntry } from '../faq/entries.ts'
import type { Recorded } from './lockfile.ts'

/** Hash of an entry's content → its text. */
export type TextsByHash = ReadonlyMap<string, EntryText>

/** Larger knowledge bases keep hashes alone: a lockfile is read and written as a whole, and reviewed by people. */
const maxEntries = 2000
/** Characters of all texts together. */
const maxCharacters = 2_000_000

/** The texts of a file's entries that the lockfile may keep; undefined where they are too many. */
export function textsToKeep(entries: readonly FaqEntry[]): TextsByHash | undefined {
  if (entries.length > maxEntries) return undefined
  const texts = new Map<string, EntryText>()
  let characters = 0
  for (const { hashes, text } of entries) {
    if (text === undefined) continue
    characters += JSON.stringify(text).length
    if (characters > maxCharacters) return undefined
    texts.set(hashes.content, text)
  }
  return texts
}

/** What the lockfile has of an entry, by the id that the file has for it. */
export function textOf(recorded: Recorded | undefined, key: string): EntryText | undefined {
  const texts = recorded?.texts ?? {}
  return Object.hasOwn(texts, key) ? texts[key] : undefined
}
