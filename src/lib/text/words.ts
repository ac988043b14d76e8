import { groupBy } from '../group-by.ts'
import { lazy } from '../lazy.ts'

/** Letters and digits alone count: `Good-bye!` ends a call as `good bye` does, `goodbyes` does not. */
export function saysPhrase(line: string, phrases: readonly string[]): boolean {
  const index = indexOf(phrases)
  const words = splitWords(line)
  return words.some((word, start) =>
    index.get(word)?.some(rest => rest.every((next, offset) => words[start + 1 + offset] === next)),
  )
}

/** For each first word of a phrase the words that follow it. */
type PhraseIndex = ReadonlyMap<string, readonly (readonly string[])[]>

/** Indices by their list: lists are constants, and are compared with every line of a recording. */
const indices = new WeakMap<readonly string[], PhraseIndex>()

function indexOf(phrases: readonly string[]): PhraseIndex {
  const cachedIndex = indices.get(phrases)
  if (cachedIndex !== undefined) return cachedIndex
  const split = phrases.map(phrase => splitWords(phrase).filter(word => word !== ''))
  const index = groupBy(
    split.filter(words => words.length > 0),
    ([first = '']) => first,
  )
  const rests = new Map(Array.from(index, ([first, list]) => [first, list.map(([, ...rest]) => rest)]))
  indices.set(phrases, rests)
  return rests
}

/** Words in lower case; empty ones before and after the others where the text begins or ends with something else. */
function splitWords(text: string): string[] {
  const ascii = isAscii(text)
  const folded = (ascii ? text : text.normalize('NFKC')).toLowerCase()
  return folded.replace(/['’]/g, '').split(ascii ? /[^a-z0-9]+/ : patterns().betweenWords)
}

/** The words of a text, separated by single spaces. */
export function spaceWords(text: string): string {
  return text.replace(isAscii(text) ? /[^A-Za-z0-9]+/g : patterns().betweenWords, ' ').trim()
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

/** Built on first use: V8 takes 0.2 ms to expand the Unicode classes of each, and ASCII needs none of them. */
const patterns = lazy(() => ({
  word: /[\p{L}\p{M}\p{N}]+/gu,
  betweenWords: /[^\p{L}\p{M}\p{N}]+/gu,
  /** Languages that are written without spaces need a segmenter; for the others a split is enough, and much faster. */
  unspaced: new RegExp(`[${unspacedScripts.map(script => `\\p{Script=${script}}`).join('')}]`, 'u'),
}))

const unspacedScripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer']

/** Every verb with every noun. */
export function combinePhrases(verbs: readonly string[], nouns: readonly string[]): string[] {
  return verbs.flatMap(verb => nouns.map(noun => `${verb} ${noun}`))
}

export function toWords(text: string): string[] {
  if (isAscii(text)) return text.match(/[A-Za-z0-9]+/g) ?? []
  const { word, unspaced } = patterns()
  if (!unspaced.test(text)) return text.match(word) ?? []
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)
  return [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

/** True if a text has a word; faster than `toWords` for a long one. */
export function hasWords(text: string): boolean {
  return /[A-Za-z0-9]/.test(text) || toWords(text).length > 0
}

const commonWords = new Set(
  (
    'a about also an and any are as at be been but can could did do does for from get good had has have hello hey hi how i if ' +
    'in is it its just know like many may me more much my need no not of off ok okay on or our out please really should so some ' +
    'tell than thank thanks that the their them then there these they thing this those to too us very want was we well were ' +
    'what when where which who why will with would yes you your'
  ).split(' '),
)

/** Lower case without accents. */
export function foldWord(word: string): string {
  return (isAscii(word) ? word : word.normalize('NFKD').replace(/\p{M}+/gu, '')).toLowerCase()
}

/** Folded, English endings cut: `Opening` and `open` are one term. Common words are none. */
export function toTerm(word: string): string | null {
  const plain = foldWord(word)
  if (commonWords.has(plain)) return null
  return plain.replace(/(?<=[a-z]{3})(ings?|ed|es|s)$/, '')
}

/** The words of a text that carry meaning, each once. */
export function extractTerms(text: string): Set<string> {
  return new Set(toWords(text).flatMap(word => toTerm(word) ?? []))
}
