import { countBy } from '../../lib/group-by.ts'
import { extractTerms, foldWord, toWords } from '../../lib/text/words.ts'
import type { UnansweredQuestion } from './find-gaps.ts'
import type { GapReason, QuestionGroup } from './gap-schema.ts'

/** Fraction of common terms from which two questions count as equal. */
const shareInCommon = 0.6
/** Groups compared per term, which bounds the work for common terms. */
const maxCompared = 64

interface Wording {
  /** Sorted by frequency, rarest first. */
  readonly terms: readonly string[]
  readonly questions: UnansweredQuestion[]
}

/** Groups near duplicates by the terms that knowledge base search uses, most frequent group first. Near-linear time. */
export function groupQuestions(questions: readonly UnansweredQuestion[]): QuestionGroup[] {
  const wordings = mergeWordings(questions)
  const groups: Wording[][] = []
  const byTerm = new Map<string, number[]>()
  for (const wording of wordings) {
    const index = findNearestGroup(wording, groups, byTerm)
    if (index !== undefined) {
      groups[index]?.push(wording)
      continue
    }
    for (const term of rarestTerms(wording)) {
      const indices = byTerm.get(term) ?? []
      indices.push(groups.length)
      byTerm.set(term, indices)
    }
    groups.push([wording])
  }
  return groups.map(toGroup).sort((one, other) => other.count - one.count)
}

/** Merges questions with equal terms, most frequent first; the first wording represents its group. */
function mergeWordings(questions: readonly UnansweredQuestion[]): Wording[] {
  const wordingByKey = new Map<string, Wording>()
  const frequencies = new Map<string, number>()
  for (const question of questions) {
    // Search matches prefixes: `bike` finds `bikes`.
    const terms = [
      ...new Set([...extractTerms(question.text)].map(term => term.replace(/(?<=[a-z]{3})e$/, ''))),
    ].sort()
    const key = terms.length === 0 ? ` ${toWords(question.text).map(foldWord).join(' ')}` : terms.join(' ')
    const wording = wordingByKey.get(key)
    if (wording !== undefined) {
      wording.questions.push(question)
      continue
    }
    wordingByKey.set(key, { terms, questions: [question] })
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  const getFrequency = (term: string) => frequencies.get(term) ?? 0
  return [...wordingByKey.values()]
    .map(({ terms, questions: wordingQuestions }) => ({
      terms: terms.toSorted((one, other) => getFrequency(one) - getFrequency(other)),
      questions: wordingQuestions,
    }))
    .sort((one, other) => other.questions.length - one.questions.length)
}

/** Returns a prefix of the terms; similar questions have at least one of these in common. */
function rarestTerms({ terms }: Wording): readonly string[] {
  return terms.slice(0, terms.length - Math.ceil(terms.length * shareInCommon) + 1)
}

function findNearestGroup(
  wording: Wording,
  groups: readonly (readonly Wording[])[],
  byTerm: ReadonlyMap<string, readonly number[]>,
): number | undefined {
  const own = new Set(wording.terms)
  let best: { readonly index: number; readonly share: number } | undefined
  for (const term of rarestTerms(wording)) {
    for (const index of (byTerm.get(term) ?? []).slice(0, maxCompared)) {
      const terms = groups[index]?.[0]?.terms ?? []
      const common = terms.filter(candidate => own.has(candidate)).length
      const share = common / (own.size + terms.length - common)
      if (share >= shareInCommon && share > (best?.share ?? 0)) best = { index, share }
    }
  }
  return best?.index
}

function toGroup(wordings: readonly Wording[]): QuestionGroup {
  const questions = wordings.flatMap(wording => wording.questions)
  const counts = countBy(questions, ({ text }) => text)
  const reasons: Partial<Record<GapReason, number>> = Object.fromEntries(
    countBy(questions, ({ reason }) => reason),
  )
  const [question = '', ...variants] = [...counts.keys()].sort(
    (one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0),
  )
  return {
    question,
    variants,
    count: questions.length,
    calls: [...new Set(questions.map(({ call }) => call))],
    reasons,
  }
}
