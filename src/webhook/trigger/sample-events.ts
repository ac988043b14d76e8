import type { WebhookStatus } from '../../interface/words.ts'
import {
  type SampleCall,
  type SampleMessage,
  sampleAnalysis,
  sampleAssistant,
  sampleIds,
  sampleNumbers,
} from './sample-call.ts'

/** The body of one webhook request (interface.md 6), with fields that may be changed. */
export interface SampleEvent {
  readonly message: Readonly<Record<string, unknown>>
}

/** interface.md 6: the call status changed. The last one carries the analysis. */
export function sampleStatusUpdate(call: SampleCall, status: WebhookStatus): SampleEvent {
  return {
    message: {
      type: 'status-update',
      call: sampleCallFields(call, status),
      assistant: sampleAssistant,
      customer,
      ...(status === 'finished' ? { analysis: sampleAnalysis } : {}),
    },
  }
}

/** interface.md 6: the conversation gained messages; all of them so far. */
export function sampleConversationUpdate(
  call: SampleCall,
  status: WebhookStatus,
  messages: readonly SampleMessage[] = call.messages,
): SampleEvent {
  return {
    message: { type: 'conversation-update', call: sampleCallFields(call, status), customer, messages },
  }
}

/** All events of a call in the order in which the service sends them: an update for each message, with all so far. */
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

const customer = { number: sampleNumbers.user, name: 'Ada' }

const phoneCallStatuses = { queued: 'ringing', ongoing: 'in-progress', finished: 'completed' } as const

/** interface.md 2.9. */
export function sampleCallFields({ id, startAt, endAt }: SampleCall, status: WebhookStatus) {
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
