/** A text alone under its prefix, or how many texts go on below it. */
type Entry = { readonly text: string } | { texts: number }

/**
 * Texts by their prefixes of at least `minLength` characters: the longest prefix that a text shares with others is found without
 * looking at all of them. Each text is filed under the shortest prefix that no other text has.
 */
export function createPrefixIndex(minLength: number) {
  const entries = new Map<string, Entry>()
  const put = (text: string, from: number) => {
    for (let length = from; length <= text.length; length++) {
      const prefix = text.slice(0, length)
      const entry = entries.get(prefix)
      if (entry === undefined) return void entries.set(prefix, { text })
      if ('texts' in entry) {
        entry.texts++
        continue
      }
      entries.set(prefix, { texts: 2 })
      put(entry.text, length + 1)
    }
  }
  return {
    /** Once for each text. */
    add(text: string): void {
      put(text, minLength)
    },
    /** For a text that was added. */
    remove(text: string): void {
      for (let length = minLength; length <= text.length; length++) {
        const prefix = text.slice(0, length)
        const entry = entries.get(prefix)
        if (entry === undefined || 'text' in entry) return void entries.delete(prefix)
        entry.texts--
        if (entry.texts === 0) entries.delete(prefix)
      }
    },
    /** Length of the longest prefix that this text shares with any in the index; 0 where that is shorter than `minLength`. */
    sharedWith(text: string): number {
      let shared = 0
      for (let length = minLength; length <= text.length; length++) {
        const entry = entries.get(text.slice(0, length))
        if (entry === undefined) return shared
        if ('text' in entry) return sharedLength(text, entry.text)
        shared = length
      }
      return shared
    },
    /** Entries, for tests of its cost. */
    get size() {
      return entries.size
    },
  }
}

export function sharedLength(text: string, other: string): number {
  const end = Math.min(text.length, other.length)
  let length = 0
  while (length < end && text.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
