import { termsOf } from '../../lib/text/words.ts'
import type { GapReason, UnansweredQuestion } from './find-gaps.ts'

/** Questions that ask the same. */
export type QuestionGroup = ReturnType<typeof toGroup>

/** A group with what the project already knows that is near. */
export interface Gap extends QuestionGroup {
  readonly nearest?: {
    readonly question: string
    readonly file: string
    readonly line?: number
    readonly score: number
    /** Of the words that carry meaning, 0 to 1. */
    readonly share: number
  }
}

/** The share of all their terms that two questions have in common to ask the same. */
const shareInCommon = 0.6
/** Groups that a question is compared with for one of its words: those of a word that everybody uses are not all looked at. */
const maxCompared = 64

interface Wording {
  /** The rarest first. */
  readonly terms: readonly string[]
  readonly asked: UnansweredQuestion[]
}

/**
 * Groups near duplicates by the terms that the search of a knowledge base goes by; the group that was asked most often comes first. The work
 * grows with the number of questions.
 */
export function groupQuestions(questions: readonly UnansweredQuestion[]): QuestionGroup[] {
  const wordings = wordingsOf(questions)
  const groups: Wording[][] = []
  const byTerm = new Map<string, number[]>()
  for (const wording of wordings) {
    const place = nearestGroup(wording, groups, byTerm)
    if (place !== undefined) {
      groups[place]?.push(wording)
      continue
    }
    for (const term of rarest(wording)) {
      const places = byTerm.get(term) ?? []
      places.push(groups.length)
      byTerm.set(term, places)
    }
    groups.push([wording])
  }
  return groups.map(toGroup).sort((one, other) => other.count - one.count)
}

/** By their terms, the most frequent first: its words stand for a group. */
function wordingsOf(questions: readonly UnansweredQuestion[]): Wording[] {
  const known = new Map<string, Wording>()
  const frequencies = new Map<string, number>()
  for (const question of questions) {
    // The search finds `bike` by its beginning where `bikes` is asked for.
    const terms = [
      ...new Set([...termsOf(question.text)].map(term => term.replace(/(?<=[a-z]{3})e$/, ''))),
    ].sort()
    const key = terms.length === 0 ? ` ${question.text.toLowerCase()}` : terms.join(' ')
    const wording = known.get(key)
    if (wording !== undefined) {
      wording.asked.push(question)
      continue
    }
    known.set(key, { terms, asked: [question] })
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  const rarityOf = (term: string) => frequencies.get(term) ?? 0
  return [...known.values()]
    .map(({ terms, asked }) => ({
      terms: terms.toSorted((one, other) => rarityOf(one) - rarityOf(other)),
      asked,
    }))
    .sort((one, other) => other.asked.length - one.asked.length)
}

/** Two that have enough in common share one of these of each. */
function rarest({ terms }: Wording): readonly string[] {
  return terms.slice(0, terms.length - Math.ceil(terms.length * shareInCommon) + 1)
}

function nearestGroup(
  wording: Wording,
  groups: readonly (readonly Wording[])[],
  byTerm: ReadonlyMap<string, readonly number[]>,
): number | undefined {
  const own = new Set(wording.terms)
  let best: { readonly place: number; readonly share: number } | undefined
  for (const term of rarest(wording)) {
    for (const place of (byTerm.get(term) ?? []).slice(0, maxCompared)) {
      const terms = groups[place]?.[0]?.terms ?? []
      const common = terms.filter(each => own.has(each)).length
      const share = common / (own.size + terms.length - common)
      if (share >= shareInCommon && share > (best?.share ?? 0)) best = { place, share }
    }
  }
  return best?.place
}

function toGroup(wordings: readonly Wording[]) {
  const asked = wordings.flatMap(wording => wording.asked)
  const counts = new Map<string, number>()
  const reasons: Partial<Record<GapReason, number>> = {}
  for (const { text, reason } of asked) {
    counts.set(text, (counts.get(text) ?? 0) + 1)
    reasons[reason] = (reasons[reason] ?? 0) + 1
  }
  const [question = '', ...variants] = [...counts.keys()].sort(
    (one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0),
  )
  return {
    /** As it was asked most often. */
    question,
    /** Other words for it, the most frequent first. */
    variants,
    count: asked.length,
    /** Each once, in the order of the recording. */
    calls: [...new Set(asked.map(({ call }) => call))],
    reasons,
  }
}
