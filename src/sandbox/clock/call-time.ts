import { createDueList, type Due } from './due-list.ts'

type Happening = () => void

interface Timer extends Due {
  readonly happening: Happening
  readonly duringWork: boolean
}

interface CallLaneOptions {
  /** Milliseconds since the epoch at which the time of the call begins. */
  readonly began: number
  /** Milliseconds of the world's time. */
  worldTime(): number
  /** Distinct, and rising. */
  newOrder(): number
  /** Something changed: it may be its turn. */
  onChange(): void
  onWork(work: Promise<unknown>): void
  /** Something that happened threw: a fault of the sandbox itself. The call is stopped. */
  onBreak(error: unknown): void
}

/** One call as the clock of its world sees it. */
export type CallLane = ReturnType<typeof createCallLane>
export type CallTime = CallLane['time']

export function createCallLane(options: CallLaneOptions) {
  const { worldTime, newOrder, onChange, onWork, onBreak } = options
  const timers = createDueList<Timer>()
  const sleepers = new Set<() => void>()
  let inputs: { readonly at: number; readonly happening: Happening }[] = []
  /** The call's time runs ahead of the world's by this. */
  let ahead = options.began - worldTime()
  let last = options.began
  let happening: number | undefined
  const counts = { working: 0, external: 0 }
  let holds = 0
  let stopped = false

  // Each event keeps its planned time even if it happens late, so that delays of the machine do not add up.
  const now = () => happening ?? Math.max(last, worldTime() + ahead)
  const count = (kind: keyof typeof counts, work: Promise<unknown>) => {
    counts[kind] += 1
    const finish = () => {
      counts[kind] -= 1
      onChange()
    }
    work.then(finish, finish)
  }
  const stop = () => {
    stopped = true
    for (const wakeUp of sleepers) wakeUp()
    sleepers.clear()
    timers.clear()
    inputs = []
  }
  const happen = (at: number, action: Happening) => {
    last = Math.max(last, at)
    happening = last
    try {
      action()
    } catch (error) {
      stop()
      onBreak(error)
    } finally {
      happening = undefined
      onChange()
    }
  }
  const at = (due: number, happening: Happening, duringWork = false) => {
    const timer = { at: due, order: newOrder(), happening, duringWork }
    if (!stopped) timers.add(timer)
    onChange()
    return () => {
      timers.delete(timer)
      onChange()
    }
  }
  /** The time of the call: its timers, and what comes from outside, in one order. */
  const time = {
    /** Milliseconds since the epoch. */
    now,
    /**
     * Lets something happen at a time of the call, unless the function that it returns is called first. With `duringWork` the time of the
     * call passes until then also while it waits for work.
     */
    at,
    /** Lets something happen now, before what is due from now on. */
    enqueue(happening: Happening) {
      if (!stopped) inputs.push({ at: now(), happening })
      onChange()
    },
    /** Runs work that the call waits for. With pace 0, and while time is advanced, the clock stops meanwhile. */
    track(work: Promise<unknown>) {
      onWork(work)
      count('working', work)
    },
    /** The part of such work that runs on a server of the user, which may advance the clock. */
    duringExternalCall<Result>(work: Promise<Result>) {
      count('external', work)
      return work
    },
    /** The part of such work that waits for this time to pass in the call; resolves early when the call is stopped. */
    async sleep(milliseconds: number) {
      if (stopped || milliseconds <= 0) return
      await new Promise<void>(resolve => {
        counts.working -= 1
        const wakeUp = () => {
          counts.working += 1
          sleepers.delete(wakeUp)
          resolve()
        }
        sleepers.add(wakeUp)
        at(now() + milliseconds, wakeUp)
      })
    },
    /** The part of such work that waits for other work of the call. */
    async waitFor(work: Promise<unknown>) {
      counts.working -= 1
      const resume = () => {
        counts.working += 1
      }
      await work.then(resume, resume)
    },
    /** Waits for a live caller: with pace 0 the clock stops until the returned function is called. */
    hold() {
      holds += 1
      let isHeld = true
      return () => {
        if (isHeld) holds -= 1
        isHeld = false
        onChange()
      }
    },
    stop() {
      stop()
      onChange()
    },
  }
  return {
    time,
    /** The next timer, in the time of the world. */
    get next(): Due | undefined {
      const { first } = timers
      return first === undefined ? undefined : { at: first.at - ahead, order: first.order }
    },
    /** True if an external event is pending. */
    get hasInput() {
      return inputs.length > 0
    },
    /** Waits for work before its next timer. */
    get isWorking() {
      return counts.working > 0 && timers.first?.duringWork !== true
    },
    /** A live caller is waited for. */
    get isHeld() {
      return holds > 0
    },
    get isInExternalCall() {
      return counts.external > 0
    },
    get isStopped() {
      return stopped
    },
    /** Runs one due item: the first one due at this time of the world, or of all if `mayJump`. */
    run(until: number, mayJump: boolean) {
      const [input] = inputs
      const timer = timers.first
      const isDue = timer !== undefined && timer.at <= until + ahead
      if (timer !== undefined && (input === undefined ? isDue || mayJump : isDue && timer.at < input.at)) {
        timers.delete(timer)
        if (!isDue) ahead = timer.at - worldTime()
        happen(timer.at, timer.happening)
      } else if (input !== undefined) {
        inputs.shift()
        happen(input.at, input.happening)
      }
    },
  }
}
