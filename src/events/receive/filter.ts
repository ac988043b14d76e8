import {
  callStatuses,
  messageRoles,
  toolEventTypes,
  unansweredStatuses,
  webhookStatuses,
} from '../../interface/words.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { type Clue, createWordFilter, type WordFilter } from '../../lib/text/wanted-words.ts'
import { type Change, listCallNames, webhookTypes } from '../conversation/index.ts'

/** Filters for displayed changes: values of one kind are alternatives, different kinds must all match. */
export interface FilterWords {
  /** Beginnings of their ids; `-` for the events that name no call, `-2` for the second call without id. */
  readonly calls?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  /** Selects messages of these roles; of events without a role, only the statuses below. */
  readonly roles?: readonly string[] | undefined
  /** Changes to these statuses with what came with them, and of the rest nothing but the messages above. */
  readonly statuses?: readonly string[] | undefined
}

/** Kind of a filter value. */
export type FilterName = (typeof kinds)[number]

/** Something about a filter that a person should know. */
export type FilterFinding =
  /** A word that looks like a slip of the pen. */
  | { readonly kind: 'doubtful'; readonly filter: FilterName; readonly word: string; readonly near: string }
  /** Nothing that came had this word. */
  | ({ readonly kind: 'absent'; readonly filter: FilterName; readonly word: string } & Clue)
  /** The values occurred, but never together. */
  | { readonly kind: 'nothing-left' }

export type Filter = ReturnType<typeof createFilter>

/** Which changes of calls are shown. It changes nothing in what is recorded, forwarded and counted. */
export function createFilter({ calls, types, roles, statuses }: FilterWords) {
  const wordFilters = {
    call: createWordFilter(calls, { beginnings: true }),
    type: createWordFilter(types),
    role: createWordFilter(roles),
    status: createWordFilter(statuses),
  } as const
  const isFilter = [calls, types, roles, statuses].some(words => words !== undefined)
  const narrowed = roles !== undefined || statuses !== undefined
  let hasAdmitted = false
  let hasEvents = false

  /** Each sees what came, also where another one has refused it. */
  const isWanted = (change: Change): boolean => {
    const ofCall = listCallNames(change).filter(wordFilters.call.admit).length > 0
    const ofType = wordFilters.type.admit(typeOf(change))
    return isOfKind(change) && ofCall && ofType
  }
  const isOfKind = (change: Change): boolean => {
    if (change.kind === 'message' || change.kind === 'edit') {
      const ofRole = wordFilters.role.admit(change.role)
      return !narrowed || (roles !== undefined && ofRole)
    }
    if (change.kind !== 'status') return !narrowed
    // Both words are printed.
    const words = [change.status, change.phoneCallStatus].filter(word => typeof word === 'string')
    const ofStatus = words.filter(wordFilters.status.admit).length > 0
    return !narrowed || (statuses !== undefined && ofStatus)
  }
  return {
    /**
     * True if a change passes the filter. Must be called for every change, for `unmatched`; calling it twice is harmless.
     */
    admits(change: Change): boolean {
      if (!isFilter) return true
      hasEvents = true
      const isShown = isWanted(change)
      hasAdmitted ||= isShown
      return isShown
    },
    /** Words that look like slips of the pen, before anything came. */
    doubts: (): readonly FilterFinding[] => [
      ...(types ?? []).flatMap(word => doubtful('type', word, [...webhookTypes, ...toolEventTypes])),
      ...(roles ?? []).flatMap(word => doubtful('role', word, messageRoles)),
      ...(statuses ?? []).flatMap(word => doubtful('status', word, knownStatuses)),
    ],
    /** Words that nothing of all that came had, and what came instead. */
    unmatched(): readonly FilterFinding[] {
      const missing = kinds.flatMap(kind => missingOf(wordFilters[kind], kind, { all: !hasAdmitted }))
      return missing.length === 0 && hasEvents && !hasAdmitted ? [{ kind: 'nothing-left' }] : missing
    },
  }
}

function typeOf(change: Change): string {
  if (change.type !== undefined) return change.type
  return change.kind === 'status' ? 'status-update' : 'conversation-update'
}

const knownStatuses = [...new Set<string>([...webhookStatuses, ...callStatuses, ...unansweredStatuses])]

function doubtful(filter: FilterName, word: string, knownWords: readonly string[]): FilterFinding[] {
  const near = knownWords.includes(word) ? undefined : didYouMean(word, knownWords)
  return near === undefined ? [] : [{ kind: 'doubtful', filter, word, near }]
}

const kinds = ['call', 'type', 'role', 'status'] as const

/** Not every status and role occurs in a call, so a missing one is only reported if nothing was shown. */
function missingOf(
  words: WordFilter,
  filter: FilterName,
  { all }: { readonly all: boolean },
): FilterFinding[] {
  if (!all && (filter === 'role' || filter === 'status')) return []
  return words
    .missing()
    .slice(0, maxShown)
    .map(word => ({ kind: 'absent', filter, word, ...words.clue(word) }))
}

const maxShown = 8
