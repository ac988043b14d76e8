import * as z from 'zod/mini'
import { optional, required } from '../../interface/fields.ts'
import { resourceKinds } from '../../interface/words.ts'
import { errorKinds } from '../../lib/error.ts'

// Plans and outcomes with the words for them, as --json prints them.

const address = z.templateLiteral([z.enum(resourceKinds), '/', z.string()])
const path = required(z.array(z.union([z.string(), z.number()])), 'Keys and indices to the field')
const target = required(z.string(), 'Section of the lockfile')

export const explainedChangeSchema = z.object({
  path,
  kind: z.enum(['added', 'removed', 'changed']),
  before: optional(z.unknown(), 'As last sent, with references in their written form; missing when added'),
  after: optional(z.unknown(), 'As the file has it now; missing when removed'),
  notes: required(z.array(z.string()), 'Why it is sent although both may look alike'),
})

export const explainedEntrySchema = z.object({
  action: z.enum(['insert', 'update', 'orphaned']),
  id: optional(z.string(), 'Id of the entry at the target; missing for a new entry'),
  question: z.optional(z.string()),
  line: optional(z.int(), 'Line in the file, from 1'),
  changes: z.optional(z.array(explainedChangeSchema)),
  note: optional(z.string(), 'Why it is sent if the changes do not show it'),
})

export const explainedActionSchema = z.object({
  address,
  action: z.enum(['create', 'update', 'replace', 'blocked', 'unchanged', 'orphaned']),
  file: optional(z.string(), 'Missing when orphaned'),
  id: optional(z.string(), 'Id at the target; missing before it is created'),
  changes: required(z.array(explainedChangeSchema), 'Changed fields in the order of the file'),
  entries: optional(z.array(explainedEntrySchema), 'Changed entries of a knowledge base'),
  unchangedEntries: optional(z.int(), 'Unchanged entries of a knowledge base'),
  needs: required(z.array(address), 'Resources that are applied before'),
  code: optional(
    z.enum([
      'fixed-fields',
      'patched-fields',
      'no-assistant-update',
      'may-exist',
      'replaced',
      'renamed-file',
      'other-knowledge-base',
      'no-file',
    ]),
    'Why it is blocked, replaced or orphaned',
  ),
  reason: optional(z.string(), 'The code in words'),
  choices: optional(z.array(z.string()), 'What you can do about it'),
})

export const explainedPlanSchema = z.object({
  target,
  baseUrl: optional(z.string(), 'Missing if none is set'),
  lastApply: optional(
    z.object({
      serial: required(z.int(), 'Number of the apply, from 1'),
      at: required(z.string(), 'Start, ISO 8601'),
      by: required(z.string(), 'User and host'),
    }),
    'Run that the lockfile records last; what somebody else changed at the service is not known',
  ),
  actions: required(z.array(explainedActionSchema), 'In the order in which they are applied'),
})

export const explainedOutcomeSchema = z.object({
  address,
  action: z.enum(['create', 'update', 'replace', 'blocked']),
  status: z.enum(['done', 'failed', 'skipped', 'blocked']),
  file: z.string(),
  id: optional(z.string(), 'Id at the target, if known'),
  summary: optional(z.string(), 'What was done'),
  reason: optional(z.string(), 'Why it was not done'),
  unknown: optional(z.literal(true), 'It is not known what the service has now'),
  kind: optional(z.enum(errorKinds), 'Kind of the failure'),
  code: optional(z.string(), 'Case within the kind'),
  hint: optional(z.string(), 'What to do next'),
})

const outcomes = z.array(explainedOutcomeSchema)
const addresses = z.array(address)

/** Result of `apply`. */
/** Missing if the service stored everything. */
export const notStoredSchema = optional(
  z.array(
    z.object({
      kind: z.enum(['assistant', 'tool', 'knowledge-base']),
      id: required(z.string(), 'Id of the record; of the knowledge base for entries'),
      field: z.string(),
      response: required(z.enum(['missing', 'different']), 'What the response has in place of what was sent'),
      entries: optional(z.int(), 'Number of entries of the knowledge base'),
    }),
  ),
  'Fields that the service did not store as they were sent',
)

export const appliedSchema = z.object({
  target,
  baseUrl: z.optional(z.string()),
  ids: required(z.record(z.string(), z.string()), 'Ids at the target by address'),
  done: outcomes,
  failed: outcomes,
  skipped: outcomes,
  blocked: outcomes,
  unchanged: addresses,
  orphaned: addresses,
  notStored: notStoredSchema,
})
