import { isObject } from '../../interface/is-object.ts'
import type { WebhookEvent } from '../../interface/webhook.ts'

/** interface.md 2.9. */
const callFacts = [
  'direction',
  'callType',
  'userNumber',
  'assistantNumber',
  'teamId',
  'assistantId',
  'startAt',
  'endAt',
  'callEndTriggerBy',
] as const

export type Fact = (typeof callFacts)[number] | 'assistantName' | 'customerName'

/** What an event tells of its call beside what happened (interface.md 2.9 and 6); what it leaves open is left out. */
export function factsOf({ message }: WebhookEvent): [Fact, string][] {
  const call: Readonly<Record<string, unknown>> = message.call ?? {}
  const { assistant, customer } = message
  const found: [Fact, unknown][] = [
    ...callFacts.map((name): [Fact, unknown] => [name, call[name]]),
    ['assistantName', isObject(assistant) ? assistant.name : undefined],
    ['customerName', customer?.name],
    // The customer is the user of the call, if the call does not say so itself.
    ...(call.userNumber === undefined ? [['userNumber', customer?.number] as [Fact, unknown]] : []),
  ]
  return found.filter((pair): pair is [Fact, string] => typeof pair[1] === 'string' && pair[1] !== '')
}
