import { extractTerms } from '../../lib/text/words.ts'

const maxWords = 8
/** Limit for languages without spaces. */
const maxCharacters = 60

/** Returns the clause with the most significant words, at most eight, verbatim. Undefined for a line without words. */
export function findDistinctivePhrase(line: string): string | undefined {
  const clauses = line.split(/[.!?;:,…]+(?=\s|$)|[。！？]|\s[–—-]\s/).flatMap(clause => {
    const words = clause.trim().split(/\s+/)
    const starts = Math.max(1, words.length - maxWords + 1)
    return Array.from({ length: starts }, (_, start) => words.slice(start, start + maxWords).join(' '))
  })
  let best: { readonly part: string; readonly weight: number } | undefined
  for (const clause of clauses.slice(0, maxClauses)) {
    const part = trimPunctuation(clause)
    if (part === '' || /\{\{|\uFFFD/.test(part)) continue
    const weight = scorePhrase(part)
    if (best === undefined || weight > best.weight) best = { part, weight }
  }
  return best === undefined || best.weight < 2 ? best?.part : trimInsignificantWords(best.part)
}

const maxClauses = 200

function trimPunctuation(clause: string): string {
  const part = [...clause].slice(0, maxCharacters).join('')
  return part.replace(/^[^\p{L}\p{N}\p{Sc}+]+/u, '').replace(/[^\p{L}\p{M}\p{N}\p{Sc}%]+$/u, '')
}

function scorePhrase(part: string): number {
  const terms = [...extractTerms(part)]
  return terms.length + terms.filter(term => /\p{N}/u.test(term)).length
}

/** Trims insignificant words at both ends: `front desk of Spoke and Chain`. */
function trimInsignificantWords(part: string): string {
  const words = part.split(' ')
  const carries = words.map(word => extractTerms(word).size > 0)
  return trimPunctuation(words.slice(carries.indexOf(true), carries.lastIndexOf(true) + 1).join(' '))
}
