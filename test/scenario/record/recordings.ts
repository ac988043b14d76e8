import { readRecording } from '../../../src/recordings/read-recording.ts'
import { type RecordedCalls, readRecordedCalls } from '../../../src/scenario/record/recorded-calls.ts'
import { recordedLine } from '../../recordings/recorded.ts'

/** One line of a conversation, or a tool's request between two of them. */
export type Said =
  | readonly [role: string, text: string, seconds?: number]
  | { readonly tool: Readonly<Record<string, unknown>> }

export interface SampleCall {
  readonly id?: string
  readonly said: readonly Said[]
  readonly call?: Readonly<Record<string, unknown>>
  readonly end?: Readonly<Record<string, unknown>>
  readonly customer?: Readonly<Record<string, unknown>>
  readonly assistant?: Readonly<Record<string, unknown>>
  readonly analysis?: Readonly<Record<string, unknown>>
}

const start = Date.UTC(2026, 0, 1, 9)

/** The bodies of the events of a call as a service sends them: each update carries all that was said so far. */
export function eventsOf({
  id = 'CC-1',
  said,
  call,
  end,
  customer,
  assistant,
  analysis,
}: SampleCall): unknown[] {
  const base = { id, startAt: new Date(start).toISOString(), ...call }
  const messages: unknown[] = []
  const status = (more: object) => ({
    message: { type: 'status-update', call: { ...base, ...more }, customer, assistant, analysis },
  })
  const events: unknown[] = [status({ status: 'ongoing' })]
  for (const [index, each] of said.entries()) {
    if ('tool' in each) {
      events.push({ message: { type: 'tool-call', call: base, toolCall: each.tool } })
      continue
    }
    const [role, text, seconds = index * 5] = each
    const timestamp = new Date(start + seconds * 1000).toISOString()
    messages.push({ messageId: `${id}-${messages.length}`, role, text, timestamp })
    events.push({ message: { type: 'conversation-update', call: base, messages: [...messages] } })
  }
  const endAt = new Date(start + said.length * 5000).toISOString()
  if (end !== undefined) events.push(status({ status: 'finished', endAt, ...end }))
  return events
}

/** The text of a recording with these bodies. */
export function recordingOf(bodies: readonly unknown[]): string {
  return bodies.map((body, seconds) => recordedLine(body, { seconds })).join('')
}

export async function readBodies(bodies: readonly unknown[]): Promise<RecordedCalls> {
  const bytes = (async function* () {
    yield Buffer.from(recordingOf(bodies))
  })()
  return readRecordedCalls(readRecording({ name: 'stdin', bytes }))
}

export async function readCall(sample: SampleCall) {
  const { calls } = await readBodies(eventsOf(sample))
  const [call] = calls
  if (call === undefined) throw new Error('there is no call')
  return call
}
