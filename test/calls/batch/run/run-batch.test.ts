import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CallJob } from '../../../../src/calls/batch/index.ts'
import { planBatch } from '../../../../src/calls/batch/index.ts'
import { resultsOf } from '../../../../src/calls/batch/status/index.ts'
import { createWindow } from '../../../../src/calls/batch/window.ts'
import type { BatchFile } from '../../../../src/files/formats/batch.ts'
import { CallyardError } from '../../../../src/lib/error.ts'
import { runs } from '../../../helpers/every-case.ts'
import { openList } from '../open-list.ts'
import { type SimulatedRun, simulate } from '../simulated-service.ts'

const start = Date.parse('2026-11-24T13:00:00Z')
const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'America/Los_Angeles']

/** A response of the service. */
type Answer = 'ok' | 'no-id' | 'rejected' | 'lost' | 'busy' | 'unauthorized' | 'refused-connection'

const failures: Readonly<Partial<Record<Answer, () => CallyardError>>> = {
  rejected: () => error('refused', { outcome: 'refused', status: 422 }),
  lost: () => error('unreachable', { outcome: 'unknown' }),
  busy: () => error('refused', { outcome: 'refused', status: 429 }),
  unauthorized: () => error('unauthorized', { outcome: 'refused', status: 401 }),
  'refused-connection': () => error('unreachable', { outcome: 'not-sent' }),
}

function error(kind: 'refused' | 'unreachable' | 'unauthorized', details: Record<string, unknown>) {
  return new CallyardError(kind, `the service says ${JSON.stringify(details)}`, { details })
}

interface Job {
  readonly people?: number
  readonly batch?: Partial<BatchFile>
  /** Response to each request, by its index; `ok` after the last one. */
  readonly answers?: readonly Answer[]
  /** Milliseconds by which the clock is set back during the second request. */
  readonly setBackMs?: number
  /** Called during each request. */
  readonly onRequest?: () => void
}

async function createJob({ people = 3, batch = {}, answers = [], setBackMs = 0, onRequest }: Job = {}) {
  const requests: {
    readonly to: string
    readonly from: string
    readonly at: number
    readonly answer: Answer
  }[] = []
  const simulation = await simulate({
    ...{ start, batch },
    zones: Array.from({ length: people }, (_, index) => zones[index % zones.length] ?? ''),
  })
  const { now, sleep } = simulation.clock
  const clock = { sleep, now: () => now() - (requests.length < 2 ? 0 : setBackMs) }
  const call = async ({ from, to }: CallJob) => {
    const answer = answers[requests.length] ?? 'ok'
    requests.push({ to, from, at: clock.now(), answer })
    onRequest?.()
    await sleep(100)
    const fail = failures[answer]
    if (fail !== undefined) throw fail()
    return { id: answer === 'no-id' ? undefined : `CC-${requests.length}` }
  }
  return {
    ...simulation,
    requests,
    /** Runs the batch until it ends, or until the process is killed at a line of the journal. Calls have no events. */
    run: (options: SimulatedRun = {}) =>
      simulation.run({ ...options, deps: { feed: undefined, clock, call } }),
  }
}

test('calls each person once, and again nobody', async () => {
  const { run, requests, statuses, stateFolder } = await createJob({ answers: ['ok', 'no-id', 'rejected'] })
  expect(await run()).toBe('done')
  expect(requests.map(({ to }) => to)).toEqual(['+12025551000', '+12025551001', '+12025551002'])
  expect(await statuses()).toEqual(['placed', 'placed', 'rejected'])
  expect(await run()).toBe('done')
  expect(requests).toHaveLength(3)
  expect((await stat(join(stateFolder, 'journal.ndjson'))).mode & 0o777).toBe(0o600)
})

test('a call whose response was lost is not repeated', async () => {
  const { run, requests, statuses } = await createJob({ answers: ['ok', 'lost', 'ok'] })
  expect(await run()).toBe('done')
  expect(await statuses()).toEqual(['placed', 'unknown', 'placed'])
  expect(await run()).toBe('done')
  expect(requests).toHaveLength(3)
})

test('three lost responses in a row stop the batch', async () => {
  const { run, requests, statuses } = await createJob({
    people: 6,
    answers: ['lost', 'ok', 'lost', 'lost', 'lost'],
  })
  await expect(run()).rejects.toMatchObject({ kind: 'unreachable' })
  expect(requests).toHaveLength(5)
  expect(await statuses()).toEqual(['unknown', 'placed', 'unknown', 'unknown', 'unknown', 'due'])
})

test.each(['unauthorized', 'refused-connection'] as const)(
  '%s stops the batch, and loses nobody',
  async answer => {
    const { run, statuses, requests } = await createJob({ answers: ['ok', answer] })
    await expect(run()).rejects.toBeInstanceOf(CallyardError)
    expect(await statuses()).toEqual(['placed', 'due', 'due'])
    expect(await run()).toBe('done')
    expect(requests.map(({ to }) => to.slice(-2))).toEqual(['00', '01', '01', '02'])
  },
)

test('a busy service is waited for, longer each time', async () => {
  const { run, events, statuses, requests } = await createJob({
    people: 1,
    answers: ['busy', 'busy', 'busy'],
  })
  expect(await run()).toBe('done')
  expect(await statuses()).toEqual(['placed'])
  expect(events.map(({ kind }) => kind)).toEqual(['waiting', 'waiting', 'waiting', 'called'])
  const waits = requests.slice(1).map(({ at }, index) => Math.round((at - (requests[index]?.at ?? 0)) / 1000))
  expect(waits).toEqual([30, 60, 120])
})

test('calls begin at the rate', async () => {
  const { run, requests } = await createJob({ people: 4, batch: { rate: '20/min' } })
  await run()
  expect(requests.map(({ at }) => at - start)).toEqual([0, 3000, 6000, 9000])
})

test('a clock that is set back does not delay the next calls', async () => {
  const setBackMs = 3_600_000
  const { run, requests } = await createJob({ people: 4, batch: { rate: '20/min' }, setBackMs })
  expect(await run()).toBe('done')
  const delays = requests.map(({ at }, index) => at - start + (index < 2 ? 0 : setBackMs))
  // The second request takes 100 ms, by which the clock seems to be set back less.
  expect(delays).toEqual([0, 3000, 6100, 9100])
})

test('numbers take turns up to their limits, across runs too', async () => {
  const from = [{ number: '+12025550180', calls: 1 }, '+12025550181', { number: '+12025550182', calls: 2 }]
  const { run, requests } = await createJob({ people: 6, batch: { from, limit: { calls: 4 } } })
  expect(await run({ killAt: 6 }).catch(thrown => thrown)).toMatchObject({ message: 'killed' })
  expect(await run()).toBe('limit')
  const used = requests.map(request => request.from)
  expect(used.filter(number => number === '+12025550180')).toHaveLength(1)
  expect(used.filter(number => number === '+12025550182').length).toBeLessThanOrEqual(2)
  expect(requests.length).toBeLessThanOrEqual(4)
})

describe('the window', () => {
  const window = { days: 'mon-fri', hours: '09:00-17:00' }

  test('is waited for in the time zone of each person', async () => {
    const { run, requests, events } = await createJob({ people: 4, batch: { window } })
    expect(await run()).toBe('done')
    const shown = createWindow(window)
    for (const { to, at } of requests)
      expect(shown.isOpen(at, zones[Number(to.slice(-2)) % 4] ?? '')).toBe(true)
    // Berlin is open at once, then New York, Los Angeles and Tokyo.
    expect(requests.map(({ to }) => to.slice(-2))).toEqual(['01', '00', '03', '02'])
    expect(events.filter(({ kind }) => kind === 'waiting')).toHaveLength(3)
  })

  test('that closes before everybody was called ends the batch at until', async () => {
    const batch = { window, until: '2026-11-24T14:30Z', rate: '1/h' }
    const { run, statuses, requests } = await createJob({ people: 8, batch })
    expect(await run()).toBe('ended')
    expect(requests).toHaveLength(2)
    for (const { at } of requests) expect(at).toBeLessThan(Date.parse('2026-11-24T14:30Z'))
    expect(await statuses()).toContain('due')
  })
})

test('a signal pauses after the request in progress, and while waiting', async () => {
  const paused = new AbortController()
  const { run, statuses, requests } = await createJob({
    ...{ batch: { rate: '1/min' }, onRequest: () => paused.abort() },
  })
  expect(await run({ signal: paused.signal })).toBe('paused')
  expect(requests).toHaveLength(1)
  expect(await statuses()).toEqual(['placed', 'due', 'due'])
  expect(await run()).toBe('done')
  expect(requests).toHaveLength(3)
})

test('a person whose id or number has changed in the list is not called again', async () => {
  const { folder, run } = await createJob({ people: 1 })
  await run()
  const statusIn = async (id: string, number: string) => {
    const opened = await openList(
      folder,
      [
        ['id', 'to'],
        [id, number],
      ],
      {},
    )
    const planned = planBatch({ ...opened, now: start, isRunning: true })
    return resultsOf(opened, planned).map(({ status }) => status)
  }
  expect(await statusIn('new', '+12025551000')).toEqual(['placed'])
  expect(await statusIn('+12025551000', '+12025550199')).toEqual(['placed'])
  expect(await statusIn('other', '+12025550199')).toEqual(['due'])
})

test('a damaged journal stops the batch, and an incomplete last line does not', async () => {
  const { stateFolder, run, requests } = await createJob({ people: 3 })
  await run({ killAt: 4 }).catch(() => undefined)
  const path = join(stateFolder, 'journal.ndjson')
  const text = await readFile(path, 'utf8')
  await writeFile(path, `${text}{"step":"calling","at":"2026`)
  expect(await run()).toBe('done')
  expect(new Set(requests.map(({ to }) => to)).size).toBe(3)
  await writeFile(path, `not JSON\n${text}`)
  await expect(run()).rejects.toMatchObject({ kind: 'usage', message: expect.stringContaining(path) })
})

test('after kills at any line and any responses nobody is called twice, and nobody is forgotten', async () => {
  const answer = fc.constantFrom<Answer>('ok', 'ok', 'ok', 'no-id', 'rejected', 'lost', 'busy')
  const kill = fc.record({ killAt: fc.integer({ min: 1, max: 9 }), isAfter: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(answer, { maxLength: 20 }),
      fc.array(kill, { maxLength: 4 }),
      fc.constantFrom<Partial<BatchFile>>({}, { rate: '5/min' }, { window: { hours: '09:00-17:00' } }),
      async (people, answers, kills, batch) => {
        const job = await createJob({ people, answers, batch })
        for (const each of kills) await job.run(each).catch(() => undefined)
        // What a broken service stopped is continued by a person.
        let end = await job.run().catch(() => undefined)
        for (let turn = 0; end === undefined && turn < people; turn += 1)
          end = await job.run().catch(() => undefined)
        expect(end).toBe('done')
        const statuses = await job.statuses()
        expect(statuses).not.toContain('due')
        for (const [index, status] of statuses.entries()) {
          const own = job.requests.filter(({ to }) => Number(to.slice(-2)) === index)
          const reached = own.filter(each => each.answer !== 'busy')
          // A kill may come after a request and before its line: then the outcome is unknown.
          expect(reached.length).toBeLessThanOrEqual(1)
          if (status === 'placed' || status === 'rejected') expect(reached).toHaveLength(1)
          else expect(status).toBe('unknown')
        }
      },
    ),
    { numRuns: runs(30) },
  )
})

test('five rejected requests in a row stop the batch, and nobody else is rejected', async () => {
  const answers = Array.from({ length: 9 }, (_, index): Answer => (index === 1 ? 'ok' : 'rejected'))
  const { run, statuses, requests } = await createJob({ people: 9, answers })
  await expect(run()).rejects.toMatchObject({ kind: 'refused' })
  expect(requests).toHaveLength(7)
  expect((await statuses()).slice(7)).toEqual(['due', 'due'])
})
