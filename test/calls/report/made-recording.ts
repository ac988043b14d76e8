import type { MadeCall } from './reference.ts'
import { eventsOf } from './reference.ts'

const madeCall: MadeCall = {
  id: 'CC-1',
  startAt: Date.UTC(2026, 2, 1, 10),
  assistant: 'Front desk',
  from: '+12025550100',
  messages: [
    { role: 'assistant', text: 'Hello, how can I help?', gapMs: 2000 },
    { role: 'user', text: 'When are you open?', gapMs: 3000 },
    { role: 'assistant', text: 'We are open from nine to six.', gapMs: 3000 },
  ],
  hasTimes: true,
  tools: [],
  end: 'answered',
  endedBy: 'user',
  tailMs: 1000,
  success: 'pass',
  data: { persons: 2, topic: 'hours' },
}

/** The recording of calls that differ from a call of three messages, in which the assistant replies after 1067 ms. */
export function madeRecording(...calls: readonly Partial<MadeCall>[]): string {
  return calls
    .flatMap((call, index) => eventsOf({ ...madeCall, id: `CC-${index + 1}`, ...call }))
    .sort((one, other) => one.at - other.at)
    .map(({ at, body }) => {
      const line = { kind: 'recorded', version: 1, at: new Date(at).toISOString(), headers: {} }
      return `${JSON.stringify({ ...line, body: JSON.stringify(body) })}\n`
    })
    .join('')
}

/** A reply after 7 s. */
export const slowReply: MadeCall['messages'] = [
  { role: 'user', text: 'Where is the workshop?', gapMs: 3000 },
  { role: 'assistant', text: 'I do not know that, sorry.', gapMs: 8733 },
]
