import { count } from '../../lib/text/count.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type {
  Action,
  ChangeNote,
  DoneSummary,
  EntryChange,
  FieldChange,
  Overridden,
  Plan,
  ResourceOutcome,
  SkipReason,
  Why,
} from '../../project/index.ts'
import { projectFileName } from '../../source/index.ts'

/** What a person reads of the reason for an action, and can do about it, one sentence each. */
interface Explanation {
  readonly reason: string
  readonly choices: readonly string[]
}

/** A field that differs, with the words of its notes. */
export type ExplainedChange = ReturnType<typeof explainedChange>

/** An entry that differs, with the words of its note. */
export type ExplainedEntry = ReturnType<typeof explainedEntry>

/** An action with the words for it: as it is printed, and stands in the document of `--json`. */
export interface ExplainedAction extends Omit<Action, 'why' | 'changes' | 'entries'> {
  readonly changes: readonly ExplainedChange[]
  readonly entries?: readonly ExplainedEntry[]
  /** Blocked, replaced, orphaned: which case of that. */
  readonly code?: Why['code']
  readonly reason?: string
  readonly choices?: readonly string[]
}

export interface ExplainedPlan extends Omit<Plan, 'actions'> {
  readonly actions: readonly ExplainedAction[]
}

export function explainedPlan({ actions, ...plan }: Plan): ExplainedPlan {
  return { ...plan, actions: actions.map(explainedAction) }
}

export function explainedAction({ why, changes, entries, ...rest }: Action): ExplainedAction {
  const action = {
    ...rest,
    changes: changes.map(explainedChange),
    ...(entries === undefined ? {} : { entries: entries.map(explainedEntry) }),
  }
  if (why === undefined) return action
  const { reason, choices } = explain(why, action)
  return { ...action, code: why.code, reason, ...(choices.length === 0 ? {} : { choices }) }
}

function explainedChange({ notes, ...change }: FieldChange) {
  return { ...change, notes: notes.map(noteText) }
}

function explainedEntry({ changes, note, ...entry }: EntryChange) {
  return {
    ...entry,
    ...(changes === undefined ? {} : { changes: changes.map(explainedChange) }),
    ...(note === undefined ? {} : { note: noteText(note) }),
  }
}

function noteText(note: ChangeNote): string {
  switch (note.code) {
    case 'unanswered-update':
      return 'an earlier update ended without an answer; it is sent again to be sure'
    case 'other-value':
      return `the value of ${note.references.join(' or ')} changed`
    case 'new-id':
      return `${note.reference} gets a new id`
    case 'other-id':
      return `${note.reference} is ${note.id ?? 'another knowledge base'} now`
    case 'other-ids':
      return 'the id of a resource that it names changed'
    case 'not-recorded':
      return 'it has an id and no earlier push is known; it is updated to be sure'
  }
}

export function explain(why: Why, { address, id }: Pick<Action, 'address' | 'id'>): Explanation {
  switch (why.code) {
    case 'fixed-fields': {
      const fields = why.fields.join(' and ')
      const [first = ''] = why.fields
      return {
        reason: `the interface has no way to take ${fields} from a tool`,
        choices: [
          `give ${fields} a value that says nothing, such as ${first === 'messages' ? 'messages: []' : `${first}: {}`}`,
          `callwright apply --forget ${address}=${id} creates a new tool with a new id; ${id} stays until it is deleted at the service`,
        ],
      }
    }
    case 'patched-fields':
      return {
        reason: `a PATCH cannot take ${why.fields.join(' and ')} away`,
        choices: [
          'give it a value',
          `declare an endpoint that takes the whole assistant in ${projectFileName}: endpoints: { updateAssistant: "PUT …" }`,
        ],
      }
    case 'replaced':
      return {
        reason: `a new assistant is created in its place; ${id} stays until it is deleted at the service`,
        choices: [],
      }
    case 'no-assistant-update':
      return {
        reason: 'the interface has no update for assistants',
        choices: [
          `assistants: replace in ${projectFileName} creates a new assistant with a new id; ${id} stays until it is deleted at the service`,
          `endpoints: { updateAssistant: "PATCH /assistants/v1/assistants/{id}" } in ${projectFileName}, if this deployment has such an endpoint`,
        ],
      }
    case 'renamed-file':
      return {
        reason: `its entries are those of ${why.former} in the lockfile, which no file holds any more`,
        choices: [
          `callwright apply --adopt ${address}=${why.former}, if the file was renamed`,
          `callwright apply --forget ${why.former}, if it is another one; its entries are updated then`,
        ],
      }
    case 'other-knowledge-base':
      return {
        reason: 'the ids of its entries belong to the knowledge base that the lockfile names',
        choices: [
          'change knowledgeBaseId back',
          `callwright apply --forget ${address} inserts every entry into the other knowledge base`,
        ],
      }
    case 'no-file':
      return {
        reason: 'no file holds it any more, and the interface has no delete',
        choices: [
          ...(why.heir === undefined
            ? []
            : [`if ${why.heir} is its new name: callwright apply --adopt ${why.heir}=${id}`]),
          `callwright apply --forget ${address} takes it out of the lockfile`,
        ],
      }
  }
}

/** The choices as one hint. */
export function hintOf({ choices = [] }: Pick<ExplainedAction, 'choices'>): string {
  return choices.join('; or: ')
}

/** `tool/book is 6650f0c2 now; it was t1`, `forgot tool/book, which was t1`. */
export function overriddenText(overridden: Overridden): string {
  return oneLine(sentence(overridden))
}

function sentence(overridden: Overridden): string {
  const { name } = overridden
  switch (overridden.code) {
    case 'adopted-entries':
      return `${name} has the entries of ${overridden.former} now`
    case 'adopted': {
      const { id, holder, former } = overridden
      return [
        `${name} is ${id} now`,
        ...(holder === undefined ? [] : [`that was ${holder}`]),
        ...(former === undefined || former === id ? [] : [`it was ${former}`]),
      ].join('; ')
    }
    case 'forgot-entry':
      return `forgot ${name}${overridden.id === undefined ? '' : `, which was ${overridden.id}`}`
    case 'forgot-creation': {
      const left = overridden.id === undefined ? '' : `, which is ${overridden.id} still`
      return `forgot the unanswered creation of ${name}${left}`
    }
    case 'forgot-batch':
      return `forgot the unanswered entries of ${name}`
    case 'forgot-entries': {
      const { ids } = overridden
      return `forgot the entries of ${name}${ids.length === 0 ? '' : `, which were ${ids.join(', ')}`}`
    }
    case 'forgot': {
      const { id, earlier } = overridden
      const before = earlier.length === 0 ? '' : `, and before that ${earlier.join(', ')}`
      return `forgot ${name}, which was ${id ?? 'not made yet'}${before}`
    }
  }
}

/** `created`, `updated async and server`, `2 entries inserted, 1 entry updated`. */
export function summaryText(done: DoneSummary): string {
  switch (done.code) {
    case 'created':
      return done.former === undefined ? 'created' : `created again; ${done.former} is still at the service`
    case 'updated':
      return `updated ${done.fields.join(', ')}`
    case 'pushed': {
      const { inserted, updated } = done
      const parts = [
        ...(inserted === 0 ? [] : [`${count(inserted, 'entry', 'entries')} inserted`]),
        ...(updated === 0 ? [] : [`${count(updated, 'entry', 'entries')} updated`]),
      ]
      return parts.length === 0 ? 'unchanged' : parts.join(', ')
    }
  }
}

/** Why a resource was skipped. */
export function skipText(reason: SkipReason): string {
  switch (reason.code) {
    case 'need':
      return `it needs ${reason.address}, which ${became[reason.status]}`
    case 'service-failed':
      return `the service failed ${reason.times} times in a row`
    default:
      return skipTexts[reason.code]
  }
}

const became = {
  done: 'is done',
  failed: 'failed',
  skipped: 'was skipped',
  blocked: 'is blocked',
} as const satisfies Record<ResourceOutcome['status'], string>

const skipTexts = {
  bug: 'callwright has a bug',
  cancelled: 'cancelled',
  'key-refused': 'the service refused the API key',
  'lockfile-not-written': 'the lockfile cannot be written',
  'no-room': 'the service has no room now',
  'other-run': 'another run has the project now',
  'other-team': 'the API key is another team’s',
  unreachable: 'the service cannot be reached',
} as const
