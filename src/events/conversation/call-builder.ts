import { createDetailsCollector, type RecordedCall } from './call-details.ts'
import type {
  CallOrigin,
  CallTranscript,
  Change,
  Fact,
  StatusChange,
  TranscriptMessage,
  TranscriptStatus,
  UnreadPart,
} from './changes.ts'
import { readFact, readTextValue } from './read/event-values.ts'
import type { ReadEvent } from './read/read-event.ts'

/** An event of the call, as a ConversationTracker returns it, and its arrival, ISO 8601. */
interface BuildStep {
  readonly event: ReadEvent
  readonly changes: readonly Change[]
  readonly late: boolean
  readonly ended: boolean
  readonly at: string
}

/** One call as it grows. */
export type CallBuilder = ReturnType<typeof createCallBuilder>

const noFacts: Readonly<Record<Fact, null>> = {
  direction: null,
  callType: null,
  userNumber: null,
  assistantNumber: null,
  teamId: null,
  assistantId: null,
  assistantName: null,
  customerName: null,
  startAt: null,
  endAt: null,
  callEndTriggerBy: null,
}

/** Facts that are fields of the call itself. */
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
] as const satisfies readonly Fact[]

/**
 * Combines the changes of one call: each message once with its last text, each status once. Keeps up to `maxUnread` raw parts that are
 * neither; none by default. Reads details beside the transcript if `withDetails`.
 */
export function createCallBuilder(
  origin: CallOrigin,
  firstAt: string,
  { maxUnread = 0, withDetails = false } = {},
) {
  const details = createDetailsCollector()
  const messages: TranscriptMessage[] = []
  const indexes = new Map<string, number>()
  const statuses: TranscriptStatus[] = []
  // Without a prototype, because a type may be `__proto__`.
  const otherEvents: Record<string, number> = Object.create(null)
  const unread: UnreadPart[] = []
  const call: { -readonly [Field in keyof CallTranscript]: CallTranscript[Field] } = {
    callId: origin.callId,
    conversation: origin.conversation ?? null,
    ...noFacts,
    firstAt,
    lastAt: firstAt,
    ended: false,
    statuses,
    messages,
    analysis: null,
    otherEvents,
    malformedItems: 0,
    unread,
  }

  const put = (message: TranscriptMessage): number => {
    const { messageId } = message
    const knownIndex = messageId === null ? undefined : indexes.get(messageId)
    if (knownIndex !== undefined) {
      messages[knownIndex] = message
      return knownIndex
    }
    if (messageId !== null) indexes.set(messageId, messages.length)
    return messages.push(message) - 1
  }
  const addUnread = (part: UnreadPart) => {
    if (unread.length < maxUnread) unread.push(part)
  }
  const addStatus = (change: StatusChange, at: string) => {
    const { status, phoneCallStatus } = change
    const last = statuses.at(-1)
    const phoneStatus = typeof phoneCallStatus === 'string' ? phoneCallStatus : null
    // A later analysis arrives with a known status, or without one.
    const isLate = change.analysis !== undefined && (status === 'unknown' || phoneStatus === null)
    const isKnown = last?.status === status && (last.phoneCallStatus === phoneStatus || isLate)
    if (!isKnown && !(isLate && status === 'unknown'))
      statuses.push({ status, phoneCallStatus: phoneStatus, at })
    call.analysis = change.analysis ?? call.analysis
  }
  const apply = (change: Change, at: string): number | undefined => {
    if (change.kind === 'message' || change.kind === 'edit') {
      const { messageId, role, text, timestamp = null } = change
      return put({ messageId, role, text, timestamp, edited: change.kind === 'edit' })
    }
    if (change.kind === 'status') addStatus(change, at)
    else if (change.kind === 'event') {
      otherEvents[change.type] = (otherEvents[change.type] ?? 0) + 1
      addUnread({ at, type: change.type, path: null, odd: change.odd ?? [], value: change.event })
    } else {
      call.malformedItems += 1
      addUnread({ at, type: null, path: change.path, odd: [], value: change.item })
    }
    return undefined
  }
  /** A late status is outdated. */
  const learn = (name: Fact, value: string | undefined, late: boolean) => {
    if (value !== undefined && (!late || call[name] === null)) call[name] = value
  }

  return {
    /** Returns the indexes of the messages that are new or edited. */
    add({ event, changes, late, ended, at }: BuildStep): readonly number[] {
      call.lastAt = at
      call.ended = ended
      if (withDetails) details.add({ event, heardBefore: messages.length, at })
      const { call: fields, assistant, customer } = event
      for (const name of callFacts) learn(name, readFact(fields, name), late)
      learn('assistantName', readName(assistant), late)
      learn('customerName', readName(customer), late)
      // The customer is the user of the call, the assistant its own, if the call does not say so itself.
      if (fields.userNumber === undefined) learn('userNumber', readTextValue(customer.number), late)
      if (fields.assistantId === undefined) learn('assistantId', readTextValue(assistant._id), late)
      return changes.map(change => apply(change, at)).filter(index => index !== undefined)
    },
    /** The call so far, which changes with each event. */
    call: call as CallTranscript,
    recorded: (): RecordedCall => ({ transcript: call, ...details.all() }),
  }
}

/** A name of only blanks would be a title that cannot be seen. */
function readName({ name }: Readonly<Record<string, unknown>>): string | undefined {
  const text = readTextValue(name)
  return text?.trim() === '' ? undefined : text
}
