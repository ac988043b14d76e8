import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import type { CallTime } from '../../../src/sandbox/clock/call-time.ts'
import { createSandboxClock } from '../../../src/sandbox/clock/sandbox-clock.ts'
import type { WorldClock } from '../../../src/sandbox/clock/world-clock.ts'
import { runs } from '../../helpers/every-case.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

/** A clock of a world, and the machine's, which passes by hand. */
function clocks(pace: number, frozen = false) {
  const machine = manualClock()
  const clock = createSandboxClock({ clock: machine, pace, frozen, latest: undefined })
  onTestFinished(() => clock.close())
  return { machine, clock, began: clock.now() }
}

function open(clock: WorldClock): CallTime {
  return clock.openCall({
    began: clock.now(),
    onBreak(error) {
      throw error
    },
  })
}

/** A promise, and what ends it. */
function gate() {
  let end = () => {}
  const opened = new Promise<void>(resolve => {
    end = resolve
  })
  return { opened, open: () => end() }
}

const delays = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 8 })
/** For each call: the delays of its timers; each makes another one half as late. */
const calls = fc.array(delays, { minLength: 1, maxLength: 4 })

interface Happened {
  readonly call: number
  readonly what: string
  readonly at: number
}

/** Timers of several calls with a follow-up each; what happened, in its order. */
function begin(clock: WorldClock, all: readonly (readonly number[])[]): Happened[] {
  const happened: Happened[] = []
  const began = clock.now()
  all.forEach((timers, call) => {
    const time = open(clock)
    const note = (what: string) => happened.push({ call, what, at: time.now() - began })
    for (const delay of timers) {
      time.at(time.now() + delay, () => {
        note(`timer ${delay}`)
        time.at(time.now() + Math.round(delay / 2), () => note(`after ${delay}`))
        time.enqueue(() => note(`with ${delay}`))
      })
    }
  })
  return happened
}

test.each([0.5, 1, 3, 7.3])(
  'with pace %j, everything happens at its time, in order across calls',
  async pace => {
    await fc.assert(
      fc.asyncProperty(calls, async all => {
        const { machine, clock } = clocks(pace)
        const happened = begin(clock, all)
        await machine.advance(20_000)
        const { clock: frozen } = clocks(1, true)
        const expected = begin(frozen, all)
        await frozen.advance(20_000)
        expect(happened).toEqual(expected)
        expect(happened).toHaveLength(all.flat().length * 3)
        expect(happened.map(({ at }) => at)).toEqual(
          happened.map(({ at }) => at).toSorted((one, other) => one - other),
        )
      }),
      { numRuns: runs(15) },
    )
  },
)

test('an advance in any parts is the same as in one, on a frozen, a real and a waitless clock', async () => {
  await fc.assert(
    fc.asyncProperty(
      calls,
      fc.array(fc.integer({ min: 0, max: 4000 }), { maxLength: 8 }),
      fc.constantFrom([1, true] as const, [1, false] as const, [50, false] as const),
      async (all, parts, [pace, isFrozen]) => {
        const whole = clocks(pace, isFrozen)
        const inOne = begin(whole.clock, all)
        await whole.clock.advance(40_000)
        const split = clocks(pace, isFrozen)
        const inParts = begin(split.clock, all)
        for (const part of parts) await split.clock.advance(part)
        await split.clock.advance(40_000 - parts.reduce((sum, part) => sum + part, 0))
        expect(inParts).toEqual(inOne)
        expect(split.clock.now() - split.began).toBe(40_000)
        expect(whole.clock.now() - whole.began).toBe(40_000)
      },
    ),
    { numRuns: runs(40) },
  )
})

test('a call that runs ahead at pace 0 has the times of an advanced frozen clock', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async all => {
      const byCall = (happened: Happened[]) =>
        all.map((_, index) => happened.filter(({ call }) => call === index))
      const { clock } = clocks(0)
      const ahead = begin(clock, all)
      const { clock: frozen } = clocks(0, true)
      const advanced = begin(frozen, all)
      await frozen.advance(20_000)
      await clock.advance(0)
      expect(byCall(ahead)).toEqual(byCall(advanced))
      expect(ahead).toHaveLength(all.flat().length * 3)
    }),
    { numRuns: runs(30) },
  )
})

test('time stops while any call works and is advanced; at pace 0, only for that call', async () => {
  const { clock, began } = clocks(1, true)
  const [one, other] = [open(clock), open(clock)]
  const happened: string[] = []
  const work = gate()
  one.at(began + 1000, () => one.track(work.opened))
  one.at(began + 2000, () => happened.push('one'))
  other.at(began + 2000, () => happened.push('other'))
  const advanced = clock.advance(5000).then(() => happened.push('advanced'))
  await turns()
  expect([happened, clock.now() - began]).toEqual([[], 1000])
  work.open()
  await advanced
  expect(happened).toEqual(['one', 'other', 'advanced'])

  const waitless = clocks(0)
  const [first, second] = [open(waitless.clock), open(waitless.clock)]
  const held = gate()
  first.track(held.opened)
  first.at(first.now() + 10, () => happened.push('first'))
  second.at(second.now() + 10, () => happened.push('second'))
  await turns()
  expect(happened.slice(3)).toEqual(['second'])
  held.open()
  await turns()
  expect(happened.slice(3)).toEqual(['second', 'first'])
})

test('an advance by a tool or receiver within its request does not block, and adds to the current one', async () => {
  const { machine, clock, began } = clocks(1, true)
  const time = open(clock)
  const happened: string[] = []
  const note = (what: string) => void happened.push(`${what} ${time.now() - began}`)
  time.at(began + 1000, () => {
    const answer = Promise.resolve()
      .then(() => clock.advance(3000))
      .then(() => note('answered'))
    time.track(time.duringExternalCall(answer))
  })
  time.at(began + 2000, () => note('still looking'))
  await clock.advance(10_000)
  expect(happened).toEqual(['still looking 2000', 'answered 4000'])
  expect(clock.now() - began).toBe(13_000)

  // The request is under way when the first advance begins.
  const answer = gate()
  clock.track(answer.opened)
  const advanced = clock.advance(1000)
  await machine.advance(999)
  expect(clock.now() - began).toBe(13_000)
  await machine.advance(1)
  await advanced
  answer.open()
  // Two at once: both pass.
  await Promise.all([clock.advance(1000), clock.advance(2000)])
  expect(clock.now() - began).toBe(17_000)
})

test.each(['within its request', 'while it is asked'])(
  'an advance %s is not held up by what waits for a tool, as the end of its call does',
  async when => {
    const { machine, clock, began } = clocks(1, true)
    const time = open(clock)
    const tool = gate()
    const end = (reply: Promise<void>) => time.at(began + 2000, () => time.track(reply))
    if (when === 'while it is asked') {
      end(time.duringExternalCall(tool.opened))
      time.track(time.duringExternalCall(tool.opened))
    } else
      time.at(began, () => {
        const reply = time.duringExternalCall(Promise.resolve().then(() => clock.advance(5000)))
        end(reply)
        time.track(reply)
      })
    const advanced = clock.advance(10_000)
    const passed = advanced.then(() => clock.now() - began)
    for (let second = 0; second < 3; second += 1) await machine.advance(1000)
    expect(await passed).toBe(when === 'while it is asked' ? 10_000 : 15_000)
    tool.open()
  },
)

test('a live caller holds the time at pace 0 until it is advanced or the caller does something', async () => {
  const { clock } = clocks(0)
  const time = open(clock)
  const began = time.now()
  const happened: number[] = []
  const release = time.hold()
  time.at(began + 30_000, () => happened.push(time.now() - began))
  time.at(began + 60_000, () => happened.push(time.now() - began))
  time.at(began + 90_000, () => happened.push(time.now() - began))
  await clock.advance(29_999)
  expect(happened).toEqual([])
  await clock.advance(1)
  expect(happened).toEqual([30_000])
  await clock.advance(31_000)
  expect(happened).toEqual([30_000, 60_000])
  expect(time.now() - began).toBe(61_000)
  release()
  release()
  await turns()
  expect(happened).toEqual([30_000, 60_000, 90_000])
})

test('the pace can change at any time, and time never jumps back', async () => {
  await fc.assert(
    fc.asyncProperty(
      delays,
      fc.array(
        fc.record({
          pace: fc.constantFrom(0, 0.5, 1, 10, 1000),
          frozen: fc.boolean(),
          real: fc.integer({ min: 0, max: 800 }),
          advanced: fc.integer({ min: 0, max: 2000 }),
        }),
        { maxLength: 6 },
      ),
      async (timers, changes) => {
        const { machine, clock } = clocks(1)
        const time = open(clock)
        const began = time.now()
        const happened: [number, number][] = []
        for (const delay of timers) time.at(began + delay, () => happened.push([delay, time.now() - began]))
        let last = time.now()
        for (const { pace, frozen, real, advanced } of changes) {
          clock.setPace(pace)
          clock.freeze(frozen)
          await machine.advance(real)
          await clock.advance(advanced)
          expect([clock.pace, clock.frozen]).toEqual([pace, frozen])
          expect(time.now()).toBeGreaterThanOrEqual(last)
          last = time.now()
        }
        clock.freeze(true)
        await clock.advance(6000)
        const sorted = timers.toSorted((one, other) => one - other)
        expect(happened).toEqual(sorted.map(delay => [delay, delay]))
      },
    ),
    { numRuns: runs(40) },
  )
})

test('advances by nothing and by thousands of years; refuses what is not a time', async () => {
  const { clock, began } = clocks(1, true)
  const time = open(clock)
  const happened: number[] = []
  time.at(began, () => happened.push(0))
  time.at(began + 7000 * year, () => happened.push(7000))
  await clock.advance(0)
  expect(happened).toEqual([0])
  await clock.advance(7000 * year)
  expect(happened).toEqual([0, 7000])
  for (const milliseconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, 8000 * year]) {
    await expect(clock.advance(milliseconds)).rejects.toMatchObject({
      code: 'bad-advance',
      details: { milliseconds },
    })
  }
  for (const pace of [-1, 1_000_001, Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => clock.setPace(pace)).toThrow(expect.objectContaining({ code: 'bad-pace' }))
  expect(clock.now() - began).toBe(7000 * year)
})

test('stays at the last moment of the year 9999', async () => {
  const { clock } = clocks(0, false)
  const end = Date.UTC(10_000, 0, 1) - 1
  await clock.advance(end - clock.now())
  expect(clock.stamp()).toBe(end)
  expect([clock.stamp(), clock.now()]).toEqual([end, end])
  await expect(clock.advance(1)).rejects.toMatchObject({ code: 'bad-advance' })
})

test('an error in one call stops only that call', async () => {
  const { clock, began } = clocks(1, true)
  const broke: unknown[] = []
  const happened: string[] = []
  const broken = clock.openCall({ began, onBreak: error => broke.push(error) })
  const other = open(clock)
  const error = new Error('no')
  broken.at(began + 1, () => {
    throw error
  })
  broken.at(began + 2, () => happened.push('broken'))
  other.at(began + 2, () => happened.push('other'))
  await clock.advance(10)
  expect([broke, happened]).toEqual([[error], ['other']])
})

test('a sleep runs on the world’s clock, takes no time at pace 0, and ends with its signal', async () => {
  const { clock, began } = clocks(1, true)
  const woken: number[] = []
  void clock.sleep(1000).then(() => woken.push(clock.now() - began))
  await clock.advance(999)
  expect(woken).toEqual([])
  await clock.advance(1)
  expect(woken).toEqual([1000])
  const ending = new AbortController()
  const slept = clock.sleep(1000, ending.signal)
  ending.abort('why')
  await expect(slept).rejects.toBe('why')
  await expect(clock.sleep(1, AbortSignal.abort('before'))).rejects.toBe('before')
  await clocks(0).clock.sleep(year)
})

test('records at pace 0 are one second apart without moving a running call', async () => {
  const { clock, began } = clocks(0)
  const time = open(clock)
  const held = time.hold()
  expect([clock.stamp(), clock.stamp(), clock.now()].map(at => at - began)).toEqual([0, 1000, 2000])
  expect(time.now()).toBe(began)
  clock.freeze(true)
  expect([clock.stamp(), clock.stamp()].map(at => at - began)).toEqual([2000, 2000])
  held()
})

test('closing ends an advance that waits for work', async () => {
  const { clock } = clocks(1, true)
  const time = open(clock)
  time.track(new Promise(() => {}))
  const advanced = clock.advance(1000)
  await turns()
  clock.close()
  await advanced
})

const year = 365 * 24 * 60 * 60 * 1000

/** Everything has its turn that needs no time. */
async function turns(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await new Promise<void>(resolve => setImmediate(resolve))
}

test('leaves no timer when the clock is closed or has nothing to wait for', async () => {
  const waiting = new Set<AbortSignal>()
  const machine: Clock = {
    now: () => 0,
    sleep: (_milliseconds, signal) =>
      new Promise((_, reject) => {
        if (signal === undefined) throw new Error('a timer that cannot be cancelled')
        waiting.add(signal)
        signal.addEventListener('abort', () => {
          waiting.delete(signal)
          reject(signal.reason)
        })
      }),
  }
  const clock = createSandboxClock({ clock: machine, pace: 1, latest: undefined })
  const rounds = async () => {
    for (let round = 0; round < 5; round += 1) await new Promise(resolve => setImmediate(resolve))
  }
  const time = open(clock)
  // An event in a turn wakes the clock again while that turn continues to wait.
  time.at(time.now(), () => time.at(time.now() + 3000, () => {}))
  time.at(time.now() + 2000, () => {})
  await rounds()
  expect(waiting.size).toBe(1)
  clock.close()
  await rounds()
  expect(waiting.size).toBe(0)
})

test('calls that start faster than they end do not pile up, because more happens per turn', async () => {
  const { clock } = clocks(0)
  const perTurn = 50
  const steps = 40
  let running = 0
  for (let turn = 0; turn < 200; turn += 1) {
    for (let call = 0; call < perTurn; call += 1) {
      const time = open(clock)
      running += 1
      const step = (left: number) => {
        if (left > 0) return void time.at(time.now() + 10, () => step(left - 1))
        running -= 1
        time.stop()
      }
      step(steps)
    }
    await nextTurn()
  }
  expect(running).toBeLessThanOrEqual(2 * perTurn * steps)
})
