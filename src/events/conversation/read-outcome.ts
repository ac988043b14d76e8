import {
  type CallOutcome,
  callOutcomes,
  foldWord,
  type OutcomeField,
  type UnansweredStatus,
  unansweredStatuses,
} from '../../interface/words.ts'
import { saysPhrase } from '../../lib/text/words.ts'

/** Outcomes by word, for each field of an event; words in any spelling. */
export type OutcomeWords = Readonly<
  Partial<Record<OutcomeField, Readonly<Record<string, CallOutcome>> | undefined>>
>

/** The part of a call that tells its outcome. */
export interface CallCourse {
  readonly ended: boolean
  /** In the order of their arrival. */
  readonly statuses: readonly { readonly status: string; readonly phoneCallStatus: string | null }[]
  readonly messages: readonly { readonly role: string; readonly text: string }[]
  readonly callEndTriggerBy?: string | null | undefined
  /** Number of events other than the two of the interface, by type. */
  readonly otherEvents?: Readonly<Record<string, number>> | undefined
}

/** Properties of an outcome. Its name is the word that every command, document and page has for it. */
interface OutcomeKind {
  /** Somebody, or something, picked up; undefined if that is unknown. */
  readonly isTaken: boolean | undefined
  /**
   * Words of carriers that mean it (interface.md 3 shows no values but `ringing`). Words for an end, such as `completed`, are not among
   * them: a call that nobody picked up is completed too.
   */
  readonly words: readonly string[]
}

/** The one table of outcomes. */
const outcomeKinds: Readonly<Record<CallOutcome, OutcomeKind>> = {
  answered: { isTaken: true, words: ['ongoing', 'in-progress', 'answered'] },
  forwarded: { isTaken: true, words: ['forwarded', 'transferred', 'call-forwarded'] },
  voicemail: {
    isTaken: true,
    words: [
      ...[
        'voicemail',
        'voice-mail',
        'voicemail-detected',
        'answering-machine',
        'machine',
        'machine-detected',
      ],
      ...['machine-start', 'machine-end-beep', 'machine-end-silence', 'machine-end-other'],
    ],
  },
  'no-answer': {
    isTaken: false,
    words: ['no-answer', 'not-answered', 'unanswered', 'no-reply', 'ring-timeout', 'missed'],
  },
  busy: { isTaken: false, words: ['busy', 'user-busy', 'declined', 'rejected'] },
  failed: {
    isTaken: false,
    words: ['failed', 'error', 'invalid-number', 'unreachable', 'canceled', 'cancelled'],
  },
  unclear: { isTaken: undefined, words: [] },
}

/** Explanations of the carrier's words for a call that nobody picked up; they follow "the call was not answered: ". */
export const unansweredReasons = {
  busy: 'the line was busy',
  'no-answer': 'the phone rang and was not picked up',
  failed: 'the number could not be reached',
  canceled: 'it was ended while the phone rang',
} as const satisfies Record<UnansweredStatus, string>

/** True if nobody picked up. */
export function isUnanswered(outcome: CallOutcome | null): boolean {
  return outcome !== null && outcomeKinds[outcome].isTaken === false
}

/** True if somebody, or something, picked up. */
export function isTaken(outcome: CallOutcome): boolean {
  return outcomeKinds[outcome].isTaken === true
}

/** Greetings of voicemail, which speaks in the place of the caller. */
const voicemailPhrases = [
  ...['leave a message', 'leave your message', 'leave me a message', 'after the tone', 'after the beep'],
  ...['at the tone', 'voicemail', 'voice mail', 'mailbox', 'record your message'],
]

/** Voicemail says its greeting, and at most one line after it. */
const maxVoicemailMessages = 2

/**
 * Returns the outcome of a call; null while it continues. `words`, those of the project, take precedence, then voicemail and forwarding,
 * then what the caller said, then the latest word of the phone or the call. A call that says nothing known is `unclear`.
 */
export function getOutcome(
  { ended, statuses, messages, callEndTriggerBy: endedBy = null, otherEvents = {} }: CallCourse,
  words: OutcomeWords = {},
): CallOutcome | null {
  if (!ended) return null
  const fieldWords: readonly (readonly [OutcomeField, string])[] = [
    ...(endedBy === null ? [] : [['callEndTriggerBy', endedBy] as const]),
    ...statuses
      .toReversed()
      .flatMap(({ status, phoneCallStatus }) => [
        ...(phoneCallStatus === null ? [] : [['phoneCallStatus', phoneCallStatus] as const]),
        ['status', status] as const,
      ]),
    ...Object.keys(otherEvents).map(type => ['type', type] as const),
  ]
  const declared = fieldWords.map(([field, word]) => lookUp(words[field] ?? {}, word)).find(isKnown)
  if (declared !== undefined) return declared
  const outcomes = fieldWords.map(([, word]) => outcomeOfWord(word)).filter(isKnown)
  const special = outcomes.find(outcome => outcome === 'voicemail' || outcome === 'forwarded')
  if (special !== undefined) return special
  const userMessages = messages.filter(({ role }) => getSpeaker(role) === 'user')
  if (userMessages.length > 0) return isVoicemail(userMessages) ? 'voicemail' : 'answered'
  const latest = outcomes.find(outcome => outcome !== 'answered')
  if (latest !== undefined) return latest
  // A line that nobody picked up is not completed, but a call may be.
  const isConnected = statuses.some(
    ({ phoneCallStatus }) => phoneCallStatus !== null && foldWord(phoneCallStatus) === 'completed',
  )
  return outcomes.length > 0 || messages.length > 0 || isConnected ? 'answered' : 'unclear'
}

/** Role names, including those of other services. */
const speakers: Readonly<Record<'user' | 'assistant', readonly string[]>> = {
  user: ['user', 'caller', 'customer', 'human'],
  assistant: ['assistant', 'agent', 'bot', 'ai', 'model'],
}

/** Returns the side that a message is of, by the role that the service has for it; undefined for other roles, such as `tool`. */
export function getSpeaker(role: string): 'user' | 'assistant' | undefined {
  const word = foldWord(role.trim())
  return (['user', 'assistant'] as const).find(side => speakers[side].includes(word))
}

/** Returns the carrier's word for a call that nobody picked up; undefined if there is none. */
export function readUnansweredStatus(statuses: CallCourse['statuses']): UnansweredStatus | undefined {
  const last = statuses.at(-1)
  return toUnansweredStatus(last?.phoneCallStatus) ?? toUnansweredStatus(last?.status)
}

/** Normalizes a carrier's word, independent of spelling; undefined if it does not mean that nobody picked up. */
function toUnansweredStatus(word: string | null | undefined): UnansweredStatus | undefined {
  const folded = typeof word === 'string' ? foldWord(word) : undefined
  const status = unansweredStatuses.find(candidate => candidate === folded)
  return status === 'cancelled' ? 'canceled' : status
}

function isVoicemail(userMessages: CallCourse['messages']): boolean {
  return (
    userMessages.length <= maxVoicemailMessages && saysPhrase(userMessages[0]?.text ?? '', voicemailPhrases)
  )
}

function lookUp(words: Readonly<Record<string, CallOutcome>>, word: string): CallOutcome | undefined {
  const folded = foldWord(word)
  return Object.entries(words).find(([candidate]) => foldWord(candidate) === folded)?.[1]
}

function outcomeOfWord(word: string): CallOutcome | undefined {
  const folded = foldWord(word)
  return callOutcomes.find(outcome => outcomeKinds[outcome].words.includes(folded))
}

function isKnown(outcome: CallOutcome | undefined): outcome is CallOutcome {
  return outcome !== undefined
}
