import type { CallTranscript } from '../events/conversation/changes.ts'
import { getOutcome, type OutcomeWords } from '../events/conversation/read-outcome.ts'
import { callFacts, formatSuccess } from '../events/transcript/call-words.ts'
import { maxFactLength, maxTextLength, shorten } from './shorten.ts'
import type { CallDetail, CallSummary } from './wire.ts'

/** The parts of a call that a page shows. */
export type ShownTranscript = Pick<CallTranscript, 'callId' | 'conversation' | 'statuses' | 'analysis'> &
  Parameters<typeof callFacts>[0]

/** Returns the part of a row of the list that the transcript tells. */
export function summarizeTranscript(call: ShownTranscript, words?: OutcomeWords) {
  const status = call.statuses.at(-1)
  const last = call.messages.at(-1)
  return {
    callId: clip(call.callId),
    conversation: call.conversation,
    customerName: clip(call.customerName),
    userNumber: clip(call.userNumber),
    direction: clip(call.direction),
    startAt: clip(call.startAt),
    endAt: clip(call.endAt),
    assistantNumber: clip(call.assistantNumber),
    assistantName: clip(call.assistantName),
    status: clip(status?.status ?? null),
    phoneCallStatus: clip(status?.phoneCallStatus ?? null),
    finished: call.ended,
    outcome: getOutcome(call, words),
    success: shorten(formatSuccess(call.analysis), maxFactLength),
    messages: call.messages.length,
    last: last === undefined ? null : { role: shorten(last.role, 40), text: shorten(last.text, 160) },
  } satisfies Partial<CallSummary>
}

/** Returns the facts of a call by label. */
export function describeTranscript(call: ShownTranscript, words?: OutcomeWords): CallDetail['facts'] {
  const id = call.callId === null ? [] : [{ name: 'call id', value: call.callId }]
  const facts = [...id, ...callFacts(call, words)]
  return facts.map(({ name, value }) => [name, shorten(value, maxTextLength)] as const)
}

export function clip(text: string | null): string | null {
  return text === null ? null : shorten(text, maxFactLength)
}
