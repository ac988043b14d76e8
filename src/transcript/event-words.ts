import { toJsonLine } from '../lib/text/escape.ts'
import { excerpt } from '../lib/text/layout.ts'
import { brings, describeBody, type EventChange } from '../webhook/index.ts'

/** An event that brought neither a message nor a status, in one line: what its type says, else the JSON that came. */
export function eventWords({ type, odd = [], event }: Pick<EventChange, 'type' | 'odd' | 'event'>): string {
  const why = odd.length === 0 ? '' : ` (${odd.join(', ')})`
  return isDescribed(type) && odd.length === 0
    ? `${type}: ${describeBody(event)}`
    : `event ${type}${why}: ${excerpt(toJsonLine(event))}`
}

/** Whether an event of this type says more than its JSON. */
export function isDescribed(type: string): boolean {
  return brings(type, 'other')
}

/** An item of `messages` that is no message. */
export function itemWords(path: string, item: unknown): string {
  return `${path} is not a message: ${excerpt(toJsonLine(item))}`
}
