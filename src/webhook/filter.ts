import {
  callStatuses,
  messageRoles,
  unansweredStatuses,
  webhookStatuses,
  webhookTypes,
} from '../interface/words.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import type { CallOrigin, CallTranscript, Change } from './conversation/changes.ts'
import type { Clue } from './errors.ts'

/** How the events that name no call are named. */
export const withoutCallId = '-'

/** The names by which a call may be asked for: its id; without one `-`, and `-2` for the second of them. */
export function namesOf({ callId, conversation }: CallOrigin): readonly string[] {
  if (callId !== null) return [callId]
  return conversation === undefined ? [withoutCallId] : [withoutCallId, `${withoutCallId}${conversation}`]
}

/** What is to be shown: several words of one kind are alternatives, all kinds together must hold. */
export interface FilterWords {
  /** Beginnings of their ids; `-` for the events that name no call, `-2` for the second call without id. */
  readonly calls?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
  /** Messages of these roles, and of what has no role nothing but the statuses below. */
  readonly roles?: readonly string[] | undefined
  /** Changes to these statuses with what came with them, and of the rest nothing but the messages above. */
  readonly statuses?: readonly string[] | undefined
}

/** What one of the words is about. */
export type FilterName = (typeof kinds)[number]

/** Something about a filter that a person should know. */
export type FilterFinding =
  /** A word that looks like a slip of the pen. */
  | { readonly kind: 'doubtful'; readonly filter: FilterName; readonly word: string; readonly near: string }
  /** Nothing that came had this word. */
  | ({ readonly kind: 'absent'; readonly filter: FilterName; readonly word: string } & Clue)
  /** All words came, and never together. */
  | { readonly kind: 'nothing-left' }

export type Filter = ReturnType<typeof createFilter>

/** Which changes of calls are shown. It changes nothing in what is recorded, forwarded and counted. */
export function createFilter({ calls, types, roles, statuses }: FilterWords) {
  const wanted = {
    call: createWantedWords(calls, { beginnings: true }),
    type: createWantedWords(types),
    role: createWantedWords(roles),
    status: createWantedWords(statuses),
  } as const
  const isFilter = [calls, types, roles, statuses].some(words => words !== undefined)
  const narrowed = roles !== undefined || statuses !== undefined
  let admitted = false
  let came = false

  /** Each sees what came, also where another one has refused it. */
  const isWanted = (change: Change): boolean => {
    const ofCall = namesOf(change).filter(wanted.call.take).length > 0
    const ofType = wanted.type.take(typeOf(change))
    return isOfKind(change) && ofCall && ofType
  }
  const isOfKind = (change: Change): boolean => {
    if (change.kind === 'message' || change.kind === 'edit') {
      const ofRole = wanted.role.take(change.role)
      return !narrowed || (roles !== undefined && ofRole)
    }
    if (change.kind !== 'status') return !narrowed
    // Both words are printed.
    const words = [change.status, change.phoneCallStatus].filter(word => typeof word === 'string')
    const ofStatus = words.filter(wanted.status.take).length > 0
    return !narrowed || (statuses !== undefined && ofStatus)
  }
  return {
    /**
     * Whether this is to be shown. To be asked for everything that came, for `unmatched`; asking twice about the same does
     * no harm.
     */
    admits(change: Change): boolean {
      if (!isFilter) return true
      came = true
      const is = isWanted(change)
      admitted ||= is
      return is
    },
    /** Words that look like slips of the pen, before anything came. */
    doubts: (): readonly FilterFinding[] => [
      ...(types ?? []).flatMap(word => doubtful('type', word, webhookTypes)),
      ...(roles ?? []).flatMap(word => doubtful('role', word, messageRoles)),
      ...(statuses ?? []).flatMap(word => doubtful('status', word, knownStatuses)),
    ],
    /** Words that nothing of all that came had, and what came instead. */
    unmatched(): readonly FilterFinding[] {
      const missing = kinds.flatMap(kind => missingOf(wanted[kind], kind, { all: !admitted }))
      return missing.length === 0 && came && !admitted ? [{ kind: 'nothing-left' }] : missing
    },
  }
}

function typeOf(change: Change): string {
  if (change.type !== undefined) return change.type
  return change.kind === 'status' ? 'status-update' : 'conversation-update'
}

const knownStatuses = [...new Set<string>([...webhookStatuses, ...callStatuses, ...unansweredStatuses])]

function doubtful(filter: FilterName, word: string, known: readonly string[]): FilterFinding[] {
  const near = known.includes(word) ? undefined : didYouMean(word, known)
  return near === undefined ? [] : [{ kind: 'doubtful', filter, word, near }]
}

const kinds = ['call', 'type', 'role', 'status'] as const

/** Not every status and role must come, so that one alone is no news as long as something was shown. */
function missingOf(
  words: WantedWords,
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

/** How a person names a recorded call: its id; `-1`, `-2` without one; `-` the events of no call. */
export function callName({ callId, conversation }: Pick<CallTranscript, 'callId' | 'conversation'>): string {
  return callId ?? (conversation === null ? withoutCallId : `${withoutCallId}${conversation}`)
}

type WantedWords = ReturnType<typeof createWantedWords>

/** Words that are wanted, and those that come by. With `beginnings` one stands for all that begin so, until exactly it came by. */
export function createWantedWords(wanted: readonly string[] | undefined, { beginnings = false } = {}) {
  const missing = new Set(wanted)
  const asked = new Set(wanted)
  /** Those asked for that may still be a beginning. */
  const open = new Set(beginnings ? wanted : [])
  const words = new Set<string>()
  return {
    /** Whether this word is wanted: every one is, where none was asked for. Remembers it for the hint. */
    take(word: string): boolean {
      missing.delete(word)
      open.delete(word)
      if (words.size < maxRemembered && word.length <= maxTermLength) words.add(word)
      const begins = [...open].filter(beginning => word.startsWith(beginning))
      for (const beginning of begins) missing.delete(beginning)
      return wanted === undefined || asked.has(word) || begins.length > 0
    },
    /** Those asked for that did not come. */
    missing: (): readonly string[] => [...missing],
    /** What came instead of a word that was asked for. */
    clue(word: string): Clue {
      const found = [...words]
      const near = didYouMean(word, found)
      return { near, seen: found.slice(0, maxListed), more: found.length > maxListed }
    },
  }
}

/** There may be any number of words, of any length. */
const maxRemembered = 1000
const maxTermLength = 200
const maxListed = 8
