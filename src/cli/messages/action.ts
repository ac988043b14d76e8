import type * as z from 'zod/mini'
import { kindOfAddress } from '../../files/formats/address.ts'
import { projectFileName } from '../../files/source/index.ts'
import { byCase } from '../../lib/by-case.ts'
import type { Immutable } from '../../lib/json.ts'
import { count } from '../../lib/text/count.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type { DoneSummary, ResourceOutcome, SkipReason } from '../../project/apply/index.ts'
import type { Overridden } from '../../project/lockfile/index.ts'
import type { Action, ChangeNote, EntryChange, FieldChange, Plan, Why } from '../../project/plan/index.ts'
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
    'unanswered-update': () => 'what the service has is unknown, so it is sent again',
    'other-value': ({ references }) => `the value of ${references.join(' or ')} changed`,
    'new-id': ({ reference }) => `${reference} gets a new id`,
    'other-id': ({ reference, id }) => `${reference} is now ${id ?? 'another knowledge base'}`,
    'other-ids': () => 'the id of a referenced resource changed',
    'not-recorded': () => 'it has an id but no earlier push is recorded, so it is updated',
  })
}

export function explain(why: Why, { address, id }: Pick<Action, 'address' | 'id'>): Explanation {
  return byCase('code', why, {
    'fixed-fields': ({ fields }) => ({
      reason: `the interface cannot remove ${fields.join(' and ')} from a tool`,
      choices: [
        `set ${fields.join(' and ')} to an empty value, such as ${fields[0] === 'messages' ? 'messages: []' : `${fields[0]}: {}`}`,
        `create a new tool with a new id: callyard apply --forget ${address}=${id}; ${id} remains until you delete it at the service`,
      ],
    }),
    'patched-fields': ({ fields }) => ({
      reason: `a PATCH cannot remove ${fields.join(' and ')}`,
      choices: [
        'set it to a value',
        `declare an endpoint that accepts the whole assistant in ${projectFileName}: endpoints: { updateAssistant: "PUT …" }`,
      ],
    }),
    replaced: () => ({
      reason: `a new assistant replaces it; ${id} remains until you delete it at the service`,
    }),
    'no-assistant-update': () => ({
      reason: 'the interface cannot update assistants',
      choices: [
        `create a new assistant with a new id: set assistants: replace in ${projectFileName}; ${id} remains until you delete it at the service`,
        `if your service has an update endpoint, declare it in ${projectFileName}: endpoints: { updateAssistant: "PATCH /assistants/v1/assistants/{id}" }`,
      ],
    }),
    'may-exist': () => ({
      reason: 'the lockfile is of an earlier apply, so the service may already have what would be created',
      choices: [
        kindOfAddress(address) === 'kb'
          ? 'for entries that exist, write their ids into the file'
          : `if it exists: callyard apply --adopt ${address}=<id>`,
        'to create the rest, run callyard apply again without --resend',
      ],
    }),
    'renamed-file': ({ former }) => ({
      reason: `its entries belong to ${former} in the lockfile, which no longer has a file`,
      choices: [
        `if the file was renamed: callyard apply --adopt ${address}=${former}`,
        `if it is another knowledge base: callyard apply --forget ${former}; its entries are then updated`,
      ],
    }),
    'other-knowledge-base': () => ({
      reason: 'its entries have ids of the knowledge base in the lockfile',
      choices: [
        'change knowledgeBaseId back',
        `insert every entry into the other knowledge base: callyard apply --forget ${address}`,
      ],
    }),
    'no-file': ({ heir }) => ({
      reason: 'it no longer has a file, and the interface cannot delete it',
      choices: [
        ...(heir === undefined ? [] : [`if ${heir} is its new name: callyard apply --adopt ${heir}=${id}`]),
        `remove it from the lockfile: callyard apply --forget ${address}`,
      ],
    }),
  })
}

/** The choices as one hint. */
export function formatChoicesHint({ choices = [] }: Pick<Explanation, 'choices'>): string {
  return choices.join('; or: ')
}

/** `tool/book is 6650f0c2 now; it was t1`, `forgot tool/book, which was t1`. */
export function overriddenText(overridden: Overridden): string {
  const sentence: string = byCase('code', overridden, {
    'adopted-entries': ({ name, former }) => `${name} now has the entries of ${former}`,
    adopted: ({ name, id, holder, former }) =>
      [
        `${name} is now ${id}`,
        ...(holder === undefined ? [] : [`that was ${holder}`]),
        ...(former === undefined || former === id ? [] : [`it was ${former}`]),
      ].join('; '),
    resent: () => 'every tool and entry is sent again',
    'forgot-entry': ({ name, id }) => `forgot ${name}${id === undefined ? '' : `, which was ${id}`}`,
    'forgot-creation': ({ name, id }) =>
      `forgot the unconfirmed creation of ${name}${id === undefined ? '' : `, which is still ${id}`}`,
    'forgot-batch': ({ name }) => `forgot the unconfirmed entries of ${name}`,
    'forgot-entries': ({ name, ids }) =>
      `forgot the entries of ${name}${ids.length === 0 ? '' : `, which were ${ids.join(', ')}`}`,
    forgot: ({ name, id = 'not created yet', earlier }) =>
      `forgot ${name}, which was ${id}${earlier.length === 0 ? '' : `, and before that ${earlier.join(', ')}`}`,
  })
  return oneLine(sentence)
}

/** `created`, `updated async and server`, `2 entries inserted, 1 entry updated`. */
export function summaryText(done: DoneSummary): string {
  return byCase('code', done, {
    created: ({ former }) =>
      former === undefined ? 'created' : `created again; ${former} remains at the service`,
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
    bug: () => 'callyard has a bug',
    cancelled: () => 'cancelled',
    'key-refused': () => 'the service rejected the API key',
    'lockfile-not-written': () => 'the lockfile cannot be written',
    'no-room': () => 'the service is rate limiting requests',
    'other-run': () => 'another callyard is using the project',
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
