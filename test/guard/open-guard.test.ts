import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { GuardRule } from '../../src/guard/guard-rule.ts'
import type { GuardReport } from '../../src/guard/index.ts'
import { openGuard } from '../../src/guard/open-guard.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { createTaker, facts, ruleOf } from './guarded-events.ts'

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
    sleep: milliseconds => new Promise(resolve => timer(milliseconds, () => resolve())),
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

async function folderOfTest() {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-guard-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function startGuard(rules: readonly GuardRule[], clock: Clock, folder: string) {
  const reports: GuardReport[] = []
  const guard = await openGuard({
    ...{ rules, clock, facts, folder, env: {}, zone: 'UTC', timeout: 1000 },
    ...{ file: join(folder, 'calls.yaml'), stateFolder: join(folder, 'state') },
    onReport: report => reports.push(report),
  })
  onTestFinished(async () => void (await guard.close(0)))
  guard.start()
  const alerts = () =>
    reports.flatMap(report => (report.kind === 'alert' ? [`${report.alert.kind} ${report.alert.at}`] : []))
  return { guard, alerts }
}

const busyCall = (id: string) => ({
  message: { type: 'status-update', call: { id, status: 'finished', phoneCallStatus: 'busy' } },
})

test.each([3_600_000, -3_600_000])(
  'a clock that jumps by %d ms neither fires nor recovers a rule',
  async ms => {
    const { clock, pass, jump } = steppedClock()
    const rules = [ruleOf('no events for 15m'), ruleOf('count(busy) over 10m >= 1')]
    const { guard, alerts } = await startGuard(rules, clock, await folderOfTest())
    pass(60_000)
    guard.take(createTaker()(busyCall('CC-1')))
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

test('another process cannot use the state, and a damaged state is an error', async () => {
  const { clock } = steppedClock()
  const folder = await folderOfTest()
  const rules = [ruleOf('no events for 15m')]
  const { guard } = await startGuard(rules, clock, folder)
  await expect(startGuard(rules, clock, folder)).rejects.toMatchObject({
    kind: 'conflict',
    code: 'guard-in-use',
  })
  await guard.close(0)
  const [file = ''] = (await readdir(join(folder, 'state'))).filter(name => name.endsWith('.ndjson'))
  await writeFile(join(folder, 'state', file), '{"step":"begin","version":2,"file":"x"}\n')
  await expect(startGuard(rules, clock, folder)).rejects.toMatchObject({ code: 'guard-state-unusable' })
})

test('the status has the current figure, and when a rule fired and recovered', async () => {
  const { clock, pass } = steppedClock()
  const rules = [ruleOf('share(busy) over 10m > 60%', { minCalls: 1 }), ruleOf('no events for 15m')]
  const { guard } = await startGuard(rules, clock, await folderOfTest())
  let checks = 0
  guard.onCheck(() => checks++)
  const take = createTaker()
  guard.take(take(busyCall('CC-1')))
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
  guard.take(take({ message: { type: 'status-update', call: { id: 'CC-2', status: 'finished' } } }))
  pass(60_000)
  expect(guard.status()[0]).toMatchObject({
    ...{ firing: [], values: [{ value: 0.5 }], recoveredAt: '2026-03-01T10:00:02.000Z', lastEventAt: null },
  })
  expect(checks).toBeGreaterThan(1)
})

test('each second with events is checked once when it is over, so that a page shows the last event and alerts are on time', async () => {
  const { clock, pass } = steppedClock()
  const rules = [ruleOf('no events for 15m'), ruleOf('count(busy) over 10m >= 1')]
  const { guard, alerts } = await startGuard(rules, clock, await folderOfTest())
  pass(60_000)
  const shown: (string | null | undefined)[] = []
  guard.onCheck(() => shown.push(guard.status()[0]?.lastEventAt))
  const take = createTaker()
  for (let index = 0; index < 100; index++) {
    pass(30)
    guard.take(take({ message: { type: 'status-update', call: { id: 'CC-1', status: 'in-progress' } } }))
  }
  pass(1001)
  expect(new Set(shown).size).toBe(shown.length)
  expect(shown).toHaveLength(3)
  expect(shown.at(-1)).toBe('2026-03-01T10:01:03.000Z')
  pass(20_500)
  guard.take(take(busyCall('CC-2')))
  pass(1001)
  expect(alerts()).toEqual(['guard-fired 2026-03-01T10:01:25.000Z'])
  expect(shown.at(-1)).toBe('2026-03-01T10:01:24.501Z')
})
