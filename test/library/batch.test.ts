import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { requestChange } from '../../src/batch/index.ts'
import {
  attemptOutcomes,
  type BatchFile,
  type callKinds,
  type PersonStatus as Status,
} from '../../src/interface/batch.ts'
import {
  type BatchCandidate,
  type BatchJob,
  type BatchResult,
  type BatchRunEvent,
  type BatchSettings,
  type CallReason,
  CallyardError,
  type PersonStatus,
  planBatch,
  type RunBatchOptions,
  receiveWebhooks,
  runBatch,
} from '../../src/library/index.ts'
import { runOptions } from '../../src/library/run-batch.ts'
import { startSandbox } from '../../src/library/sandbox.ts'
import { noPause, realClock } from '../helpers/real-clock.ts'

const from = '+12025550100'
const now = new Date('2026-11-23T20:00:00Z')
const caught = (error: unknown) => error

type Frozen<Type> = Type extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Type extends object
    ? { readonly [Key in keyof Type]: Frozen<Type[Key]> }
    : Type

test('the published settings, statuses and reasons are those of the schemas', () => {
  type Own = Frozen<Omit<BatchFile, 'list' | 'assistant' | 'doNotCall' | 'check' | 'results'>>
  expectTypeOf<Own>().toExtend<BatchSettings>()
  expectTypeOf<BatchSettings>().toExtend<Own>()
  expectTypeOf<keyof BatchSettings>().toEqualTypeOf<keyof Own>()
  expectTypeOf<PersonStatus>().toEqualTypeOf<Status>()
  expectTypeOf<CallReason>().toEqualTypeOf<(typeof callKinds)[number]>()
  expect(attemptOutcomes).toContain('unclear')
})

test('a plan has people, zones and the calls within the limits', async () => {
  const plan = await planBatch({
    people: [
      { customer_id: 1001, phone: '+1 202 555 0110', first_name: 'Ada', tz: 'America/New_York', note: null },
      { customer_id: 1002, phone: '+12025550111', first_name: 'Bo', tz: 'Europe/Berlin' },
    ],
    ...{ from, now, usedVariables: ['first_name'], variables: { shop: 'Ada & Co' } },
    ...{ window: { hours: '09:00-17:00' }, rate: '1/min', retry: { attempts: 2 }, limit: { calls: 3 } },
    until: '2026-11-25T12:00:00Z',
  })
  expect(plan).toMatchObject({
    problems: [],
    findings: [{ code: 'unused-column', severity: 'warning', column: 'note', field: 'people' }],
    people: [
      {
        id: '1001',
        numbers: ['+12025550110'],
        timezone: 'America/New_York',
        variables: { first_name: 'Ada', shop: 'Ada & Co' },
        row: 0,
      },
      { id: '1002', row: 1 },
    ],
    skipped: { invalid: 0, duplicate: 0, doNotCall: 0 },
    calls: { first: 2, most: 3 },
    leastMs: { first: 120_000, most: 180_000 },
    zones: [
      { timezone: 'America/New_York', people: 1, opensAt: '2026-11-23T20:00:00.000Z' },
      { timezone: 'Europe/Berlin', people: 1, opensAt: '2026-11-24T08:00:00.000Z' },
    ],
    until: '2026-11-25T12:00:00.000Z',
  })
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan)
})

test('findings have the row and the column', async () => {
  const plan = await planBatch({
    people: [
      { phone: '1.2E+10', tz: 'Europe/Berlin' },
      { phone: '+12025550110', tz: 'EST' },
      { phone: '+12025550111', tz: 'Europe/Berlin' },
      { phone: '+1 (202) 555-0111', tz: 'Europe/Berlin' },
      { phone: '+12025550112', tz: 'Europe/Berlin' },
      'nobody' as never,
    ],
    ...{ from, now, doNotCall: ['+12025550112'], window: { days: 'mon-fri' } },
  })
  expect(plan.findings).toMatchObject([
    { code: 'spreadsheet-number', row: 0, column: 'phone', hint: expect.any(String) },
    { code: 'unknown-timezone', row: 1, column: 'tz' },
    { code: 'duplicate-person', row: 3, message: 'same id as people[2]; this row is skipped' },
    { code: 'on-do-not-call-list', row: 4, message: '+12025550112 is in doNotCall; this row is skipped' },
    { code: 'not-an-object', row: 5 },
  ])
  expect(plan.findings.every(({ field }) => field === undefined)).toBe(true)
  expect(plan.findingCounts).toMatchObject({ 'duplicate-person': 1 })
  expect(plan.skipped).toEqual({ invalid: 3, duplicate: 1, doNotCall: 1 })
  expect(plan.people.map(({ row }) => row)).toEqual([2])
})

test.each([
  [{ from: '0100' }, { code: 'invalid-sender', field: 'from' }],
  [{ defaultCountry: 'XX' }, { code: 'unknown-country', field: 'defaultCountry' }],
  [{ until: '2026-11-01T00:00:00Z' }, { code: 'end-has-passed', field: 'until' }],
  [{ people: [] }, { code: 'no-rows', field: 'people' }],
  [{ people: [{ who: 'Ada' }] }, { code: 'no-number-column', field: 'people' }],
  [
    { usedVariables: ['day'] },
    { code: 'unset-variable', field: 'people', message: expect.stringContaining('{{day}}') },
  ],
  [{ doNotCall: ['+12025550110', 'x'] }, { code: 'unreadable-do-not-call', field: 'doNotCall[1]' }],
])('%j prevents the whole batch', async (options, problem) => {
  const all = { people: [{ phone: '+12025550110' }], from, ...options }
  const { problems } = await planBatch({ ...all, now })
  expect(problems).toContainEqual(expect.objectContaining({ severity: 'error', ...problem }))
  const folder = await stateFolder()
  const run = runBatch({ ...all, folder, service: 'here', call: async () => ({}) })
  // A batch that may have begun still waits for its calls in progress after its end.
  if (problem.code === 'end-has-passed') expect(await run).toMatchObject({ end: 'ended' })
  else await expect(run).rejects.toMatchObject(problem)
})

const refused = [
  [{ form: from }, 'form', 'did you mean from?'],
  [{ window: { hour: '09:00-17:00' } }, 'window.hour', 'did you mean hours?'],
  [{ window: { hours: '9-17' } }, 'window.hours', undefined],
  [{ rate: '20/day' }, 'rate', undefined],
  [{ retry: { attempts: 99 } }, 'retry.attempts', undefined],
  [{ people: {} }, 'people', undefined],
  [{ people: undefined }, 'people', undefined],
  [{ from: undefined }, 'from', undefined],
  [{ list: 'people.csv' }, 'list', undefined],
  [{ check: () => [] }, 'check', undefined],
] as const

test.for(refused)('rejects %j by its field', async ([options, field, hint]) => {
  const all = { people: [{ phone: '+12025550110' }], from, ...options } as never
  const error = await planBatch(all).catch(caught)
  expect(error).toBeInstanceOf(CallyardError)
  expect(error).toMatchObject({ field, ...(hint === undefined ? {} : { hint }) })
  expect(String(error)).toMatch(/^CallyardError: planBatch: /)
})

test.for([
  [{ now: new Date('') }, 'now', 'a Date'],
  [{ now: '2026-11-23' }, 'now', 'a Date'],
] as const)('planBatch rejects %j', async ([options, field, allowed]) => {
  const all = { people: [{ phone: '+12025550110' }], from, ...options } as never
  await expect(planBatch(all)).rejects.toMatchObject({ field, message: expect.stringContaining(allowed) })
})

test.for([
  [{ call: undefined }, 'call', 'a function'],
  [{ call: 'https://example.com' }, 'call', 'a function'],
  [{ folder: undefined }, 'folder', 'missing'],
  [{ service: '' }, 'service', ''],
  [{ events: [] }, 'events', 'an async iterable'],
  [{ outcomes: { status: { DONE: 'anwsered' } } }, 'outcomes.status.DONE', 'answered'],
  [{ signal: {} }, 'signal', 'an AbortSignal'],
  [{ onOptOut: 3 }, 'onOptOut', 'a function'],
  [{ check: './eligible.sh' }, 'check', 'a function'],
  [{ resendUnknown: 'yes' }, 'resendUnknown', ''],
  [{ drainMs: -1 }, 'drainMs', ''],
  [{ now }, 'now', 'not a known field'],
  [{ concurrency: 2 }, 'concurrency', 'needs the outcomes of calls; pass events'],
  [{ limit: { minutes: 2 } }, 'limit.minutes', 'needs the outcomes of calls; pass events'],
] as const)('runBatch rejects %j', async ([options, field, words]) => {
  const all = { people: [{ phone: '+12025550110' }], from, folder: '/nowhere', service: 'here' }
  const error = await runBatch({ ...all, call: async () => ({}), ...options } as never).catch(caught)
  expect(error).toBeInstanceOf(CallyardError)
  expect(error).toMatchObject({ field, message: expect.stringContaining(words) })
})

async function stateFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'callyard-batch-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'state')
}

const numbers = { answered: '+12025550110', busy: '+12025550181', second: '+12025550185' }
const peopleOf = (...listed: string[]) => listed.map(phone => ({ phone }))
const statuses = ({ people }: BatchResult) => people.map(({ status }) => status)

/** A sandbox, a receiver of its webhooks, and a batch that calls there. */
async function setUp() {
  const receiver = await receiveWebhooks()
  const sandbox = await startSandbox()
  onTestFinished(async () => {
    await sandbox.close()
    await receiver.close()
  })
  const folder = await stateFolder()
  const jobs: BatchJob[] = []
  const call = async (job: BatchJob, caller: string[] = ['Hello', '/hangup']) => {
    jobs.push(job)
    const assistant = { welcomeMessage: 'Hello', assistantServer: { url: receiver.url } }
    const { to, metadata } = job
    return sandbox.call({ from: job.from, to, assistant, caller, metadata })
  }
  const events: BatchRunEvent[] = []
  const run = (options: Partial<RunBatchOptions> = {}) =>
    runBatch({
      ...{
        people: peopleOf(numbers.answered),
        from,
        folder,
        service: sandbox.baseUrl,
        events: receiver,
        call,
      },
      onEvent: event => events.push(event),
      ...options,
    })
  return { receiver, sandbox, folder, jobs, call, events, run }
}

test('a run follows calls to their outcomes, and calls people again who did not answer', async () => {
  const { run, jobs, events, sandbox } = await setUp()
  const people = [
    { id: 1, phone: numbers.answered, first_name: 'Ada' },
    { id: 2, phone: numbers.busy, first_name: 'Bo' },
    { id: 3, phone: numbers.second, first_name: 'Cy' },
  ]
  const result = await run({
    people,
    ...{ retry: { attempts: 2, after: '0s' }, concurrency: 2, metadata: { campaign: 'spring' } },
  })
  expect(result).toMatchObject({
    end: 'done',
    reason: null,
    counts: { answered: 2, busy: 1, due: 0 },
    skipped: { invalid: 0, duplicate: 0, doNotCall: 0 },
    people: [
      { id: '1', row: 0, status: 'answered', next: null, attempts: [{ why: 'first', to: numbers.answered }] },
      { id: '2', status: 'busy', attempts: [{ outcome: 'busy' }, { outcome: 'busy', why: 'retry' }] },
      { id: '3', status: 'answered', attempts: [{ why: 'first' }, { outcome: 'answered', endedBy: 'user' }] },
    ],
  })
  expect(JSON.parse(JSON.stringify(result))).toEqual(result)
  expect(jobs[0]).toMatchObject({
    key: result.people[0]?.attempts[0]?.key,
    person: { id: '1', variables: { first_name: 'Ada' }, row: 0 },
    ...{ from, to: numbers.answered, attempt: 1, metadata: { campaign: 'spring', person: '1', attempt: 1 } },
  })
  expect(
    sandbox
      .calls()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(result.people.flatMap(({ attempts }) => attempts.map(each => each.call)).sort())
  expect(events.filter(({ kind }) => kind === 'ended')).toHaveLength(5)
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'ended', outcome: 'busy', next: expect.stringMatching(/Z$/) }),
  )
})

test('a person who opts out is reported and never called again, also if the report fails', async () => {
  const { run, call, jobs } = await setUp()
  const options = {
    people: [{ id: 'ada', mobile: numbers.answered, home: '+12025550112' }],
    ...{ columns: { to: ['mobile', 'home'] }, callback: 'structuredData.at' },
    call: (job: BatchJob) => call(job, ['Please stop calling me', '/hangup']),
  }
  const broken = new Error('the list is closed')
  await expect(
    run({
      ...options,
      onOptOut() {
        throw broken
      },
    }),
  ).rejects.toBe(broken)
  const optOuts: unknown[] = []
  const result = await run({ ...options, onOptOut: optOut => void optOuts.push(optOut) })
  expect(statuses(result)).toEqual(['opted-out'])
  expect(optOuts).toEqual([
    {
      person: 'ada',
      numbers: [numbers.answered, '+12025550112'],
      call: result.people[0]?.attempts[0]?.call,
      words: 'Please stop calling me',
    },
  ])
  expect(jobs).toHaveLength(1)
})

test('words of a deployment decide first', async () => {
  const { run } = await setUp()
  expect(statuses(await run({ outcomes: { callEndTriggerBy: { USER: 'voicemail' } } }))).toEqual([
    'voicemail',
  ])
})

test('after an abort the same folder continues, and nobody is called twice', async () => {
  const { run, jobs } = await setUp()
  const people = peopleOf(numbers.answered, '+12025550112', '+12025550113')
  const paused = new AbortController()
  const first = await run({
    people,
    signal: paused.signal,
    onEvent: ({ kind }) => kind === 'called' && paused.abort(),
  })
  expect(first).toMatchObject({ end: 'paused', counts: { answered: 1, due: 2 } })
  const second = await run({ people: [...people, { phone: '+12025550114' }] })
  expect(second).toMatchObject({ end: 'done', counts: { answered: 4 } })
  expect(new Set(jobs.map(({ to }) => to)).size).toBe(4)
  expect(jobs).toHaveLength(4)
})

test('a run that ends between a call and its events leaves the events to the next run', async () => {
  const { run, sandbox, receiver, jobs } = await setUp()
  const paused = new AbortController()
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
  sandbox.freeze()
  const call = async (job: BatchJob) => {
    jobs.push(job)
    const assistant = { assistantServer: { url: receiver.url } }
    const body = JSON.stringify({ userNumber: job.to, assistantNumber: job.from, assistant })
    const url = `${sandbox.baseUrl}/calls/v1/conversations`
    const response = await fetch(url, { method: 'POST', headers, body })
    const { sid } = (await response.json()) as { sid: string }
    return { id: sid }
  }
  const first = await run({
    call,
    ...{ signal: paused.signal, drainMs: 0 },
    onEvent: ({ kind }) => kind === 'called' && paused.abort(),
  })
  expect(first).toMatchObject({ end: 'paused', counts: { placed: 1 } })
  sandbox.freeze(false)
  await sandbox.idle()
  expect(statuses(await run({ call }))).toEqual(['answered'])
  expect(jobs).toHaveLength(1)
})

test('an error of `call` tells whether the person was called', async () => {
  const { run, jobs, call } = await setUp()
  const people = peopleOf('+12025550112', '+12025550113', '+12025550114', '+12025550115')
  const offline = Object.assign(new Error('offline'), { outcome: 'not-sent' })
  const errors: Record<string, unknown> = {
    '+12025550112': Object.assign(new Error('bad number'), { outcome: 'rejected' }),
    '+12025550113': new Error('socket hang up'),
    '+12025550114': offline,
  }
  const asked: string[] = []
  const options: Partial<RunBatchOptions> = {
    ...{ people, events: undefined },
    call(job) {
      asked.push(job.to)
      const error = errors[job.to]
      delete errors[job.to]
      if (error !== undefined) throw error
      return call(job)
    },
  }
  await expect(run(options)).rejects.toBe(offline)
  const result = await run(options)
  expect(result).toMatchObject({
    end: 'done',
    people: [{ attempts: [{ reason: 'bad number' }] }, {}, {}, {}],
  })
  expect(statuses(result)).toEqual(['rejected', 'unknown', 'placed', 'placed'])
  expect(asked).toEqual([...people.map(({ phone }) => phone).slice(0, 3), '+12025550114', '+12025550115'])
  expect(jobs.map(({ to }) => to)).toEqual(['+12025550114', '+12025550115'])
})

test('a busy service is waited for, and the same person is called again', async () => {
  let time = now.getTime()
  const clock = {
    now: () => time,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      await noPause(signal)
      time += milliseconds
    },
  }
  const asked: string[] = []
  const result = await runOptions(
    {
      ...{ people: peopleOf('+12025550112', '+12025550113'), from, service: 'here' },
      folder: await stateFolder(),
      async call({ to }) {
        asked.push(to)
        if (asked.length < 3)
          throw Object.assign(new Error('slow down'), { outcome: 'not-sent', status: 429 })
        return {}
      },
    },
    clock,
  )
  expect(statuses(result)).toEqual(['placed', 'placed'])
  expect(asked).toEqual(['+12025550112', '+12025550112', '+12025550112', '+12025550113'])
  expect(time - now.getTime()).toBe(90_000)
})

test('three unknown outcomes in a row end the run with the last error', async () => {
  const { run } = await setUp()
  const people = peopleOf('+12025550112', '+12025550113', '+12025550114', '+12025550115')
  const calls: string[] = []
  const call = async ({ to }: BatchJob) => {
    calls.push(to)
    throw new Error(`no response for ${to}`)
  }
  await expect(run({ people, call, events: undefined })).rejects.toThrow('no response for +12025550114')
  expect(statuses(await run({ people, events: undefined }))).toEqual([
    ...['unknown', 'unknown', 'unknown', 'placed'],
  ])
  expect(calls).toHaveLength(3)
})

test('`resendUnknown` calls people again who may have been called, once', async () => {
  const { run } = await setUp()
  const people = peopleOf('+12025550112', '+12025550113')
  const calls: string[] = []
  const call = async ({ to }: BatchJob) => {
    calls.push(to)
    if (to === '+12025550112') throw new Error('no response')
    return {}
  }
  const options = { people, call, events: undefined }
  expect(statuses(await run(options))).toEqual(['unknown', 'placed'])
  expect(statuses(await run(options))).toEqual(['unknown', 'placed'])
  expect(statuses(await run({ ...options, resendUnknown: true }))).toEqual(['unknown', 'placed'])
  expect(calls).toEqual(['+12025550112', '+12025550113', '+12025550112'])
  expect(statuses(await run({ people, events: undefined, resendUnknown: true }))).toEqual([
    'placed',
    'placed',
  ])
  expect(statuses(await run({ ...options, resendUnknown: true }))).toEqual(['placed', 'placed'])
  expect(calls).toHaveLength(3)
})

test('`check` decides who is called', async () => {
  const { run, jobs, events } = await setUp()
  const people = peopleOf('+12025550112', '+12025550113', '+12025550114', '+12025550115')
  const asked: unknown[] = []
  const check = (candidates: readonly BatchCandidate[]) => {
    asked.push(candidates.map(({ row, attempts }) => [row, attempts]))
    return candidates.map(({ row }) => [true, false, 'has moved', 'yes'][row] ?? false)
  }
  const result = await run({ people, check, events: undefined })
  expect(statuses(result)).toEqual(['placed', 'skipped', 'skipped', 'placed'])
  expect(asked).toEqual([
    [
      [0, 0],
      [1, 0],
      [2, 0],
      [3, 0],
    ],
  ])
  expect(events).toContainEqual({ kind: 'skipped', person: '+12025550114', reason: 'check: has moved' })
  expect(jobs).toHaveLength(2)
})

test('an error of `check`, or another number of verdicts, ends the run, and nobody is called', async () => {
  const { run, jobs } = await setUp()
  const broken = new Error('the database is closed')
  await expect(run({ check: () => Promise.reject(broken), events: undefined })).rejects.toBe(broken)
  const wrong = await run({ check: () => [true, true], events: undefined }).catch(caught)
  expect(wrong).toMatchObject({ code: 'wrong-verdicts', field: 'check' })
  expect(String(wrong)).toContain('2 verdicts for 1 person')
  expect(jobs).toEqual([])
  expect(statuses(await run({ events: undefined }))).toEqual(['placed'])
})

test('an error of `onEvent` ends the run after the call is recorded', async () => {
  const { run, jobs } = await setUp()
  const broken = new Error('the log is closed')
  const people = peopleOf('+12025550112', '+12025550113')
  await expect(
    run({
      people,
      onEvent() {
        throw broken
      },
    }),
  ).rejects.toBe(broken)
  expect(statuses(await run({ people }))).toEqual(['answered', 'answered'])
  expect(jobs).toHaveLength(2)
})

test('events in any form are read, and others are reported', async () => {
  const { run, call, receiver, events } = await setUp()
  const bodies = async function* () {
    yield 'not JSON'
    yield { big: 1n }
    for await (const { body } of receiver) yield body.message === undefined ? body : JSON.stringify(body)
  }
  expect(statuses(await run({ call, events: bodies() }))).toEqual(['answered'])
  expect(events.filter(({ kind }) => kind === 'unreadable')).toHaveLength(2)
})

test('events that end while calls are in progress are an error, and one of theirs ends the run', async () => {
  const { run, jobs } = await setUp()
  const none = async function* () {}
  await expect(run({ events: none() })).rejects.toMatchObject({ code: 'events-ended', field: 'events' })
  const lost = new Error('the queue is gone')
  const failing = async function* () {
    yield {}
    throw lost
  }
  await expect(run({ events: failing() })).rejects.toBe(lost)
  expect(jobs.length).toBeLessThanOrEqual(1)
})

test('`first` pauses the batch until `resume`, and another process can cancel it', async () => {
  const { run, folder } = await setUp()
  const people = peopleOf('+12025550112', '+12025550113', '+12025550114')
  const stopped = { end: 'stopped', reason: 'first: 1', counts: { answered: 1, due: 2 } }
  expect(await run({ people, first: 1 })).toMatchObject(stopped)
  expect(await run({ people, first: 1 })).toMatchObject(stopped)
  expect(await run({ people, first: 1, resume: true, limit: { calls: 2 } })).toMatchObject({
    ...{ end: 'limit', reason: null, counts: { answered: 2, due: 1 } },
  })
  await requestChange(folder, { request: 'cancel' }, { clock: realClock })
  expect(await run({ people })).toMatchObject({ end: 'cancelled', counts: { answered: 2, due: 1 } })
})

test('a batch belongs to one service, and to one run at a time', async () => {
  const { run, call, folder } = await setUp()
  let other: unknown
  await run({
    async call(job) {
      other = await run().catch(caught)
      return call(job)
    },
  })
  expect(other).toMatchObject({ code: 'conflict' })
  await expect(run({ service: 'elsewhere' })).rejects.toMatchObject({ code: 'conflict', field: 'service' })
  const journal = await readFile(join(folder, 'journal.ndjson'), 'utf8')
  expect(journal.match(/"step":"calling"/g)).toHaveLength(1)
})

test('people on a do-not-call list are not called, also if they were called before', async () => {
  const { run, jobs } = await setUp()
  const options = { people: peopleOf(numbers.busy, '+12025550112'), retry: { attempts: 3, after: '0s' } }
  await run({ ...options, limit: { calls: 1 } })
  const result = await run({ ...options, doNotCall: [numbers.busy] })
  expect(statuses(result)).toEqual(['skipped', 'answered'])
  expect(jobs).toHaveLength(2)
})
