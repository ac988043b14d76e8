import { expect, test } from 'vitest'
import { type GuardReport, type GuardRule, loadGuard } from '../../../src/calls/guard/index.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { createProgramEnvironment } from '../../../src/lib/process/program-environment.ts'
import { createQueue } from '../../../src/lib/queue.ts'
import { type Answer, type Arrival, startTarget } from '../../helpers/target-server.ts'
import { createTaker, facts, ruleOf } from './guarded-events.ts'

const { openGuard } = await loadGuard()

const start = Date.UTC(2026, 2, 1, 10)

/** A clock whose timers fire as the test lets time pass, and which jumps without any of them. */
function steppedClock() {
  let now = start
  let timers: { readonly at: number; readonly onTime: () => void }[] = []
  const timer = (milliseconds: number, onTime: () => void) => {
    const one = { at: now + milliseconds, onTime }
    timers.push(one)
    return () => {
      timers = timers.filter(other => other !== one)
    }
  }
  const clock: Clock = {
    now: () => now,
    timer,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const cancel = timer(milliseconds, () => resolve())
        signal?.addEventListener('abort', () => {
          cancel()
          reject(signal.reason)
        })
      }),
  }
  return {
    clock,
    pass(milliseconds: number) {
      const until = now + milliseconds
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)
        if (next === undefined) break
        timers = timers.filter(other => other !== next)
        now = Math.max(now, next.at)
        next.onTime()
      }
      now = until
    },
    jump(milliseconds: number) {
      now += milliseconds
      timers = timers.map(({ at, onTime }) => ({ at: at + milliseconds, onTime }))
    },
  }
}

async function startGuard(rules: readonly GuardRule[], clock: Clock) {
  const reports: GuardReport[] = []
  const failures = createQueue<GuardReport>()
  const guard = await openGuard({
    ...{ rules, clock, facts, env: createProgramEnvironment({}), zone: 'UTC', timeout: 60_000 },
    ...{ file: '/project/guards/calls.yaml', folder: '/project/guards' },
    onReport(report) {
      reports.push(report)
      if (report.kind === 'guard-failed') failures.push(report, 0)
    },
  })
  guard.start()
  const read = failures[Symbol.asyncIterator]()
  return {
    guard,
    alerts: () => reports.flatMap(report => ('at' in report ? [`${report.kind} ${report.at}`] : [])),
    nextFailure: async () => (await read.next()).value,
  }
}

const busyCall = (id: string) => ({
  message: { type: 'status-update', call: { id, status: 'finished', phoneCallStatus: 'busy' } },
})

test.each([3_600_000, -3_600_000])(
  'a clock that jumps by %d ms neither fires nor recovers a rule',
  async ms => {
    const { clock, pass, jump } = steppedClock()
    const rules = [ruleOf('no events for 15m'), ruleOf('count(busy) over 10m >= 1')]
    const { guard, alerts } = await startGuard(rules, clock)
    pass(60_000)
    guard.onEvent(createTaker()(busyCall('CC-1')))
    pass(5000)
    expect(alerts()).toEqual(['guard-fired 2026-03-01T10:01:00.000Z'])
    jump(ms)
    pass(8 * 60_000)
    expect(alerts()).toHaveLength(1)
    pass(4 * 60_000)
    // Ten minutes of time that passed, without the 5 s since the clock was last read, at the time that it shows now.
    const at = new Date(start + 11 * 60_000 + 5000 + ms).toISOString()
    expect(alerts().slice(1)).toEqual([`guard-recovered ${at}`])
  },
)

/** Responds with these statuses in turn, and then no more. */
function respondingWith(...statuses: number[]): Answer {
  return response => {
    const status = statuses.shift()
    if (status !== undefined) response.writeHead(status).end()
  }
}

const kindsOf = (arrivals: readonly Arrival[]) => arrivals.map(arrival => arrival.json().kind)

const busyRule = (url: string, window = '10m') =>
  ruleOf(`count(busy) over ${window} >= 1`, { action: { kind: 'post', url, headers: {} } })

test('an alert is sent three times at most, and the last failure is final', async () => {
  const { clock, pass } = steppedClock()
  const { url, arrivals } = await startTarget(respondingWith(503, 429, 503))
  const { guard, nextFailure } = await startGuard([busyRule(url)], clock)
  guard.onEvent(createTaker()(busyCall('CC-1')))
  pass(1001)
  expect(await nextFailure()).toMatchObject({ status: 503, retryMs: 1000 })
  pass(1000)
  expect(await nextFailure()).toMatchObject({ status: 429, retryMs: 15_000 })
  const closing = guard.close(60_000)
  pass(15_000)
  expect(await nextFailure()).toEqual(expect.not.objectContaining({ retryMs: expect.anything() }))
  expect(await closing).toMatchObject({ delivered: 0, failed: 1 })
  expect(arrivals).toHaveLength(3)
})

test('an alert that may have arrived is not sent again', async () => {
  const { clock, pass } = steppedClock()
  const { url, arrivals } = await startTarget(respondingWith(500))
  const { guard, nextFailure } = await startGuard([busyRule(url)], clock)
  guard.onEvent(createTaker()(busyCall('CC-1')))
  pass(1001)
  expect(await nextFailure()).toMatchObject({ status: 500, reason: 'the server responded 500' })
  expect(await guard.close(0)).toMatchObject({ delivered: 0, failed: 1 })
  expect(kindsOf(arrivals)).toEqual(['guard-fired'])
})

test('close lets the attempts of an alert end while there is time', async () => {
  const { clock, pass } = steppedClock()
  const { url, arrivals } = await startTarget(respondingWith(503, 200))
  const { guard, nextFailure } = await startGuard([busyRule(url)], clock)
  guard.onEvent(createTaker()(busyCall('CC-1')))
  pass(1001)
  await nextFailure()
  const closing = guard.close(60_000)
  pass(1000)
  expect(await closing).toMatchObject({ delivered: 1, failed: 0 })
  expect(kindsOf(arrivals)).toEqual(['guard-fired', 'guard-fired'])
})

test('close reports alerts that were not delivered in time: the one under way and those that wait', async () => {
  const { clock, pass } = steppedClock()
  const { url, arrived } = await startTarget(respondingWith())
  const { guard, nextFailure } = await startGuard([busyRule(url, '2s')], clock)
  guard.onEvent(createTaker()(busyCall('CC-1')))
  pass(1001)
  await arrived(1)
  pass(3000)
  expect(guard.left).toBe(2)
  const closing = guard.close(1000)
  pass(1000)
  expect(await closing).toMatchObject({ delivered: 0, failed: 2 })
  for (const kind of ['guard-fired', 'guard-recovered'])
    expect(await nextFailure()).toMatchObject({ alert: kind, reason: 'no time left before exit' })
})

test('the status has the current figure, and when a rule fired and recovered', async () => {
  const { clock, pass } = steppedClock()
  const rules = [ruleOf('share(busy) over 10m > 60%', { minCalls: 1 }), ruleOf('no events for 15m')]
  const { guard } = await startGuard(rules, clock)
  let checks = 0
  guard.onCheck(() => checks++)
  const take = createTaker()
  guard.onEvent(take(busyCall('CC-1')))
  pass(2000)
  expect(guard.status()).toMatchObject([
    {
      firing: [{ since: '2026-03-01T10:00:00.000Z' }],
      values: [{ value: 1 }],
      unit: 'share',
      recoveredAt: null,
    },
    { firing: [], values: [], lastEventAt: '2026-03-01T10:00:00.000Z' },
  ])
  guard.onEvent(take({ message: { type: 'status-update', call: { id: 'CC-2', status: 'finished' } } }))
  pass(60_000)
  expect(guard.status()[0]).toMatchObject({
    ...{ firing: [], values: [{ value: 0.5 }], recoveredAt: '2026-03-01T10:00:02.000Z', lastEventAt: null },
  })
  expect(checks).toBeGreaterThan(1)
})

test('each second with events is checked once when it is over, so that a page shows the last event and alerts are on time', async () => {
  const { clock, pass } = steppedClock()
  const rules = [ruleOf('no events for 15m'), ruleOf('count(busy) over 10m >= 1')]
  const { guard, alerts } = await startGuard(rules, clock)
  pass(60_000)
  const shown: (string | null | undefined)[] = []
  guard.onCheck(() => shown.push(guard.status()[0]?.lastEventAt))
  const take = createTaker()
  for (let index = 0; index < 100; index++) {
    pass(30)
    guard.onEvent(take({ message: { type: 'status-update', call: { id: 'CC-1', status: 'in-progress' } } }))
  }
  pass(1001)
  expect(new Set(shown).size).toBe(shown.length)
  expect(shown).toHaveLength(3)
  expect(shown.at(-1)).toBe('2026-03-01T10:01:03.000Z')
  pass(20_500)
  guard.onEvent(take(busyCall('CC-2')))
  pass(1001)
  expect(alerts()).toEqual(['guard-fired 2026-03-01T10:01:25.000Z'])
  expect(shown.at(-1)).toBe('2026-03-01T10:01:24.501Z')
})
