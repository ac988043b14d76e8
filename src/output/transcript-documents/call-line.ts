import type { CallTranscript } from '../../webhook/show/call-transcript.ts'
import { escapeForTerminal } from '../escape.ts'
import { showTime } from './shown-time.ts'

/** A call in a list of calls, on one line: time, id, numbers, messages, status. Escaped, for prompts that print as they are. */
export function callLine(call: CallTranscript): string {
  const { callId, firstAt, userNumber, assistantNumber, messages, statuses } = call
  return escapeForTerminal(
    [
      showTime(firstAt).full,
      callId ?? '-',
      [assistantNumber, userNumber]
        .map(number => number ?? '?')
        .join(call.direction === 'inbound' ? ' ← ' : ' → '),
      `${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`,
      statuses.at(-1)?.status ?? 'no status',
    ].join('  '),
  )
}
