import { closest, distance } from 'fastest-levenshtein'
import { listed } from './count.ts'
import { sharedLength } from './prefix-index.ts'

/** Returns the word that was probably meant: at most a third of its letters differ, or their order. */
export function didYouMean(word: string, allowed: readonly string[]): string | undefined {
  if (allowed.length === 0) return undefined
  const folded = new Map(allowed.map(candidate => [candidate.toLowerCase(), candidate]))
  const nearest = closest(word.toLowerCase(), [...folded.keys()])
  const far = distance(word.toLowerCase(), nearest)
  const near = far <= Math.max(1, Math.floor(nearest.length / 3)) || (far === 2 && sameLetters(word, nearest))
  return near ? folded.get(nearest) : undefined
}

/** `did you mean tool/book?`; undefined where nothing is near. */
export function meantHint(near: string | undefined): string | undefined {
  return near === undefined ? undefined : `did you mean ${near}?`
}

/**
 * Suggests a word for a typo: one letter wrong, missing or extra (two in a long word), or two swapped. For commands and flags, where
 * another word is more likely than a typo. `mostInLong`: wrong letters of a long word.
 */
export function typingError(word: string, allowed: readonly string[], mostInLong = 2): string | undefined {
  return allowed.find(candidate => {
    const far = distance(word.toLowerCase(), candidate.toLowerCase())
    return far <= (candidate.length >= 8 ? mostInLong : 1) || (far === 2 && sameLetters(word, candidate))
  })
}

function sameLetters(word: string, other: string): boolean {
  const sorted = (text: string) => [...text.toLowerCase()].sort().join('')
  return sorted(word) === sorted(other)
}

type FoundByBeginning<Item> =
  | { readonly kind: 'found'; readonly item: Item }
  /** Several ids begin so; in their given order. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Item[] }
  /** No id has this prefix; `suggestion` is the nearest id. */
  | { readonly kind: 'missing'; readonly suggestion: string | undefined }

/**
 * The item with exactly this id; else the only one whose id begins so. An id that several items share is that of the
 * first. An empty text names nothing.
 */
export function findByBeginning<Item>(
  text: string,
  items: readonly Item[],
  idOf: (item: Item) => string,
): FoundByBeginning<Item> {
  const exact = items.find(item => idOf(item) === text)
  if (exact !== undefined) return { kind: 'found', item: exact }
  const candidates = text === '' ? [] : items.filter(item => idOf(item).startsWith(text))
  const [only] = candidates
  if (only !== undefined && new Set(candidates.map(idOf)).size === 1) return { kind: 'found', item: only }
  if (candidates.length > 0) return { kind: 'ambiguous', candidates }
  return { kind: 'missing', suggestion: didYouMean(text, items.map(idOf)) }
}

/**
 * Returns the hint of an error if `findByBeginning` found no item: the ids with this prefix, or the one that was probably meant;
 * undefined if no id is similar. `short` if the ids are from a service and not names.
 */
export function beginningHint<Item>(
  result: Exclude<FoundByBeginning<Item>, { readonly kind: 'found' }>,
  idOf: (item: Item) => string,
  { short = false }: { readonly short?: boolean } = {},
): string | undefined {
  if (result.kind === 'missing') return meantHint(result.suggestion)
  const whole = [...new Set(result.candidates.map(idOf))]
  const shortById = short ? shortIds(whole) : new Map<string, string>()
  const ids = whole.map(id => shortById.get(id) ?? id)
  return `give more of the id: ${listed(ids, maxListed, ', and')}`
}

const maxListed = 5

/**
 * Short ids, by id: the shortest prefixes that are unique in the list, at least eight characters after a leading word such as `CC-`.
 * Ids of up to 24 characters stay whole. A short id is accepted wherever the id is.
 */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort()
  return new Map(
    sorted.map((id, index) => {
      const neighbors = [sorted[index - 1], sorted[index + 1]].filter(other => other !== undefined)
      return [id, shortId(id, neighbors)]
    }),
  )
}

/** Short form of one id, unique among `others`. */
export function shortId(id: string, others: Iterable<string> = []): string {
  let shared = -1
  if (id.length > maxWhole)
    for (const other of others) if (other !== id) shared = Math.max(shared, sharedLength(id, other))
  return shortIdSharing(id, shared)
}

/** Like `shortId`, given the length of the longest prefix shared with other ids. */
export function shortIdSharing(id: string, shared: number): string {
  return id.length <= maxWhole ? id : prefixOf(id, shared + 1)
}

/** Minimum length of a short id, without its leading word. */
export const minShortId = 8
/** Longer ids are not made up by people (`order-4711-second-try`). */
const maxWhole = 24
/** Prefix that all ids of a service may share: `CC-`, `call_`. */
const leadingWord = /^[a-z]{1,16}[-_]/i

/** At least `length` characters. A remainder of up to four characters is kept, and surrogate pairs are not split. */
function prefixOf(id: string, length: number): string {
  const [word = ''] = leadingWord.exec(id) ?? []
  const end = Math.max(length, word.length + minShortId)
  if (id.length <= Math.max(maxWhole, end + 4)) return id
  const last = id.charCodeAt(end - 1)
  return id.slice(0, last >= 0xd800 && last <= 0xdbff ? end + 1 : end)
}
