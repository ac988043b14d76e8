import { readTime, textOf } from '../receive/event-values.ts'
import type { ReadEvent } from '../receive/read-event.ts'
import type { CallTranscript, TranscriptMessage, TranscriptStatus, UnreadPart } from './call-transcript.ts'
import type { CallOrigin, Change } from './changes.ts'
import type { TakenEvent } from './summary-counter.ts'

/** An event of the call, as a tally gives it. */
export interface BuildStep extends Pick<TakenEvent, 'event' | 'changes' | 'late' | 'ended'> {
  /** Arrival, ISO 8601. */
  readonly at: string
}

/** One call as it grows. What it returns is read only, and changes with the next step. */
export interface CallBuilder {
  /** The places of the messages that are new or edited. */
  add(step: BuildStep): readonly number[]
  readonly messages: readonly TranscriptMessage[]
  readonly statuses: readonly TranscriptStatus[]
  readonly analysis: CallTranscript['analysis']
  readonly malformedItems: number
  readonly ended: boolean
  fact(name: Fact): string | null
  transcript(): CallTranscript
}

/**
 * Puts the changes of one call together: each message once with its last text, each status once. Of what is neither, `maxUnread`
 * parts are kept as they came; default: none.
 */
export function createCallBuilder(origin: CallOrigin, firstAt: string, { maxUnread = 0 } = {}): CallBuilder {
  let lastAt = firstAt
  let analysis: CallTranscript['analysis'] = null
  let malformedItems = 0
  let ended = false
  const facts = new Map<Fact, string>()
  const messages: TranscriptMessage[] = []
  const places = new Map<string, number>()
  const statuses: TranscriptStatus[] = []
  const others = new Map<string, number>()
  const unread: UnreadPart[] = []

  const put = (message: TranscriptMessage): number => {
    const { messageId } = message
    const known = messageId === null ? undefined : places.get(messageId)
    if (known !== undefined) {
      messages[known] = message
      return known
    }
    if (messageId !== null) places.set(messageId, messages.length)
    return messages.push(message) - 1
  }
  const keep = (part: UnreadPart) => {
    if (unread.length < maxUnread) unread.push(part)
  }
  const apply = (change: Change, at: string): number | undefined => {
    switch (change.kind) {
      case 'message':
      case 'edit': {
        const { messageId, role, text, timestamp = null } = change
        return put({ messageId, role, text, timestamp, edited: change.kind === 'edit' })
      }
      case 'status': {
        const { status, phoneCallStatus } = change
        const last = statuses.at(-1)
        const shown = typeof phoneCallStatus === 'string' ? phoneCallStatus : null
        // An analysis that came later comes with a status that is known, or with none.
        const isLate = change.analysis !== undefined && (status === 'unknown' || shown === null)
        const isKnown = last?.status === status && (last.phoneCallStatus === shown || isLate)
        if (!isKnown && !(isLate && status === 'unknown'))
          statuses.push({ status, phoneCallStatus: shown, at })
        analysis = change.analysis ?? analysis
        return undefined
      }
      case 'event':
        others.set(change.type, (others.get(change.type) ?? 0) + 1)
        keep({ at, type: change.type, path: null, odd: change.odd ?? [], value: change.event })
        return undefined
      case 'malformed':
        malformedItems += 1
        keep({ at, type: null, path: change.path, odd: [], value: change.item })
        return undefined
    }
  }
  const fact = (name: Fact) => facts.get(name) ?? null

  return {
    add({ event, changes, late, ended: isOver, at }) {
      lastAt = at
      ended = isOver
      // A status that comes too late tells what is no longer so.
      for (const [name, value] of factsOf(event)) {
        if (!late || !facts.has(name)) facts.set(name, value)
      }
      return changes.map(change => apply(change, at)).filter(place => place !== undefined)
    },
    messages,
    statuses,
    get analysis() {
      return analysis
    },
    get malformedItems() {
      return malformedItems
    },
    get ended() {
      return ended
    },
    fact,
    transcript() {
      return {
        callId: origin.callId,
        conversation: origin.conversation ?? null,
        direction: fact('direction'),
        callType: fact('callType'),
        userNumber: fact('userNumber'),
        assistantNumber: fact('assistantNumber'),
        teamId: fact('teamId'),
        assistantId: fact('assistantId'),
        assistantName: fact('assistantName'),
        customerName: fact('customerName'),
        startAt: fact('startAt'),
        endAt: fact('endAt'),
        callEndTriggerBy: fact('callEndTriggerBy'),
        firstAt,
        lastAt,
        ended,
        statuses,
        messages,
        analysis,
        otherEvents: Object.fromEntries(others),
        malformedItems,
        unread,
      }
    },
  }
}

/** interface.md 2.9. */
const callFacts = [
  'direction',
  'callType',
  'userNumber',
  'assistantNumber',
  'teamId',
  'assistantId',
  'startAt',
  'endAt',
  'callEndTriggerBy',
] as const

export type Fact = (typeof callFacts)[number] | 'assistantName' | 'customerName'

/** What an event tells of its call beside what happened (interface.md 2.9 and 6), as text; what it leaves open is left out. */
export function factsOf({ call, assistant, customer }: ReadEvent): [Fact, string][] {
  const found: [Fact, string | undefined][] = [
    ...callFacts.map((name): [Fact, string | undefined] => [
      name,
      name === 'startAt' || name === 'endAt' ? readTime(call[name]) : textOf(call[name]),
    ]),
    ['assistantName', textOf(assistant.name)],
    ['customerName', textOf(customer.name)],
    // The customer is the user of the call, the assistant its own, if the call does not say so itself.
    ...(call.userNumber === undefined
      ? [['userNumber', textOf(customer.number)] as [Fact, string | undefined]]
      : []),
    ...(call.assistantId === undefined
      ? [['assistantId', textOf(assistant._id)] as [Fact, string | undefined]]
      : []),
  ]
  return found.filter((pair): pair is [Fact, string] => pair[1] !== undefined)
}
