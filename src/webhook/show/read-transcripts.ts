import { type CallBuilder, createCallBuilder } from '../calls/call-builder.ts'
import { advance } from '../conversation.ts'
import { type Conversation, callIdOf, newConversation } from '../conversation-state.ts'
import { readEvent } from '../read-event.ts'
import type { RecordingItem, SkippedLine } from '../recording/recorded-event.ts'
import type { CallTranscript } from './call-transcript.ts'

export interface Transcripts {
  /** In the order of their first event. */
  readonly calls: readonly CallTranscript[]
  /** Lines of the recording that are no events. */
  readonly skipped: readonly SkippedLine[]
  /** Recorded events whose body is no webhook event. */
  readonly unreadable: number
}

/**
 * The calls of a recording by the same fold that `webhook tail` prints: each message once, in the order in which they
 * were first told, with the text that won; statuses once, with the time of their arrival.
 */
export async function readTranscripts(recording: AsyncIterable<RecordingItem>): Promise<Transcripts> {
  const calls = new Map<string | null, RecordedCall>()
  const skipped: SkippedLine[] = []
  let unreadable = 0
  for await (const item of recording) {
    if (item.kind === 'skipped') {
      if (skipped.length < mostSkipped || item.torn) skipped.push(item)
      continue
    }
    const event = readEvent(item.body)
    if (event === undefined) {
      unreadable += 1
      continue
    }
    const callId = callIdOf(event)
    const call = calls.get(callId) ?? {
      conversation: newConversation,
      builder: createCallBuilder(callId, item.at),
    }
    const { conversation, changes, late } = advance(call.conversation, event)
    call.builder.add({ event, changes, late: late > 0, at: item.at })
    calls.set(callId, { conversation, builder: call.builder })
  }
  return { calls: [...calls.values()].map(({ builder }) => builder.transcript()), skipped, unreadable }
}

interface RecordedCall {
  readonly conversation: Conversation
  readonly builder: CallBuilder
}

/** More are not told one by one. */
const mostSkipped = 1000
