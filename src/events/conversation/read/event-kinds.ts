import type { WebhookType } from '../../../interface/webhooks.ts'
import { foldWord } from '../../../interface/words.ts'
import { isObject } from '../../../lib/json.ts'
import { count } from '../../../lib/text/count.ts'
import { type Fields, is, readTextValue } from './event-values.ts'

/** Differences between types of webhook events: a new type of the interface is one entry. */
interface EventKind {
  /** Payload of its events; a transcript shows other types as JSON. */
  readonly hasPayload: 'messages' | 'status'
  /** Why an event cannot be read, by its path: `messages is missing`; undefined for one that can. */
  read(message: Fields): string | undefined
}

/** interface.md 6. */
const eventKinds: Readonly<Record<WebhookType, EventKind>> = {
  'status-update': {
    hasPayload: 'status',
    read({ call }) {
      const status = isObject(call) ? call.status : undefined
      if (readTextValue(status) !== undefined) return undefined
      return call === undefined ? 'call is missing' : `call.status ${is(status)}`
    },
  },
  'conversation-update': {
    hasPayload: 'messages',
    read: ({ messages }) => (Array.isArray(messages) ? undefined : `messages ${is(messages)}`),
  },
}

/** The types of webhook events. */
export const webhookTypes = Object.keys(eventKinds) as readonly WebhookType[]

const kinds: ReadonlyMap<string, EventKind> = new Map(Object.entries(eventKinds))

/** Returns the properties of a type; undefined for types that the interface does not have. */
export function findEventKind(type: string): EventKind | undefined {
  return kinds.get(type)
}

/** True if events of a type have this payload. Deployments may spell a type differently, such as `Status_Update`. */
export function hasPayload(type: string, payload: EventKind['hasPayload']): boolean {
  return (kinds.get(type) ?? kinds.get(foldWord(type)))?.hasPayload === payload
}

/** A body in one line, by the status of its call and its messages. The fields may hold any value. */
export function describeBody(body: unknown): string {
  const { call, messages }: Fields = isObject(body) && isObject(body.message) ? body.message : {}
  const status = isObject(call) ? readTextValue(call.status) : undefined
  const parts = [status, Array.isArray(messages) ? count(messages.length, 'message') : undefined]
  return parts.filter(part => part !== undefined).join(' · ')
}
