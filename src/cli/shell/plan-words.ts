import type * as z from 'zod/mini'
import { byCase } from '../../lib/by-case.ts'
import type { Immutable } from '../../lib/json.ts'
import { count } from '../../lib/text/count.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type { DoneSummary, ResourceOutcome, SkipReason } from '../../project/apply/index.ts'
import type { Overridden } from '../../project/lockfile/index.ts'
import type { Action, ChangeNote, EntryChange, FieldChange, Plan, Why } from '../../project/plan/index.ts'
import { reasonFor } from '../../project/plan/index.ts'
import type { Advised } from './hints.ts'
import type {
  explainedActionSchema,
  explainedChangeSchema,
  explainedEntrySchema,
  explainedOutcomeSchema,
  explainedPlanSchema,
} from './plan-schemas.ts'
import { choicesFor } from './project-hints.ts'

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

export function explain(why: Why, action: Pick<Action, 'address' | 'id'>): Explanation {
  const choices = choicesFor(why, action).map(({ hint }) => hint)
  return { reason: reasonFor(why, action.id), ...(choices.length > 0 && { choices }) }
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

/** Outcome of one resource with its texts, as printed and in the document of `--json`. */
export type ExplainedOutcome = Immutable<z.infer<typeof explainedOutcomeSchema>>

export function explainOutcome({
  error,
  why,
  summary,
  reason,
  ...outcome
}: ResourceOutcome): ExplainedOutcome & Pick<Advised, 'details' | 'cause'> {
  const said = { ...outcome, summary: summary && summaryText(summary), reason: reason && skipText(reason) }
  if (why !== undefined) {
    const { reason, choices } = explain(why, outcome)
    return { ...said, reason, hint: formatChoicesHint({ choices }) }
  }
  if (error === undefined) return said
  const { kind, code, message, hint } = error
  return {
    ...said,
    reason: message,
    ...(outcome.status === 'failed' && { kind, code, hint, details: error.details, cause: error.cause }),
  }
}
