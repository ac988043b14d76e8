import type { FaqAnswer } from '../../interface/faq.ts'
import { idText } from '../../interface/fields.ts'
import { groupBy } from '../../lib/group-by.ts'
import { lazy } from '../../lib/lazy.ts'

type Answered = FaqAnswer['faq'][number]

/**
 * Matches the sent questions to ids in the response to an insert; undefined if a match is uncertain. The interface does not say which
 * entries the response lists, or in which order (interface.md 4.6), so entries match by question: exactly, or else in normal form if
 * only one fits. Known ids belong to older entries. A repeated id, a question with two ids, or a missing entry leaves the question
 * without an id, never with a wrong one.
 */
export function matchResponse(
  questions: readonly string[],
  answer: FaqAnswer,
  isKnown: (id: string) => boolean,
): (string | undefined)[] {
  const candidates = groupBy(usable(answer.faq, isKnown), ({ question }) => normalForm(question))
  const questionsByForm = groupBy(questions, normalForm)
  return questions.map(question => {
    // A service that trims returns the same text for two such questions. (Validation rejects such files.)
    if (questionsByForm.get(normalForm(question))?.length !== 1) return undefined
    return onlyOne(question, candidates.get(normalForm(question)) ?? [])
  })
}

/** Unicode NFC, trimmed, runs of white space as one space: what a service may make of a question. */
export function normalForm(question: string): string {
  return question.normalize('NFC').trim().replace(/\s+/g, ' ')
}

interface Candidate {
  readonly id: string
  readonly question: string
}

/** Created once: a schema for each of 100,000 entries takes hundreds of megabytes until garbage collection. */
const idSchema = lazy(idText)

function usable(answered: readonly Answered[], isKnown: (id: string) => boolean): Candidate[] {
  const withId = answered.flatMap(({ id, question }) => {
    const { data } = idSchema().safeParse(id)
    return data === undefined ? [] : [{ id: data, question }]
  })
  const named = withId.flatMap(({ id, question }) =>
    isWritableId(id) && typeof question === 'string' ? [{ id, question }] : [],
  )
  const times = groupBy(withId, ({ id }) => id)
  return named.filter(({ id }) => times.get(id)?.length === 1 && !isKnown(id))
}

/** Matches ids that every file format preserves: without control characters, lone surrogates and surrounding spaces. */
export function isWritableId(id: string): boolean {
  return id !== '' && id.trim() === id && !/[\p{Cc}\p{Surrogate}\uFEFF]/u.test(id)
}

function onlyOne(question: string, candidates: readonly Candidate[]): string | undefined {
  const exact = candidates.filter(candidate => candidate.question === question)
  const fitting = exact.length > 0 ? exact : candidates
  return fitting.length === 1 ? fitting[0]?.id : undefined
}
