import { findByBeginning } from '../../lib/text/did-you-mean.ts'
import {
  type CallKey,
  type CallOrigin,
  callName,
  createConversationTracker,
  getCallKey,
} from '../conversation/index.ts'
import { type RecordingItem, recordedEvents } from './recording-file.ts'

export interface CallChoice {
  /** Prefixes of call names. */
  readonly calls?: readonly string[] | undefined
  readonly last?: boolean | undefined
}

/**
 * Finds the keys of the selected calls in one pass that keeps only call names, so that other calls need not be held in memory.
 * Undefined if nothing is selected or a prefix is not unique.
 */
export async function selectCalls(
  recording: AsyncIterable<RecordingItem>,
  { calls = [], last = false }: CallChoice,
): Promise<ReadonlySet<CallKey> | undefined> {
  if (calls.length === 0 && !last) return undefined
  const origins = await originsOf(recording)
  if (last) {
    const newest = origins.findLast(isCall) ?? origins.at(-1)
    return newest === undefined ? undefined : new Set([getCallKey(newest)])
  }
  const keys = new Set<CallKey>()
  for (const callArg of calls) {
    const match = findByBeginning(callArg, origins, callName)
    if (match.kind !== 'found') return undefined
    keys.add(getCallKey(match.item))
  }
  return keys
}

/** Keys of all calls, in the order of their first event. */
export async function readCallKeys(recording: AsyncIterable<RecordingItem>): Promise<readonly CallKey[]> {
  return (await originsOf(recording)).map(getCallKey)
}

/** In the order of their first event. */
async function originsOf(recording: AsyncIterable<RecordingItem>): Promise<readonly CallOrigin[]> {
  const counter = createConversationTracker({
    maxCalls: Number.POSITIVE_INFINITY,
    maxBytes: Number.POSITIVE_INFINITY,
  })
  const origins = new Map<CallKey, CallOrigin>()
  for await (const item of recording) {
    if (item.kind === 'skipped') continue
    for (const event of recordedEvents(item)) {
      const { origin } = counter.assign(event)
      const key = getCallKey(origin)
      if (!origins.has(key)) origins.set(key, origin)
    }
  }
  return [...origins.values()]
}

function isCall({ callId, conversation }: CallOrigin): boolean {
  return callId !== null || conversation !== undefined
}
