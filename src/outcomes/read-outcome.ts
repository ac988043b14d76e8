import {
  type CallOutcome,
  callOutcomes,
  foldWord,
  type OutcomeField,
  toUnansweredStatus,
  type UnansweredStatus,
} from '../interface/words.ts'
import { saysPhrase } from '../lib/text/words.ts'

/** Outcomes by word, for each field of an event; words in any spelling. */
export type OutcomeWords = Readonly<
  Partial<Record<OutcomeField, Readonly<Record<string, CallOutcome>> | undefined>>
>

/** Words and messages of a call that tell its outcome. */
export interface OutcomeFacts {
  /** Statuses in the order of their arrival. */
  readonly statuses: readonly { readonly status: string; readonly phoneCallStatus: string | null }[]
  readonly endedBy: string | null
  /** Types of the events, other than the two of the interface. */
  readonly types: readonly string[]
  readonly messages: readonly { readonly role: string; readonly text: string }[]
}

/**
 * Words of carriers by the outcome that they mean (interface.md 3 shows no values but `ringing`). Words for an end, such as
 * `completed`, are not among them: a call that nobody picked up is completed too.
 */
const knownWords: Readonly<Partial<Record<CallOutcome, readonly string[]>>> = {
  voicemail: [
    ...['voicemail', 'voice-mail', 'voicemail-detected', 'answering-machine', 'machine', 'machine-detected'],
    ...['machine-start', 'machine-end-beep', 'machine-end-silence', 'machine-end-other'],
  ],
  forwarded: ['forwarded', 'transferred', 'call-forwarded'],
  'no-answer': ['no-answer', 'not-answered', 'unanswered', 'no-reply', 'ring-timeout', 'missed'],
  busy: ['busy', 'user-busy', 'declined', 'rejected'],
  failed: ['failed', 'error', 'invalid-number', 'unreachable', 'canceled', 'cancelled'],
  answered: ['ongoing', 'in-progress', 'answered'],
}

/** Greetings of voicemail, which speaks in the place of the caller. */
const voicemailPhrases = [
  ...['leave a message', 'leave your message', 'leave me a message', 'after the tone', 'after the beep'],
  ...['at the tone', 'voicemail', 'voice mail', 'mailbox', 'record your message'],
]

/** Voicemail says its greeting, and at most one line after it. */
const maxVoicemailMessages = 2

/**
 * Returns the outcome of an ended call. `words` takes precedence, then voicemail and forwarding, then what the caller said, then the
 * latest word of the phone or the call. A call that says nothing known is `unclear`.
 */
export function readOutcome(facts: OutcomeFacts, words: OutcomeWords = {}): CallOutcome {
  const { statuses, endedBy, types, messages } = facts
  const seen: readonly (readonly [OutcomeField, string])[] = [
    ...(endedBy === null ? [] : [['callEndTriggerBy', endedBy] as const]),
    ...statuses
      .toReversed()
      .flatMap(({ status, phoneCallStatus }) => [
        ...(phoneCallStatus === null ? [] : [['phoneCallStatus', phoneCallStatus] as const]),
        ['status', status] as const,
      ]),
    ...types.map(type => ['type', type] as const),
  ]
  const declared = seen.map(([field, word]) => lookUp(words[field] ?? {}, word)).find(isKnown)
  if (declared !== undefined) return declared
  const known = seen.map(([, word]) => outcomeOfWord(word)).filter(isKnown)
  const special = known.find(outcome => outcome === 'voicemail' || outcome === 'forwarded')
  if (special !== undefined) return special
  const spoken = messages.filter(({ role }) => role === 'user')
  if (spoken.length > 0) return isVoicemail(spoken) ? 'voicemail' : 'answered'
  const latest = known.find(outcome => outcome !== 'answered')
  if (latest !== undefined) return latest
  // A line that nobody picked up is not completed, but a call may be.
  const isConnected = statuses.some(
    ({ phoneCallStatus }) => phoneCallStatus !== null && foldWord(phoneCallStatus) === 'completed',
  )
  return known.length > 0 || messages.length > 0 || isConnected ? 'answered' : 'unclear'
}

/** Returns the carrier's word for a call that nobody picked up; undefined if there is none. */
export function readUnansweredStatus({
  statuses,
}: Pick<OutcomeFacts, 'statuses'>): UnansweredStatus | undefined {
  const last = statuses.at(-1)
  return toUnansweredStatus(last?.phoneCallStatus) ?? toUnansweredStatus(last?.status)
}

function isVoicemail(spoken: OutcomeFacts['messages']): boolean {
  return spoken.length <= maxVoicemailMessages && saysPhrase(spoken[0]?.text ?? '', voicemailPhrases)
}

function lookUp(words: Readonly<Record<string, CallOutcome>>, word: string): CallOutcome | undefined {
  const folded = foldWord(word)
  return Object.entries(words).find(([known]) => foldWord(known) === folded)?.[1]
}

function outcomeOfWord(word: string): CallOutcome | undefined {
  const folded = foldWord(word)
  return callOutcomes.find(outcome => knownWords[outcome]?.includes(folded))
}

function isKnown(outcome: CallOutcome | undefined): outcome is CallOutcome {
  return outcome !== undefined
}
