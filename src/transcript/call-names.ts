import { minShortId, shortId, shortIdSharing } from '../lib/text/did-you-mean.ts'
import { createPrefixIndex } from '../lib/text/prefix-index.ts'
import { dropOldest } from './transcript-times.ts'

/**
 * Names of the calls that were shown, by key: the shortest beginning of the id that no earlier call has. A call keeps the name
 * that it got first. Adding one costs the length of its id, not the number of calls.
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
    /** `id` is null for a call without one, which has `name` instead. */
    add(key: string, id: string | null, name: string): void {
      names.set(key, id === null ? name : shortIdSharing(id, prefixes.sharedWith(id)))
      prefixes.add(key)
      dropOldest(names, oldest => prefixes.remove(oldest))
    },
  }
}

/** Characters of the shortest tag, which is also the width of its column. */
export const tagWidth = 6
const maxTagLength = 24
const tagStep = 2

/**
 * Calls that are live, and the tags that tell them apart. Calls are found by the ends of their short ids, so a tag costs the same
 * however many calls are live.
 */
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
    /** The last characters of a name, as many as tell its call from other live ones. */
    tagOf(name: string): string {
      const characters = lastCharacters(name)
      for (let length = tagWidth; ; length += tagStep) {
        const end = characters.slice(-length).join('')
        if (length >= Math.min(maxTagLength, characters.length) || !isShared(end, name)) return end
      }
    },
  }
}

/** Every end that can be a tag of another call. */
function endsOf(name: string): string[] {
  const characters = lastCharacters(name)
  const ends: string[] = []
  for (let length = tagWidth; length <= Math.min(maxTagLength, characters.length); length += tagStep)
    ends.push(characters.slice(-length).join(''))
  return ends
}

/** A character may be two code units, and a name as long as a body. */
function lastCharacters(name: string): string[] {
  return [...name.slice(-2 * maxTagLength)]
}
