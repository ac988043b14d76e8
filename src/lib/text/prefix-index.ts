/** The only text with a prefix, or the number of texts that share it. */
type Entry = { readonly text: string } | { texts: number }

/**
 * Index of texts by prefixes of at least `minLength` characters. Finds the longest prefix that a text shares with any other, without
 * scanning all. Each text is stored under its shortest unique prefix.
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
    /** Must be called once per text. */
    add(text: string): void {
      put(text, minLength)
    },
    /** The text must have been added. */
    remove(text: string): void {
      for (let length = minLength; length <= text.length; length++) {
        const prefix = text.slice(0, length)
        const entry = entries.get(prefix)
        if (entry === undefined || 'text' in entry) return void entries.delete(prefix)
        entry.texts--
        if (entry.texts === 0) entries.delete(prefix)
      }
    },
    /** Length of the longest prefix that this text shares with any in the index; 0 if that is shorter than `minLength`. */
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
    /** Number of stored prefixes, for tests. */
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
