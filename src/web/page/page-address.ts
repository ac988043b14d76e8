/**
 * Selected call and view in the fragment of the URL, next to other parameters such as a token. Browsers do not send it.
 */
export function readAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1))
}

/** Null removes a name. */
export function writeAddress(changes: Readonly<Record<string, string | null>>): void {
  const address = readAddress()
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) address.delete(name)
    else address.set(name, value)
  }
  history.replaceState(null, '', `#${address}`)
}

/** Returns the key of the call in the URL; undefined if there is none or it is unknown. */
export function callInAddress(
  calls: Iterable<{ readonly key: number; readonly callId: string | null }>,
): number | undefined {
  const callId = readAddress().get('call')
  if (callId === null) return undefined
  for (const call of calls) if (call.callId === callId) return call.key
  return undefined
}
