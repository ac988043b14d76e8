import { minShortId, shortId, shortIdSharing } from '../lib/text/did-you-mean.ts'
import { createPrefixIndex } from '../lib/text/prefix-index.ts'
import { dropOldest } from './transcript-times.ts'

/**
 * Names of displayed calls by key: the shortest prefix of the id that no earlier call has. Names never change. The cost of adding a
 * call depends on the length of its id, not on the number of calls.
 */
export function createCallNames() {
  const names = new Map<string, string>()
  const prefixes = createPrefixIndex(minShortId)
  return {
    get: (key: string) => names.get(key),
    has: (key: string) => names.has(key),
    get size() {
      return names.size
    },
    /** `name` is used if `id` is null. */
    add(key: string, id: string | null, name: string): void {
      names.set(key, id === null ? name : shortIdSharing(id, prefixes.sharedWith(id)))
      prefixes.add(key)
      dropOldest(names, oldest => prefixes.remove(oldest))
    },
  }
}

/** Minimum tag length and column width. */
export const tagWidth = 6
const maxTagLength = 24
const tagStep = 2

/** Live calls and their tags. Indexed by suffixes of short ids, so the cost of a tag does not depend on the number of live calls. */
export function createLiveCalls() {
  const live = new Set<string>()
  const byEnd = new Map<string, Set<string>>()
  const remove = (key: string) => {
    if (!live.delete(key)) return
    for (const end of endsOf(shortId(key))) {
      const keys = byEnd.get(end)
      keys?.delete(key)
      if (keys?.size === 0) byEnd.delete(end)
    }
  }
  const isShared = (end: string, name: string) => {
    for (const other of byEnd.get(end) ?? []) if (!other.startsWith(name)) return true
    return false
  }
  return {
    get size() {
      return live.size
    },
    add(key: string): void {
      if (live.has(key)) return
      live.add(key)
      for (const end of endsOf(shortId(key))) {
        const keys = byEnd.get(end)
        if (keys === undefined) byEnd.set(end, new Set([key]))
        else keys.add(key)
      }
      dropOldest({ size: live.size, keys: () => live.keys(), delete: remove })
    },
    remove,
    /** Shortest suffix of a name (at least `tagWidth` characters) that is unique among live calls, up to `maxTagLength`. */
    tagOf(name: string): string {
      const characters = lastCharacters(name)
      for (let length = tagWidth; ; length += tagStep) {
        const end = characters.slice(-length).join('')
        if (length >= Math.min(maxTagLength, characters.length) || !isShared(end, name)) return end
      }
    },
  }
}

/** All suffixes that can be tags. */
function endsOf(name: string): string[] {
  const characters = lastCharacters(name)
  const ends: string[] = []
  for (let length = tagWidth; length <= Math.min(maxTagLength, characters.length); length += tagStep)
    ends.push(characters.slice(-length).join(''))
  return ends
}

/** Bounds the work, since a name may be as long as a body. A character may take two code units. */
function lastCharacters(name: string): string[] {
  return [...name.slice(-2 * maxTagLength)]
}
