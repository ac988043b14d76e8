import { createDueList, type Due } from './due-list.ts'

type Happening = () => void

/** The time of one call: its timers, and what comes from outside, in one order. */
export interface CallTime {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Lets something happen at a time of the call, unless the function that it returns is called first. With `duringWork` the time of the
   * call passes until then also while it waits for work.
   */
  at(due: number, happening: Happening, duringWork?: boolean): () => void
  /** Lets something happen now, before what is due from now on. */
  soon(happening: Happening): void
  /** Work that the call waits for: with pace 0, and while time is advanced, time stands still meanwhile. */
  during(work: Promise<unknown>): void
  /** The part of such work that a server of the user does, which may be the one that advances the time. */
  atPeer<Result>(work: Promise<Result>): Promise<Result>
  /** The part of such work that waits for this time to pass in the call; resolves early when the call is stopped. */
  sleep(milliseconds: number): Promise<void>
  /** The part of such work that waits for other work of the call. */
  waitFor(work: Promise<unknown>): Promise<void>
  /** A live caller is waited for: with pace 0 time stands still until the function that it returns is called. */
  hold(): () => void
  /** Nothing happens any more. */
  stop(): void
}

interface Timer extends Due {
  readonly happening: Happening
  readonly duringWork: boolean
}

/** One call as the clock of its world sees it. */
export interface CallLane {
  readonly time: CallTime
  /** The next timer, in the time of the world. */
  readonly next: Due | undefined
  /** Whether something from outside is to happen. */
  readonly hasInput: boolean
  /** Waits for work before its next timer. */
  readonly isWorking: boolean
  /** A live caller is waited for. */
  readonly isHeld: boolean
  readonly isAtPeer: boolean
  readonly isStopped: boolean
  /** Lets one thing happen: what comes first of what is due at this time of the world, or with `mayJump` of all. */
  run(worldTime: number, mayJump: boolean): void
}

export interface CallLaneOptions {
  /** Milliseconds since the epoch at which the time of the call begins. */
  readonly began: number
  /** Milliseconds of the world's time. */
  worldTime(): number
  /** Distinct, and rising. */
  newOrder(): number
  /** Something changed: it may be its turn. */
  onChange(lane: CallLane): void
  during(lane: CallLane, work: Promise<unknown>): void
  /** Something that happened threw: a fault of the sandbox itself. The call is stopped. */
  onBreak(error: unknown): void
}

export function createCallLane(options: CallLaneOptions): CallLane {
  const { worldTime, newOrder, onChange, onBreak } = options
  const timers = createDueList<Timer>()
  const sleepers = new Set<() => void>()
  let inputs: { readonly at: number; readonly happening: Happening }[] = []
  /** The call's time runs ahead of the world's by this. */
  let ahead = options.began - worldTime()
  let last = options.began
  let happening: number | undefined
  let working = 0
  let atPeer = 0
  let holds = 0
  let stopped = false

  // What happens late has its own time all the same, so that no delay of the machine adds up.
  const now = () => happening ?? Math.max(last, worldTime() + ahead)
  const changed = () => onChange(lane)
  const stop = () => {
    stopped = true
    for (const wakeUp of sleepers) wakeUp()
    sleepers.clear()
    timers.clear()
    inputs = []
  }
  const happen = (at: number, what: Happening) => {
    last = Math.max(last, at)
    happening = last
    try {
      what()
    } catch (error) {
      stop()
      onBreak(error)
    } finally {
      happening = undefined
      changed()
    }
  }
  const time: CallTime = {
    now,
    at(due, happening, duringWork = false) {
      const timer = { at: due, order: newOrder(), happening, duringWork }
      if (!stopped) timers.add(timer)
      changed()
      return () => {
        timers.delete(timer)
        changed()
      }
    },
    soon(happening) {
      if (!stopped) inputs.push({ at: now(), happening })
      changed()
    },
    during(work) {
      working += 1
      const done = () => {
        working -= 1
        changed()
      }
      options.during(lane, work)
      work.then(done, done)
    },
    atPeer(work) {
      atPeer += 1
      const done = () => {
        atPeer -= 1
      }
      work.then(done, done)
      return work
    },
    sleep(milliseconds) {
      if (stopped || milliseconds <= 0) return Promise.resolve()
      return new Promise(resolve => {
        working -= 1
        const wakeUp = () => {
          working += 1
          sleepers.delete(wakeUp)
          resolve()
        }
        sleepers.add(wakeUp)
        time.at(now() + milliseconds, wakeUp)
      })
    },
    async waitFor(work) {
      working -= 1
      const goOn = () => {
        working += 1
      }
      await work.then(goOn, goOn)
    },
    hold() {
      holds += 1
      let isHeld = true
      return () => {
        if (isHeld) holds -= 1
        isHeld = false
        changed()
      }
    },
    stop() {
      stop()
      changed()
    },
  }
  const lane: CallLane = {
    time,
    get next() {
      const { first } = timers
      return first === undefined ? undefined : { at: first.at - ahead, order: first.order }
    },
    get hasInput() {
      return inputs.length > 0
    },
    get isWorking() {
      return working > 0 && timers.first?.duringWork !== true
    },
    get isHeld() {
      return holds > 0
    },
    get isAtPeer() {
      return atPeer > 0
    },
    get isStopped() {
      return stopped
    },
    run(until, mayJump) {
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
  return lane
}
