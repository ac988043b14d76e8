import type { StoredCall } from '../records/entries.ts'
import type { EarlierCall } from '../reply/prompt.ts'

const day = 24 * 60 * 60 * 1000

/**
 * interface.md 2.1, persistHistory: the calls between this assistant and this number that ended within so many days before,
 * oldest first.
 */
export function earlierCalls(
  calls: Iterable<StoredCall>,
  now: Pick<StoredCall, 'id' | 'assistantId' | 'customer' | 'createdAt'>,
  days: number | undefined,
): EarlierCall[] {
  // An inline assistant has no id to be known by: what was said to one is not for another.
  if (days === undefined || now.assistantId === undefined) return []
  const since = Date.parse(now.createdAt) - days * day
  return [...calls]
    .flatMap(({ id, assistantId, customer, endAt, messages = [] }): EarlierCall[] =>
      id !== now.id &&
      assistantId === now.assistantId &&
      customer.number === now.customer.number &&
      endAt !== undefined &&
      Date.parse(endAt) >= since &&
      messages.length > 0
        ? [{ endedAt: endAt, messages: messages.map(({ role, text }) => ({ role, text })) }]
        : [],
    )
    .sort((one, other) => Date.parse(one.endedAt) - Date.parse(other.endedAt))
}
