import { digest } from '../lib/hash.ts'
import type { Origin } from '../webhook/conversation/changes.ts'

/** A call in what is remembered of many: an id may be as long as a body. `-` for the events of no call. */
export function callKey({ callId, conversation }: Origin): string {
  if (callId === null) return conversation === undefined ? '-' : `#${conversation}`
  return callId.length <= maxKeyLength ? callId : digest(callId)
}

/** Calls come without end, and not all of them finish. */
export function dropOldest<Key>(calls: {
  readonly size: number
  keys(): Iterable<Key>
  delete(key: Key): boolean
}): void {
  const [oldest] = calls.keys()
  if (calls.size > maxCalls && oldest !== undefined) calls.delete(oldest)
}

const maxKeyLength = 100
const maxCalls = 10_000
