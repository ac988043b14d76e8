import {
  type AppliedEvent,
  type CallBuilder,
  type CallKey,
  createCallBuilder,
} from '../../events/conversation/index.ts'
import { type CallFacts, type FactPart, type FactsOptions, toCallFacts } from './call-facts.ts'

interface CollectOptions extends FactsOptions {
  /** Ended calls that are kept whole, because an analysis may arrive after the end; default: all. */
  readonly maxEnded?: number
}

interface OpenCall {
  readonly number: number
  readonly source: number
  readonly builder: CallBuilder
}

/** Parts that need more than the transcript. */
const detailedParts: readonly FactPart[] = ['answers', 'interruptions', 'tools', 'unanswered']

export type FactsCollector = ReturnType<typeof createFactsCollector>

/**
 * Collects the facts of calls from their events. Of an ended call only the facts stay once `maxEnded` later calls have ended: its messages
 * are most of its memory. An event that arrives even later puts the call into `stale`, whose facts lack it.
 */
export function createFactsCollector({ maxEnded = Number.POSITIVE_INFINITY, ...options }: CollectOptions) {
  const { parts } = options
  const withDetails = parts === undefined || detailedParts.some(part => parts.has(part))
  const open = new Map<CallKey, OpenCall>()
  const ended = new Map<CallKey, OpenCall>()
  const folded = new Map<CallKey, { readonly number: number; readonly facts: CallFacts }>()
  const stale = new Set<CallKey>()
  let calls = 0

  const fold = ({ builder, source }: OpenCall) => toCallFacts(builder.recorded(), source, options)
  const foldOldest = () => {
    const [oldest] = ended.size > maxEnded ? ended : []
    if (oldest === undefined) return
    const [key, call] = oldest
    ended.delete(key)
    folded.set(key, { number: call.number, facts: fold(call) })
  }
  return {
    /** Takes an event that arrived at `at`, ISO 8601. Events of no call are ignored. */
    add(appliedEvent: AppliedEvent, at: string, source = 0): void {
      const { key, origin } = appliedEvent
      if (key === 0) return
      if (folded.has(key)) {
        stale.add(key)
        return
      }
      let call = open.get(key) ?? ended.get(key)
      if (call === undefined) {
        call = {
          number: calls++,
          source,
          builder: createCallBuilder(origin, at, { withDetails }),
        }
        open.set(key, call)
      }
      call.builder.add({ ...appliedEvent, at })
      if (!call.builder.call.ended || ended.has(key)) return
      open.delete(key)
      ended.set(key, call)
      foldOldest()
    },
    /** Calls with events that arrived too late for their facts. */
    stale: stale as ReadonlySet<CallKey>,
    /** Returns the facts of a call so far; undefined for an unknown call. */
    factsOf(key: CallKey): CallFacts | undefined {
      const call = open.get(key) ?? ended.get(key)
      return call === undefined ? folded.get(key)?.facts : fold(call)
    },
    /** Returns the facts of all calls by key, in the order of their first event. */
    all(): ReadonlyMap<CallKey, CallFacts> {
      const numberedFacts = [...open, ...ended].map(([key, call]) => ({
        key,
        number: call.number,
        facts: fold(call),
      }))
      for (const [key, { number, facts }] of folded) numberedFacts.push({ key, number, facts })
      numberedFacts.sort((one, other) => one.number - other.number)
      return new Map(numberedFacts.map(({ key, facts }) => [key, facts]))
    },
    /** Forgets a call, which may be collected again. */
    forget(key: CallKey): void {
      for (const calls of [open, ended, folded, stale]) calls.delete(key)
    },
  }
}
