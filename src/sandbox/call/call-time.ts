import type { Clock } from '../../lib/clock.ts'

type Happening = () => void

/** The time of one call: its timers, and what comes from outside, in one order. */
interface CallTime {
  /** Milliseconds since the epoch, in the time of the call. */
  now(): number
  /** Lets something happen at a time of the call. */
  at(due: number, happening: Happening): void
  /** Lets something happen before any timer. */
  soon(happening: Happening): void
  /** Work outside the call that it waits for: with pace 0 its time stands still meanwhile. */
  during(work: Promise<void>): void
  /** What happens next, when it is due. There must be something to come. */
  next(): Promise<Happening>
  stop(): void
}

interface Timer {
  readonly due: number
  readonly happening: Happening
}

/** With pace 0 this many things happen before other calls and the server have their turn. */
const atOnce = 16

/** Without a reason every abort makes an error with a stack. */
const woken = new Error('something came in')

interface CallTimeOptions {
  readonly clock: Clock
  readonly pace: number
  /** Milliseconds since the epoch at which the time of the call begins. */
  readonly began: number
}

/** With a pace of n, n times as fast as the clock; with 0 it jumps from one timer to the next. */
export function createCallTime({ clock, pace, began }: CallTimeOptions): CallTime {
  const started = clock.now()
  let jumped = began
  let timers: Timer[] = []
  let inbox: Happening[] = []
  let working = 0
  let happened = 0
  let wake: (() => void) | undefined

  const now = () => (pace === 0 ? jumped : began + (clock.now() - started) * pace)
  /** Until something comes in, or this many milliseconds of the clock have passed. */
  const rest = async (milliseconds: number) => {
    const waiting = new AbortController()
    wake = () => waiting.abort(woken)
    await clock.sleep(milliseconds, waiting.signal).catch(() => {})
    wake = undefined
  }
  /** Until something comes in. */
  const listen = () =>
    new Promise<void>(resolve => {
      wake = resolve
    })
  return {
    now,
    at(due, happening) {
      const later = timers.findIndex(timer => timer.due > due)
      timers.splice(later === -1 ? timers.length : later, 0, { due, happening })
    },
    soon(happening) {
      inbox.push(happening)
      wake?.()
    },
    during(work) {
      working += 1
      const done = () => {
        working -= 1
        wake?.()
      }
      work.then(done, done)
    },
    async next() {
      // Other calls and the server have their turn, also when this one never waits.
      happened += 1
      if (pace === 0 && happened % atOnce === 0) await clock.sleep(0)
      while (true) {
        const [first] = inbox
        if (first !== undefined) {
          inbox.shift()
          return first
        }
        const [timer] = timers
        if (timer === undefined || (pace === 0 && working > 0 && timer.due > jumped)) {
          await listen()
          continue
        }
        if (pace === 0) jumped = Math.max(jumped, timer.due)
        else if (now() < timer.due) {
          // Whole milliseconds: a smaller part would be lost in the sum, and never pass.
          await rest(Math.ceil((timer.due - now()) / pace))
          continue
        }
        timers.shift()
        return timer.happening
      }
    },
    stop() {
      timers = []
      inbox = []
    },
  }
}
