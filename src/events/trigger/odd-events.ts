import { type OddShape, oddShapeNames } from './odd-shapes.ts'
import {
  type SampleCall,
  sampleAnalysis,
  sampleCall,
  sampleCallFields,
  sampleConversationUpdate,
  sampleNumbers,
  sampleStatusUpdate,
} from './sample-events.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the events of every odd shape, for authors of receivers: deployments may send them although the interface does not show them.
 * Each shape is a separate call, whose id starts with `id` and ends with the name of the shape. It ends at `now`, in milliseconds since
 * the epoch, unless the end is odd. All other fields follow interface.md 6.
 */
export function oddEvents({ id, now }: { readonly id: string; readonly now: number }) {
  return oddShapeNames.flatMap(shape => {
    const call = sampleCall({ id: `${id}-${shape}`, messages: 2, now })
    return makers[shape](call, now).map(event => ({ shape, event }))
  })
}

const makers: Readonly<Record<OddShape, (call: SampleCall, now: number) => Fields[]>> = {
  'numeric-call-id': (call, now) => {
    const id = now % 1_000_000_000
    return [
      conversation(call, { call: { ...sampleCallFields(call, 'ongoing'), id } }),
      finishCall(call, { call: { ...sampleCallFields(call), id } }),
    ]
  },
  'numeric-status': call => [ongoing(call, { status: 2 }), finishCall(call)],
  'numeric-phone-numbers': call => [
    finishCall(call, {
      call: {
        ...sampleCallFields(call),
        userNumber: digits(sampleNumbers.user),
        assistantNumber: digits(sampleNumbers.assistant),
      },
      customer: { number: digits(sampleNumbers.user), name: 'Ada' },
    }),
  ],
  'numeric-message-ids': call => [
    conversation(call, {
      messages: call.messages.map((message, index) => ({ ...message, messageId: index + 1 })),
    }),
    finishCall(call),
  ],
  'epoch-milliseconds': call => timed(call, time => Date.parse(time)),
  'epoch-seconds': call => timed(call, time => Date.parse(time) / 1000),
  'epoch-text': call => timed(call, time => String(Date.parse(time))),
  'call-without-id': call => {
    const { id: _, ...rest } = sampleCallFields(call)
    return [finishCall(call, { call: rest })]
  },
  'call-as-text': call => [finishCall(call, { call: call.id })],
  'no-call': call =>
    ['Hello, front desk.', 'Hello, workshop.'].flatMap(welcome => {
      const texts = [welcome, 'When are you open?']
      const messages = call.messages.map(({ role }, index) => ({
        messageId: `${role}-1`,
        role,
        text: texts[index],
      }))
      return [1, 2].map(count =>
        inMessage({ type: 'conversation-update', messages: messages.slice(0, count) }),
      )
    }),
  'analysis-as-text': call => [withAnalysis(call, 'good')],
  'analysis-values': call => [
    withAnalysis(call, { summary: null, successEvaluation: 10, structuredData: true }),
  ],
  'assistant-as-text': call => [finishCall(call, { assistant: 'assistant-1' })],
  'customer-as-text': call => [finishCall(call, { customer: sampleNumbers.user })],
  'messages-as-text': call => [
    conversation(call, { messages: call.messages.map(({ role, text }) => `${role}: ${text}`).join('\n') }),
    finishCall(call),
  ],
  'odd-messages': call => {
    const [welcome] = call.messages
    const { messageId: _id, ...withoutId } = { ...welcome }
    const { role: _role, ...withoutRole } = { ...welcome, messageId: 'without-role' }
    const { text: _text, ...withoutText } = { ...welcome, messageId: 'without-text' }
    return [
      conversation(call, { messages: [withoutId, withoutRole, withoutText, 'Hello', null] }),
      finishCall(call),
    ]
  },
  'null-fields': () => [
    inMessage({ type: null, call: null, assistant: null, customer: null, analysis: null, messages: null }),
  ],
  'type-unknown': call => [
    conversation(call, { type: 'call-summary', analysis: sampleAnalysis }),
    finishCall(call),
  ],
  'type-missing': call => {
    const { type: _, ...message } = sampleStatusUpdate(call, 'finished').message
    return [inMessage(message)]
  },
  'type-number': call => [finishCall(call, { type: 7 })],
  'status-completed': call => endedBy(call, 'completed'),
  'status-forwarded': call => endedBy(call, 'forwarded'),
  'status-failed': call => endedBy(call, 'failed'),
  'status-busy': call => endedBy(call, 'busy'),
  'status-no-answer': call => endedBy(call, 'no-answer'),
  'status-canceled': call => endedBy(call, 'canceled'),
  'status-cancelled': call => endedBy(call, 'cancelled'),
  'status-unknown': call => [ongoing(call, { status: 'on-hold' }), finishCall(call)],
  'end-of-call-report': call => [
    ongoing(call),
    inMessage({
      type: 'end-of-call-report',
      call: sampleCallFields(call, 'ongoing'),
      endedReason: 'customer-ended-call',
      analysis: sampleAnalysis,
      messages: call.messages,
    }),
  ],
  'end-time-alone': call => {
    const { status: _, phoneCallStatus: _phone, ...rest } = sampleCallFields(call)
    return [finishCall(call, { call: rest })]
  },
  'own-names': call => [
    finishCall(call, {
      call: Object.fromEntries([...Object.entries(sampleCallFields(call)), ...ownNames]),
      customer: Object.fromEntries([['number', sampleNumbers.user], ...ownNames]),
    }),
  ],
  'control-characters': call => [
    conversation(call, {
      messages: call.messages.map(message => ({
        ...message,
        text: `\u001b[31mred\u001b[0m \u202etfel ot thgir\u202c \ud83d bell\u0007\u0000`,
      })),
    }),
    finishCall(call),
  ],
  'message-as-text': call => [{ message: `the call ${call.id} has ended` }],
  'message-missing': call => [{ event: 'finished', callId: call.id }],
  'no-envelope': call => [sampleStatusUpdate(call, 'finished').message],
}

const ownNames: readonly [string, unknown][] = [
  ['__proto__', { polluted: true }],
  ['constructor', 'text'],
  ['toString', 1],
]

function inMessage(message: Fields): Fields {
  return { message }
}

function finishCall(call: SampleCall, changes: Fields = {}): Fields {
  return inMessage({ ...sampleStatusUpdate(call, 'finished').message, ...changes })
}

function ongoing(call: SampleCall, changes: Fields = {}): Fields {
  const { message } = sampleStatusUpdate(call, 'ongoing')
  return inMessage({ ...message, call: { ...sampleCallFields(call, 'ongoing'), ...changes } })
}

function conversation(call: SampleCall, changes: Fields): Fields {
  return inMessage({ ...sampleConversationUpdate(call, 'ongoing').message, ...changes })
}

function endedBy(call: SampleCall, status: string): Fields[] {
  return [
    ongoing(call),
    finishCall(call, { call: { ...sampleCallFields(call), status, phoneCallStatus: status } }),
  ]
}

function withAnalysis(call: SampleCall, analysis: unknown): Fields {
  return finishCall(call, { call: { ...sampleCallFields(call), analysis }, analysis })
}

/** A conversation and its end, with every time written in another way. */
function timed(call: SampleCall, write: (time: string) => unknown): Fields[] {
  return [
    conversation(call, {
      messages: call.messages.map(message => ({ ...message, timestamp: write(message.timestamp) })),
    }),
    finishCall(call, {
      call: { ...sampleCallFields(call), startAt: write(call.startAt), endAt: write(call.endAt) },
    }),
  ]
}

function digits(number: string): number {
  return Number(number.slice(1))
}
