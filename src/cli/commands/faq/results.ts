import * as z from 'zod/mini'
import { objectList, optional, required, requiredList } from '../../../interface/fields.ts'
import { notStoredSchema } from '../../../service/api/index.ts'

const line = optional(z.int(), 'Line in the file, from 1')
const pushed = { knowledgeBaseId: z.string(), file: z.string() }
const planned = { line, question: z.string() }

export const faqPushResult = {
  document: z.union([
    z.object({
      ...pushed,
      inserted: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      ids: requiredList('Ids of all entries', { question: z.string(), id: z.string() }),
      unknown: required(
        z.array(z.unknown()),
        'Entries whose outcome is unknown: none after a push that succeeds',
      ),
      notStored: notStoredSchema,
    }),
    z.object({
      ...pushed,
      dryRun: z.literal(true),
      insert: z.array(z.object(planned)),
      update: objectList({ id: z.optional(z.string()), ...planned }),
      unchanged: required(z.int(), 'Number of unchanged entries'),
    }),
  ]),
}

export const faqAskResult = {
  document: z.object({
    question: z.string(),
    says: required(z.string(), 'What the assistant says without a model'),
    entries: requiredList('Best match first', {
      file: z.string(),
      line,
      question: z.string(),
      answer: z.string(),
      category: z.optional(z.string()),
      score: z.number(),
      share: required(z.number(), 'Share of the words of the question that match, 0 to 1'),
    }),
  }),
}

export const faqImportResult = {
  document: z.object({
    file: required(z.string(), 'The table'),
    out: optional(z.string(), 'File that was written'),
    knowledgeBaseId: z.optional(z.string()),
    faq: requiredList('Entries', {
      id: z.optional(z.string()),
      question: z.string(),
      answer: z.string(),
      category: z.optional(z.string()),
      updatable: z.optional(z.boolean()),
    }),
  }),
}
