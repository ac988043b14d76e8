import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { Position } from '../../errors.ts'
import type { Source } from '../../source/read-source.ts'

/** One question-and-answer entry of a file, as it goes to the service (interface.md 2.8). */
export interface Entry {
  /** Its place in the file's list, from 0. */
  readonly index: number
  /** Undefined while the service has not assigned one: missing, null or empty in the file. */
  readonly id: string | undefined
  readonly question: string
  /** The question as the file writes it, references unresolved: what may be shown. */
  readonly label: string
  /** Everything but the id: the body of an insert. */
  readonly content: EntryContent
  readonly position: Position | undefined
  readonly hashes: EntryHashes
}

/** What is remembered of an entry. Hashes only: an entry may hold text from the environment. */
export interface EntryHashes {
  readonly content: string
  readonly question: string
}

const contentSchema = z.looseObject({
  question: z.string(),
  answer: z.string(),
  category: z.optional(z.string()),
  updatable: z.optional(z.boolean()),
})
export type EntryContent = z.infer<typeof contentSchema>

const fileSchema = z.looseObject({
  knowledgeBaseId: z.optional(z.string()),
  faq: z.array(z.looseObject({ id: z.nullish(z.string()) })),
})

const writtenSchema = z.object({ faq: z.array(z.object({ question: z.string() })) })

export interface FaqFile {
  readonly source: Source
  readonly knowledgeBaseId: string | undefined
  readonly entries: readonly Entry[]
}

/** The entries of a knowledge-base file that passed its check. `body` is what CheckedFile calls so. */
export function readEntries(source: Source, body: unknown): FaqFile {
  const { knowledgeBaseId, faq } = fileSchema.parse(body)
  const written = writtenSchema.safeParse(source.value).data
  const entries = faq.map(({ id, ...rest }, index): Entry => {
    const content = contentSchema.parse(rest)
    return {
      index,
      id: id === null || id === '' ? undefined : id,
      question: content.question,
      label: written?.faq[index]?.question ?? `faq[${index}]`,
      content,
      position: source.positionOf(['faq', index], 'value'),
      hashes: { content: hash(canonical(content)), question: hash(content.question) },
    }
  })
  return { source, knowledgeBaseId, entries }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** JSON with sorted keys: the order of an entry's fields in the file is no change. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
