import { assistantSchema } from '../../interface/assistant.ts'
import { withDefaults } from '../../interface/vocabulary.ts'
import type { WebhookType } from '../../interface/webhooks.ts'
import type { WebhookStatus } from '../../interface/words.ts'
import { lazy } from '../../lib/lazy.ts'
import { hasPayload } from '../conversation/index.ts'

/** The body of one webhook request (interface.md 6), with fields that may be changed. */
export interface SampleEvent {
  readonly message: Readonly<Record<string, unknown>>
}

/** One event of a made-up call, as the service sends it; without a status the one that fits its type. */
export function sampleEvent(type: WebhookType, call: SampleCall, status?: WebhookStatus): SampleEvent {
  const { message } = hasPayload(type, 'status')
    ? sampleStatusUpdate(call, status ?? 'queued')
    : sampleConversationUpdate(call, status ?? 'ongoing')
  return { message: { ...message, type } }
}

/** interface.md 6: the call status changed. `analysis` is empty until the last update. */
export function sampleStatusUpdate(call: SampleCall, status: WebhookStatus): SampleEvent {
  return {
    message: {
      type: 'status-update',
      call: sampleCallFields(call, status),
      assistant: sampleAssistant(),
      customer,
      analysis: status === 'finished' ? sampleAnalysis : {},
    },
  }
}

/** interface.md 6: the conversation gained messages; all of them so far. */
export function sampleConversationUpdate(
  call: SampleCall,
  status: WebhookStatus,
  messages = call.messages,
): SampleEvent {
  return {
    message: { type: 'conversation-update', call: sampleCallFields(call, status), customer, messages },
  }
}

/** Returns all events of a call in the order of the service: an update for each message, containing all messages so far. */
export function sampleSequence(call: SampleCall): SampleEvent[] {
  return [
    sampleStatusUpdate(call, 'queued'),
    sampleStatusUpdate(call, 'ongoing'),
    ...call.messages.map((_, index) =>
      sampleConversationUpdate(call, 'ongoing', call.messages.slice(0, index + 1)),
    ),
    sampleStatusUpdate(call, 'finished'),
  ]
}

const phoneCallStatuses = { queued: 'ringing', ongoing: 'in-progress', finished: 'completed' } as const

/** interface.md 2.9. */
export function sampleCallFields({ id, startAt, endAt }: SampleCall, status: WebhookStatus = 'finished') {
  return {
    id,
    ...sampleIds,
    callType: 'web',
    direction: 'outbound',
    ...(status === 'queued' ? {} : { startAt }),
    ...(status === 'finished' ? { endAt } : {}),
    userNumber: sampleNumbers.user,
    assistantNumber: sampleNumbers.assistant,
    status,
    phoneCallStatus: phoneCallStatuses[status],
    ...(status === 'finished' ? { callEndTriggerBy: 'user' } : {}),
    monitor: { controlUrl: `https://service.example.test/calls/${id}/control` },
    ...(status === 'finished' ? { analysis: sampleAnalysis } : {}),
  }
}

export type SampleCall = ReturnType<typeof sampleCall>

/** A repair is booked. The assistant begins. */
const opening = [
  'Hello, this is the front desk of Spoke and Chain. How can I help?',
  'Hi, my rear brake rubs. Can I bring the bicycle in on Tuesday?',
  'On Tuesday we have room at ten. Shall I book that for you?',
  'Yes, please.',
  'Done: Tuesday at ten. Is there anything else?',
] as const
/** Pairs of a question and a reply, repeated for longer calls. */
const questions = [
  'What does a brake service cost?',
  'It is 45 dollars for one brake, with the pads. We call you before we do more.',
  'How long will it take?',
  'About two hours. You can wait in the shop, or come back at noon.',
  'Do you have a bicycle that I can borrow?',
  'Yes, we keep two for that. I have put one aside for you.',
  'Where can I park when I bring it?',
  'In the yard behind the shop. The gate is open from nine.',
  'And could you look at the gears as well?',
  'Of course. I have added that to the booking. Anything else?',
] as const
const goodbye = 'No, thank you. Goodbye!'

/** Milliseconds from one message to the next. */
const pause = 3000

interface SampleCallOptions {
  readonly id: string
  readonly messages: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A made-up call of this many messages that has just ended: what the events of it tell (interface.md 2.9). */
export function sampleCall({ id, messages: count, now }: SampleCallOptions) {
  const start = now - (count + 1) * pause
  const messages = Array.from({ length: count }, (_, index) => ({
    messageId: `${id}-${index + 1}`,
    role: index % 2 === 0 ? 'assistant' : 'user',
    text: lineOf(index, count),
    timestamp: iso(start + (index + 1) * pause),
  }))
  return { id, startAt: iso(start), endAt: iso(now), messages }
}

/** interface.md 2.9. */
export const sampleAnalysis = {
  summary: 'The caller booked a brake repair for Tuesday at ten.',
  successEvaluation: 'pass',
  structuredData: { service: 'brake repair', day: 'Tuesday', time: '10:00' },
} as const

export const sampleNumbers = { user: '+12025550123', assistant: '+12025550100' } as const

const customer = { number: sampleNumbers.user, name: 'Ada' }

export const sampleIds = { assistantId: 'assistant-sample', teamId: 'team-sample' } as const

/** An assistant as the service returns it, with defaults (interface.md 2.1). */
const sampleAssistant = lazy(() => ({
  ...withDefaults(assistantSchema({}), {
    name: 'Front desk',
    assistantServer: { url: 'https://hooks.example.test/calls' },
    assistantAnalysis: {
      summary: { enabled: true },
      successEvaluation: { enabled: true },
      structuredData: {
        enabled: true,
        schema: {
          type: 'object',
          properties: { service: { type: 'string' }, day: { type: 'string' }, time: { type: 'string' } },
        },
      },
    },
    welcomeMessage: opening[0],
  }),
  _id: sampleIds.assistantId,
  teamId: sampleIds.teamId,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}))

/** A call that is long enough ends with the caller's goodbye. */
function lineOf(index: number, count: number): string {
  if (index === count - 1 && index % 2 === 1 && index >= opening.length) return goodbye
  return opening[index] ?? questions[(index - opening.length) % questions.length] ?? ''
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
