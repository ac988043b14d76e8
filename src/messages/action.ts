import type * as z from 'zod/mini'
import { byCase } from '../lib/by-case.ts'
import type { Immutable } from '../lib/json.ts'
import { count } from '../lib/text/count.ts'
import { oneLine } from '../lib/text/escape.ts'
import type { Action, ChangeNote, EntryChange, FieldChange, Plan, Why } from '../plan/index.ts'
import type { DoneSummary, Overridden, ResourceOutcome, SkipReason } from '../project/index.ts'
import { projectFileName } from '../source/index.ts'
import type {
  explainedActionSchema,
  explainedChangeSchema,
  explainedEntrySchema,
  explainedPlanSchema,
} from './plan-schemas.ts'

/** Reason for an action and the next step, one sentence each. */
interface Explanation {
  readonly reason?: string | undefined
  readonly choices?: readonly string[] | undefined
}

/** A field that differs, with the words of its notes. */
export type ExplainedChange = Immutable<z.infer<typeof explainedChangeSchema>>

/** An entry that differs, with the words of its note. */
export type ExplainedEntry = Immutable<z.infer<typeof explainedEntrySchema>>

/** An action with its texts, as printed and in the document of `--json`. */
export type ExplainedAction = Immutable<z.infer<typeof explainedActionSchema>>

export type ExplainedPlan = Immutable<z.infer<typeof explainedPlanSchema>>

export function explainedPlan({ actions, ...plan }: Plan): ExplainedPlan {
  return { ...plan, actions: actions.map(explainedAction) }
}

export function explainedAction({ why, changes, entries, ...action }: Action): ExplainedAction {
  return {
    ...action,
    changes: changes.map(explainedChange),
    entries: entries?.map(explainedEntry),
    code: why?.code,
    ...(why && explain(why, action)),
  }
}

function explainedChange({ notes, ...change }: FieldChange): ExplainedChange {
  return { ...change, notes: notes.map(noteText) }
}

function explainedEntry(entry: EntryChange): ExplainedEntry {
  // There may be a million new entries: they are not copied.
  if (isWithoutNotes(entry)) return entry
  const { changes, note, ...rest } = entry
  return {
    ...rest,
    ...(changes && { changes: changes.map(explainedChange) }),
    ...(note && { note: noteText(note) }),
  }
}

function isWithoutNotes(entry: EntryChange): entry is EntryChange & { changes?: never; note?: never } {
  return entry.changes === undefined && entry.note === undefined
}

function noteText(note: ChangeNote): string {
  return byCase('code', note, {
    'unanswered-update': () => 'an earlier update ended without an answer; it is sent again to be sure',
    'other-value': ({ references }) => `the value of ${references.join(' or ')} changed`,
    'new-id': ({ reference }) => `${reference} gets a new id`,
    'other-id': ({ reference, id }) => `${reference} is ${id ?? 'another knowledge base'} now`,
    'other-ids': () => 'the id of a resource that it names changed',
    'not-recorded': () => 'it has an id and no earlier push is known; it is updated to be sure',
  })
}

export function explain(why: Why, { address, id }: Pick<Action, 'address' | 'id'>): Explanation {
  return byCase('code', why, {
    'fixed-fields': ({ fields }) => ({
      reason: `the interface has no way to take ${fields.join(' and ')} from a tool`,
      choices: [
        `give ${fields.join(' and ')} a value that says nothing, such as ${fields[0] === 'messages' ? 'messages: []' : `${fields[0]}: {}`}`,
        `callwright apply --forget ${address}=${id} creates a new tool with a new id; ${id} stays until it is deleted at the service`,
      ],
    }),
    'patched-fields': ({ fields }) => ({
      reason: `a PATCH cannot take ${fields.join(' and ')} away`,
      choices: [
        'give it a value',
        `declare an endpoint that takes the whole assistant in ${projectFileName}: endpoints: { updateAssistant: "PUT …" }`,
      ],
    }),
    replaced: () => ({
      reason: `a new assistant is created in its place; ${id} stays until it is deleted at the service`,
    }),
    'no-assistant-update': () => ({
      reason: 'the interface has no update for assistants',
      choices: [
        `assistants: replace in ${projectFileName} creates a new assistant with a new id; ${id} stays until it is deleted at the service`,
        `endpoints: { updateAssistant: "PATCH /assistants/v1/assistants/{id}" } in ${projectFileName}, if this deployment has such an endpoint`,
      ],
    }),
    'renamed-file': ({ former }) => ({
      reason: `its entries are those of ${former} in the lockfile, which no file holds any more`,
      choices: [
        `callwright apply --adopt ${address}=${former}, if the file was renamed`,
        `callwright apply --forget ${former}, if it is another one; its entries are updated then`,
      ],
    }),
    'other-knowledge-base': () => ({
      reason: 'the ids of its entries belong to the knowledge base that the lockfile names',
      choices: [
        'change knowledgeBaseId back',
        `callwright apply --forget ${address} inserts every entry into the other knowledge base`,
      ],
    }),
    'no-file': ({ heir }) => ({
      reason: 'no file holds it any more, and the interface has no delete',
      choices: [
        ...(heir === undefined ? [] : [`if ${heir} is its new name: callwright apply --adopt ${heir}=${id}`]),
        `callwright apply --forget ${address} takes it out of the lockfile`,
      ],
    }),
  })
}

/** The choices as one hint. */
export function hintOf({ choices = [] }: Pick<Explanation, 'choices'>): string {
  return choices.join('; or: ')
}

/** `tool/book is 6650f0c2 now; it was t1`, `forgot tool/book, which was t1`. */
export function overriddenText(overridden: Overridden): string {
  const sentence: string = byCase('code', overridden, {
    'adopted-entries': ({ name, former }) => `${name} has the entries of ${former} now`,
    adopted: ({ name, id, holder, former }) =>
      [
        `${name} is ${id} now`,
        ...(holder === undefined ? [] : [`that was ${holder}`]),
        ...(former === undefined || former === id ? [] : [`it was ${former}`]),
      ].join('; '),
    'forgot-entry': ({ name, id }) => `forgot ${name}${id === undefined ? '' : `, which was ${id}`}`,
    'forgot-creation': ({ name, id }) =>
      `forgot the unanswered creation of ${name}${id === undefined ? '' : `, which is ${id} still`}`,
    'forgot-batch': ({ name }) => `forgot the unanswered entries of ${name}`,
    'forgot-entries': ({ name, ids }) =>
      `forgot the entries of ${name}${ids.length === 0 ? '' : `, which were ${ids.join(', ')}`}`,
    forgot: ({ name, id = 'not made yet', earlier }) =>
      `forgot ${name}, which was ${id}${earlier.length === 0 ? '' : `, and before that ${earlier.join(', ')}`}`,
  })
  return oneLine(sentence)
}

/** `created`, `updated async and server`, `2 entries inserted, 1 entry updated`. */
export function summaryText(done: DoneSummary): string {
  return byCase('code', done, {
    created: ({ former }) =>
      former === undefined ? 'created' : `created again; ${former} is still at the service`,
    updated: ({ fields }) => `updated ${fields.join(', ')}`,
    pushed({ inserted, updated }) {
      const parts = [
        ...(inserted === 0 ? [] : [`${count(inserted, 'entry', 'entries')} inserted`]),
        ...(updated === 0 ? [] : [`${count(updated, 'entry', 'entries')} updated`]),
      ]
      return parts.join(', ') || 'unchanged'
    },
  })
}

/** Why a resource was skipped. */
export function skipText(reason: SkipReason): string {
  return byCase('code', reason, {
    need: ({ address, status }) => `it needs ${address}, which ${became[status]}`,
    'service-failed': ({ times }) => `the service failed ${times} times in a row`,
    bug: () => 'callwright has a bug',
    cancelled: () => 'cancelled',
    'key-refused': () => 'the service refused the API key',
    'lockfile-not-written': () => 'the lockfile cannot be written',
    'no-room': () => 'the service has no room now',
    'other-run': () => 'another run has the project now',
    'other-team': () => 'the API key is another team’s',
    unreachable: () => 'the service cannot be reached',
  })
}

const became = {
  done: 'is done',
  failed: 'failed',
  skipped: 'was skipped',
  blocked: 'is blocked',
} as const satisfies Record<ResourceOutcome['status'], string>
