/** The title of a call without id, by what tells it from others; null for the events of no call. */
export function titleWithoutId(conversation: number | null): string {
  if (conversation === null) return 'Events without a call'
  return conversation === 1 ? 'Call without id' : `Call ${conversation} without id`
}
