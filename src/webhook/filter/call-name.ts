import type { CallTranscript } from '../conversation/call-transcript.ts'
import { withoutCallId } from './filter.ts'

/** How a person names a recorded call: its id; `-1`, `-2` without one; `-` the events of no call. */
export function callName({ callId, conversation }: Pick<CallTranscript, 'callId' | 'conversation'>): string {
  return callId ?? (conversation === null ? withoutCallId : `${withoutCallId}${conversation}`)
}
