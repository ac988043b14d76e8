import * as z from 'zod/mini'
import { type Infer, lazy } from '../lib/lazy.ts'
import { encodingText, named, optional, required, someText, strictSchema } from './fields.ts'

const content = lazy(() => ({
  question: required(someText(), 'Question of the caller'),
  answer: required(someText(), 'Answer of the assistant'),
  category: optional(z.string(), 'Category'),
  updatable: optional(z.boolean(), 'Whether the entry may be updated'),
}))

/** interface.md 4.6: an entry to insert; the service assigns the id. */
export const newFaqEntrySchema = lazy(() => named('NewFaqEntry', z.strictObject(content())))

/** interface.md 4.7: an entry to update, identified by its id. */
export const faqEntrySchema = strictSchema('FaqEntry', () => ({
  id: required(someText(), 'Assigned by the service'),
  ...content(),
}))

/** interface.md 4.6 and 4.7: the two request bodies. */
export const faqInsertSchema = strictSchema('FaqInsert', () => ({
  faq: required(z.array(newFaqEntrySchema()), 'New entries'),
}))
export const faqUpdateSchema = strictSchema('FaqUpdate', () => ({
  faq: required(z.array(faqEntrySchema()), 'Entries that change'),
}))

/** A knowledge base as a file: entries without id are new. An empty id is one that the service has yet to fill in. */
export const knowledgeBaseSchema = lazy(() => {
  const schema = z.strictObject({
    knowledgeBaseId: optional(someText(), 'Knowledge base that the entries belong to'),
    entries: optional(
      someText(),
      'CSV file with the entries instead of faq, relative to this file; faq push writes their ids there',
    ),
    encoding: optional(
      encodingText(),
      'Encoding of the table in entries that is not in Unicode; by default the table suggests it',
    ),
    faq: optional(
      z.array(
        z.strictObject({
          id: optional(
            z.nullable(z.string()),
            'Assigned by the service and written here by faq push; leave it out for a new entry',
          ),
          ...content(),
        }),
      ),
      'Question-and-answer entries',
    ),
  })
  const oneOf = ['faq', 'entries'].map(field => ({
    type: 'object',
    required: [field],
    properties: { [field]: {} },
  }))
  const rules = { oneOf, dependentRequired: { encoding: ['entries'] } }
  return schema.check(z.superRefine(checkEntries, { when: () => true })).register(z.globalRegistry, rules)
})

function checkEntries(value: unknown, { addIssue }: z.core.$RefinementCtx<unknown>): void {
  if (typeof value !== 'object' || value === null) return
  const [hasFaq, hasEntries, hasEncoding] = ['faq', 'entries', 'encoding'].map(field =>
    Object.hasOwn(value, field),
  )
  if (hasEncoding === true && hasEntries !== true)
    addIssue({
      code: 'custom',
      input: value,
      path: ['encoding'],
      message: 'encoding is that of the table in entries, which is missing',
      params: { hint: 'remove encoding, or name a CSV file in entries' },
    })
  if (hasFaq === true && hasEntries === true)
    addIssue({
      ...{ code: 'custom', input: value, path: ['entries'] },
      message: 'faq and entries cannot be combined',
      params: { hint: 'move the entries of faq into the table, or remove entries' },
    })
  if (hasFaq !== true && hasEntries !== true)
    addIssue({
      code: 'custom',
      input: value,
      path: ['faq'],
      message: 'faq is missing',
      params: { code: 'missing' },
    })
}

export type NewFaqEntry = Infer<typeof newFaqEntrySchema>
export type FaqEntry = Infer<typeof faqEntrySchema>

/** interface.md 4.6 and 4.7: the response. The entries it lists, and their order, are not specified. */
export interface FaqAnswer {
  readonly faq: readonly { readonly id?: unknown; readonly question?: unknown }[]
}
