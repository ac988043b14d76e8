import { type Clock, onNextTurn, startTimer } from '../../lib/clock.ts'
import { type CallLane, createCallLane } from './call-time.ts'
import { createDueList, type Due } from './due-list.ts'
import { checkAdvance, checkPace, latestTime, type WorldClock } from './world-clock.ts'

const secondsApart = 1000
/** Start time of a world at pace 0, which does not read the machine's clock. */
export const defaultStart = Date.UTC(2026, 0, 1)

export interface SandboxClockOptions {
  /** The machine's clock. */
  readonly clock: Clock
  readonly pace: number
  readonly frozen?: boolean | undefined
  /** Latest time in the records, ISO 8601. */
  readonly latest?: string | undefined
  /** Instead of what follows from these; milliseconds since the epoch. */
  readonly startsAt?: number | undefined
  /** Time passes in another way, or was moved. */
  readonly onChange?: () => void
}

/** Advance in progress. */
interface Span {
  left: number
  readonly waitsFor: Set<Work>
  /** Calls whose work of before it is not waited for. */
  readonly ignoredLanes: ReadonlySet<CallLane | undefined>
  onWork(work: Work): void
  readonly onEnd: () => void
}

interface Work {
  /** Call that waits for it; undefined if none does. */
  readonly lane: CallLane | undefined
}

interface LaneDue extends Due {
  readonly lane: CallLane
}

/** Time that an advance waits for earlier requests to servers, on the machine's clock. */
const patienceMs = 1000
/**
 * Steps per turn of the event loop, or one per ready call if there are more; with fewer, calls placed faster than they end would pile
 * up. A single call runs at most `ofOneCall` steps in a row.
 */
const atOnce = 64
const ofOneCall = 16

/** @throws `bad-pace` */
export function createSandboxClock(options: SandboxClockOptions): WorldClock {
  const { clock, latest } = options
  let pace = checkPace(options.pace)
  let frozen = options.frozen ?? false
  const after = latest === undefined ? 0 : Date.parse(latest) + secondsApart
  /** The time of the world was this when the machine's was `since`; without the seconds between records. */
  const start = options.startsAt ?? Math.max(pace === 0 ? defaultStart : clock.now(), after)
  let base = Math.min(start, latestTime)
  let since = clock.now()
  let secondsOfRecords = 0
  let order = 0
  let isWoken = false
  let isClosed = false
  let cancelTimer = () => {}
  const spans: Span[] = []
  const works = new Set<Work>()
  const lanes = new Set<CallLane>()
  /** Calls for which something is to happen now. */
  const ready = new Set<CallLane>()
  /** The next timer of each call, while the time of the world is what they wait for. */
  const due = createDueList<LaneDue>()
  const dueOf = new Map<CallLane, LaneDue>()

  const runAhead = () => pace === 0 && !frozen
  const isMoving = () => pace > 0 && !frozen && spans.length === 0
  const worldTime = () => base + (isMoving() ? Math.floor((clock.now() - since) * pace) : 0)
  const now = () => Math.min(worldTime() + secondsOfRecords, latestTime)

  const wake = () => {
    if (isWoken || isClosed) return
    isWoken = true
    cancelTimer()
    onNextTurn(turn)
  }
  const list = (lane: CallLane) => {
    const before = dueOf.get(lane)
    const next = lane.isStopped || (runAhead() && spans.length === 0) ? undefined : lane.next
    if (before !== undefined && before.at === next?.at && before.order === next.order) return
    if (before !== undefined) due.delete(before)
    if (next === undefined) dueOf.delete(lane)
    else {
      const entry = { ...next, lane }
      dueOf.set(lane, entry)
      due.add(entry)
    }
  }
  const isReady = (lane: CallLane) =>
    lane.hasInput || (runAhead() && !lane.isWorking && !lane.isHeld && lane.next !== undefined)
  const onChange = (lane: CallLane) => {
    if (isClosed) return
    if (lane.isStopped) lanes.delete(lane)
    list(lane)
    if (isReady(lane)) ready.add(lane)
    wake()
  }
  /** Runs a change of how time passes. */
  const change = (how: () => void) => {
    base = worldTime()
    since = clock.now()
    how()
    for (const lane of lanes) onChange(lane)
    wake()
    options.onChange?.()
  }
  const turn = () => {
    isWoken = false
    if (isClosed) return
    let remaining = Math.max(atOnce, ready.size)
    for (const lane of ready) {
      if (remaining <= 0) break
      ready.delete(lane)
      const stopAt = remaining - ofOneCall
      for (; remaining > stopAt && isReady(lane); remaining -= 1) lane.run(worldTime(), runAhead())
      if (isReady(lane)) ready.add(lane)
    }
    const span = spans.at(-1)
    if (ready.size > 0) wake()
    else if (span !== undefined) runStep(span)
    else if (isMoving()) waitForNext()
  }
  /** Runs one step of an advance: items due now, or if no work is in progress, moves time to the next item or to the end. */
  const runStep = (span: Span) => {
    const isFree = ({ lane }: LaneDue) => !lane.isWorking || span.ignoredLanes.has(lane)
    let now = due.find(base, isFree)
    if (now !== undefined) {
      for (let remaining = atOnce; remaining > 0 && now !== undefined && ready.size === 0; remaining -= 1) {
        now.lane.run(base, false)
        now = due.find(base, isFree)
      }
    } else if (span.waitsFor.size > 0) return
    else if (span.left > 0) {
      const passed = Math.min(span.left, (due.first?.at ?? Number.POSITIVE_INFINITY) - base)
      base += passed
      span.left -= passed
    } else {
      change(() => spans.pop())
      span.onEnd()
    }
    wake()
  }
  const waitForNext = () => {
    for (let remaining = atOnce; remaining > 0 && ready.size === 0; remaining -= 1) {
      const { first } = due
      if (first === undefined) return
      const delayMs = Math.ceil((first.at - worldTime()) / pace)
      if (delayMs > 0) {
        cancelTimer()
        cancelTimer = startTimer(delayMs, wake, clock)
        return
      }
      first.lane.run(worldTime(), false)
    }
    wake()
  }
  const trackWork = (work: Promise<unknown>, token: Work) => {
    works.add(token)
    for (const { onWork } of spans) onWork(token)
    const finish = () => {
      works.delete(token)
      for (const { waitsFor } of spans) waitsFor.delete(token)
      wake()
    }
    work.then(finish, finish)
  }
  const openCall: WorldClock['openCall'] = ({ began, onBreak }) => {
    const lane: CallLane = createCallLane({
      began,
      onBreak,
      worldTime,
      newOrder: () => ++order,
      onChange: () => onChange(lane),
      onWork: work => trackWork(work, { lane }),
    })
    lanes.add(lane)
    return lane.time
  }
  return {
    now,
    get pace() {
      return pace
    },
    get frozen() {
      return frozen
    },
    async advance(milliseconds) {
      checkAdvance(now(), milliseconds)
      const isNested = spans.length > 0
      const waitsFor = new Set(isNested ? [] : works)
      const ignoredLanes = new Set(isNested ? [...works].map(({ lane }) => lane) : [])
      const abort = (work: Work) => {
        if (waitsFor.delete(work)) ignoredLanes.add(work.lane)
      }
      const patience = new Set<() => void>()
      const waitAWhile = (these: readonly Work[]) => {
        const onTimeout = () => {
          these.forEach(abort)
          wake()
        }
        patience.add(startTimer(patienceMs, onTimeout, clock))
      }
      // Its server may have called this, and respond only when it is done.
      waitAWhile([...waitsFor].filter(({ lane }) => lane?.isInExternalCall !== false))
      const onWork = (work: Work) => {
        waitsFor.add(work)
        // It may wait for the work that is not waited for, as the end of a call does for its tools.
        if (work.lane !== undefined && ignoredLanes.has(work.lane)) waitAWhile([work])
      }
      await new Promise<void>(onEnd => {
        change(() => spans.push({ left: Math.round(milliseconds), waitsFor, ignoredLanes, onWork, onEnd }))
      })
      for (const cancel of patience) cancel()
    },
    freeze: on =>
      change(() => {
        frozen = on
      }),
    setPace(next) {
      checkPace(next)
      change(() => {
        pace = next
      })
    },
    stamp() {
      const at = now()
      if (runAhead()) secondsOfRecords += secondsApart
      return at
    },
    openCall,
    track: work => trackWork(work, { lane: undefined }),
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const time = openCall({ began: now(), onBreak: reject })
        const end = (settle: () => void) => () => {
          time.stop()
          signal?.removeEventListener('abort', onAbort)
          settle()
        }
        const onAbort = end(() => reject(signal?.reason))
        time.at(time.now() + milliseconds, end(resolve))
        if (signal?.aborted === true) onAbort()
        else signal?.addEventListener('abort', onAbort, { once: true })
      }),
    close() {
      isClosed = true
      cancelTimer()
      for (const { onEnd } of spans.splice(0)) onEnd()
    },
  }
}
