import { type CallFacts, type FactsOptions, toCallFacts } from '../../calls/report/index.ts'
import { getCallKey } from '../../events/conversation/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { VNode } from '../../lib/text/virtual-node.ts'
import type { CallStore } from './call-store.ts'
import type { PageCall } from './page-call.ts'

/** Figures about the calls of a page. */
export interface PageFigures {
  /** CSS of what is drawn. */
  readonly style: string
  readonly facts: FactsOptions
  /** Draws the figures of calls. A button whose `data-call` is what `linkOf` returns leads to a call. */
  draw(calls: readonly CallFacts[], linkOf: (call: CallFacts) => string): readonly VNode[]
}

/**
 * Draws the figures of the calls that a store has from their beginning, at most once for each of its versions. Facts of a call are read again
 * only when it changed, and events are handled between calls.
 */
export function createCallFigures(store: CallStore, { facts: options, draw }: PageFigures, clock: Clock) {
  let factsByKey = new Map<number, { readonly version: number; readonly facts: CallFacts }>()
  let drawing: Promise<readonly VNode[]> | undefined
  let drawnAt = -1

  const factsOf = (call: PageCall) => {
    const before = factsByKey.get(call.key)
    if (before?.version === call.version) return before
    return { version: call.version, facts: toCallFacts(call.builder.recorded(), 0, options) }
  }
  const drawAll = async () => {
    const next: typeof factsByKey = new Map()
    const linkOf = new Map<CallFacts, string>()
    let readCount = 0
    for (const call of [...store.calls()].sort((one, other) => one.key - other.key)) {
      // A call without its beginning has wrong times.
      if (!call.isWhole || getCallKey(call.origin) === 0) continue
      const callFigures = factsOf(call)
      if (callFigures !== factsByKey.get(call.key) && ++readCount % callsAtOnce === 0) await clock.sleep(0)
      next.set(call.key, callFigures)
      linkOf.set(callFigures.facts, String(call.key))
    }
    factsByKey = next
    return draw([...linkOf.keys()], call => linkOf.get(call) ?? '')
  }
  return (): Promise<readonly VNode[]> => {
    if (drawing !== undefined && drawnAt === store.version) return drawing
    drawnAt = store.version
    const before = drawing?.catch(() => undefined)
    drawing = before === undefined ? drawAll() : before.then(drawAll)
    return drawing
  }
}

const callsAtOnce = 50
