import { distance } from 'fastest-levenshtein'

/** True if one text continues the other, like a transcription while a person speaks. */
export function isContinued(one: string, other: string): boolean {
  const [first, second] = [plain(one), plain(other)]
  return first.startsWith(second) || second.startsWith(first)
}

/** True if the texts may be the same words, transcribed again or further. */
export function isEdit(before: string, after: string): boolean {
  const [one, other] = [beginningOf(before), beginningOf(after)]
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short.length >= 4 && long.includes(short)) return true
  const least = Math.min(distance(short, long), distance(short, long.slice(0, short.length)))
  return least <= Math.floor(short.length * 0.4)
}

/** Comparing costs the product of both lengths. */
const maxCompared = 200

function beginningOf(text: string): string {
  return plain(text).slice(0, maxCompared)
}

function plain(text: string): string {
  return text
    .slice(0, 4 * maxCompared)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
