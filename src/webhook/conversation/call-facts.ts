import { readTime } from '../receive/event-time.ts'
import type { ReadEvent } from '../receive/read-event.ts'
import { textOf } from '../receive/text-of.ts'

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

/** What an event tells of its call beside what happened (interface.md 2.9 and 6), as text; what it leaves open is left out. */
export function factsOf({ call, assistant, customer }: ReadEvent): [Fact, string][] {
  const found: [Fact, string | undefined][] = [
    ...callFacts.map((name): [Fact, string | undefined] => [
      name,
      name === 'startAt' || name === 'endAt' ? readTime(call[name]) : textOf(call[name]),
    ]),
    ['assistantName', textOf(assistant.name)],
    ['customerName', textOf(customer.name)],
    // The customer is the user of the call, the assistant its own, if the call does not say so itself.
    ...(call.userNumber === undefined
      ? [['userNumber', textOf(customer.number)] as [Fact, string | undefined]]
      : []),
    ...(call.assistantId === undefined
      ? [['assistantId', textOf(assistant._id)] as [Fact, string | undefined]]
      : []),
  ]
  return found.filter((pair): pair is [Fact, string] => pair[1] !== undefined)
}
