import type { FaqAnswer } from '../interface/faq.ts'
import { idText } from '../interface/fields.ts'

type Answered = FaqAnswer['faq'][number]

/**
 * The id of each sent question in an answer to an insert, or undefined where that is not certain. What the answer lists,
 * and in which order, is not published (interface.md 4.6), so only the question tells an entry: exactly, or else in its
 * normal form where just one fits. Ids that are already known belong to older entries. A repeated id, a question with
 * two ids, and a missing entry leave the question without one: never a wrong id.
 */
export function matchAnswer(
  questions: readonly string[],
  answer: FaqAnswer,
  isKnown: (id: string) => boolean,
): (string | undefined)[] {
  const candidates = groupBy(usable(answer.faq, isKnown), ({ question }) => normalForm(question))
  const sent = groupBy(questions, normalForm)
  return questions.map(question => {
    // A service that trims answers the same text for two such questions. (The check of the file refuses them.)
    if (sent.get(normalForm(question))?.length !== 1) return undefined
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

/** Made once: a schema for each answer of 100,000 costs hundreds of megabytes until they are collected. */
const idSchema = idText()

function usable(answered: readonly Answered[], isKnown: (id: string) => boolean): Candidate[] {
  const withId = answered.flatMap(({ id, question }) => {
    const { data } = idSchema.safeParse(id)
    return data === undefined ? [] : [{ id: data, question }]
  })
  const named = withId.flatMap(({ id, question }) =>
    isWritableId(id) && typeof question === 'string' ? [{ id, question }] : [],
  )
  const times = groupBy(withId, ({ id }) => id)
  return named.filter(({ id }) => times.get(id)?.length === 1 && !isKnown(id))
}

/** An id that every format of file gives back as it was: no control characters, no half characters, no space around it. */
export function isWritableId(id: string): boolean {
  return id !== '' && id.trim() === id && !/[\p{Cc}\p{Surrogate}\uFEFF]/u.test(id)
}

function onlyOne(question: string, found: readonly Candidate[]): string | undefined {
  const exact = found.filter(candidate => candidate.question === question)
  const fitting = exact.length > 0 ? exact : found
  return fitting.length === 1 ? fitting[0]?.id : undefined
}

function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group === undefined) groups.set(key(item), [item])
    else group.push(item)
  }
  return groups
}
