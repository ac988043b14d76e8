import * as z from 'zod/mini'
import type { Address } from '../../files/formats/address.ts'
import { fieldPath, optional, required } from '../../interface/fields.ts'
import { resourceKinds } from '../../interface/words.ts'
import type { Immutable } from '../../lib/json.ts'
import { planActions } from './actions.ts'

export const addressSchema = z.templateLiteral([z.enum(resourceKinds), '/', z.string()])

/** A field that differs from the last sent value. Values are unresolved, so they contain no secrets. */
const fieldChangeSchema = z.object({
  path: fieldPath(),
  kind: z.enum(['added', 'removed', 'changed']),
  before: optional(z.unknown(), 'As last sent, with references in their written form; missing when added'),
  after: optional(z.unknown(), 'As the file has it now; missing when removed'),
  notes: required(z.array(z.string()), 'Why it is sent although both may look alike'),
})
export type FieldChange = Immutable<z.infer<typeof fieldChangeSchema>>

const entryChangeSchema = z.object({
  action: z.enum(['insert', 'update', 'orphaned']),
  id: optional(z.string(), 'Id of the entry at the target; missing for a new entry'),
  question: z.optional(z.string()),
  line: optional(z.int(), 'Line in the file, from 1'),
  changes: z.optional(z.array(fieldChangeSchema)),
  note: optional(z.string(), 'Why it is sent if the changes do not show it'),
})
export type EntryChange = Immutable<z.infer<typeof entryChangeSchema>>

/** Why a resource is blocked, replaced or orphaned. */
export type Why =
  /** The interface cannot take these fields from a tool. */
  | { readonly code: 'fixed-fields'; readonly fields: readonly string[] }
  /** The declared endpoint of assistants is a PATCH, which cannot take these fields away. */
  | { readonly code: 'patched-fields'; readonly fields: readonly string[] }
  | { readonly code: 'no-assistant-update' }
  /** It, or some of its entries, would be created, and a later version of the lockfile may have them. */
  | { readonly code: 'may-exist' }
  /** A new assistant is created; the old one stays. */
  | { readonly code: 'replaced' }
  /** The lockfile has these entries under the name of a file that is gone. */
  | { readonly code: 'renamed-file'; readonly former: Address }
  /** The file has another knowledge base id than its recorded entries. */
  | { readonly code: 'other-knowledge-base' }
  /** No file holds it any more; `heir` is the only new file of its kind. */
  | { readonly code: 'no-file'; readonly heir?: Address }

/** Options for an action that is blocked or has no file. */
export type Choice =
  | { readonly code: 'empty-fields' | 'set-fields'; readonly fields: readonly string[] }
  /** The old resource stays at the service. */
  | { readonly code: 'create-again'; readonly address: Address; readonly id?: string | undefined }
  | { readonly code: 'replace-assistants'; readonly id?: string | undefined }
  | { readonly code: 'declare-endpoint'; readonly method: 'PUT' | 'PATCH' }
  /** The id is that of the service, which the lockfile does not have. */
  | { readonly code: 'adopt'; readonly address: Address }
  /** The id is recorded under the former address. */
  | { readonly code: 'rename'; readonly address: Address; readonly id?: string | undefined }
  | { readonly code: 'adopt-entries'; readonly address: Address; readonly former: Address }
  | { readonly code: 'forget' | 'forget-entries' | 'insert-entries'; readonly address: Address }
  | { readonly code: 'write-entry-ids' | 'apply-rest' | 'restore-id' }

const choiceSchema = z.object({
  code: z.enum([
    'empty-fields',
    'set-fields',
    'create-again',
    'replace-assistants',
    'declare-endpoint',
    'adopt',
    'rename',
    'adopt-entries',
    'forget',
    'forget-entries',
    'insert-entries',
    'write-entry-ids',
    'apply-rest',
    'restore-id',
  ] satisfies Choice['code'][]),
  address: optional(addressSchema, 'Resource whose record in the lockfile changes'),
  id: optional(z.string(), 'Id at the target that it takes over or leaves'),
  former: optional(addressSchema, 'Resource whose entries it takes over'),
  fields: optional(z.array(z.string()), 'Fields to set in the file'),
  method: optional(z.enum(['PUT', 'PATCH']), 'Method of the endpoint to declare'),
  hint: required(z.string(), 'The choice in words'),
  command: optional(
    z.array(z.string()),
    'Arguments of callyard that do it at this target; `<id>` stands for a value',
  ),
})

const actionSchema = z.object({
  address: addressSchema,
  action: z.enum(planActions),
  file: optional(z.string(), 'Missing when orphaned'),
  id: optional(z.string(), 'Id at the target; missing before it is created'),
  changes: required(z.array(fieldChangeSchema), 'Changed fields in the order of the file'),
  entries: optional(z.array(entryChangeSchema), 'Changed entries of a knowledge base'),
  unchangedEntries: optional(z.int(), 'Unchanged entries of a knowledge base'),
  needs: required(z.array(addressSchema), 'Resources that are applied before'),
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
    ] satisfies Why['code'][]),
    'Why it is blocked, replaced or orphaned',
  ),
  reason: optional(z.string(), 'The code in words'),
  choices: optional(z.array(choiceSchema), 'What you can do about it'),
})
export type ActionDocument = Immutable<z.infer<typeof actionSchema>>

/** An action with the facts about why it is blocked, replaced or orphaned, which a document has as sentences. */
export interface Action extends Omit<ActionDocument, 'code' | 'reason' | 'choices'> {
  readonly why?: Why
}

/** A plan, as --json prints it. */
export const planSchema = z.object({
  target: required(z.string(), 'Section of the lockfile'),
  baseUrl: optional(z.string(), 'Missing if none is set'),
  lastApply: optional(
    z.object({
      serial: required(z.int(), 'Number of the apply, from 1'),
      at: required(z.string(), 'Start, ISO 8601'),
      by: required(z.string(), 'User and host'),
    }),
    'Run that the lockfile records last; what somebody else changed at the service is not known',
  ),
  actions: required(z.array(actionSchema), 'In the order in which they are applied'),
})
export type PlanDocument = Immutable<z.infer<typeof planSchema>>

/** Everything that an apply would do. Actions are in the order in which they are applied. */
export interface Plan extends Omit<PlanDocument, 'actions'> {
  readonly actions: readonly Action[]
}
