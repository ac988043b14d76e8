import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CallJob } from '../../../../src/calls/batch/index.ts'
import { requestChange } from '../../../../src/calls/batch/index.ts'
import type { CallUpdate } from '../../../../src/calls/outcomes/index.ts'
import { retryOutcomes } from '../../../../src/files/formats/batch.ts'
import { realClock } from '../../../helpers/real-clock.ts'
import type { ScriptedCall } from '../scripted-call.ts'
import { simulate } from '../simulated-service.ts'

const utc = (count: number) => Array.from({ length: count }, () => 'UTC')
const script = (...outcomes: ScriptedCall['outcome'][]): ScriptedCall[] =>
  outcomes.map(outcome => ({ outcome }))
const minute = 60_000

describe('retries', () => {
  const retry = { attempts: 3, after: ['30m', '1d'] }

  test('follow outcomes of retry.on, after the times of retry.after', async () => {
    const scripts = [
      script('no-answer', 'busy', 'answered'),
      script('answered'),
      script('failed'),
      script('voicemail'),
    ]
    const { run, statuses, callsTo, events } = await simulate({ zones: utc(4), batch: { retry }, scripts })
    expect(await run()).toBe('done')
    expect(await statuses()).toEqual(['answered', 'answered', 'failed', 'voicemail'])
    const [first, second, third] = callsTo(0)
    expect(Math.round(((second?.at ?? 0) - (first?.endedAt ?? 0)) / minute)).toBe(30)
    expect(Math.round(((third?.at ?? 0) - (second?.endedAt ?? 0)) / minute)).toBe(24 * 60)
    expect(callsTo(2)).toHaveLength(1)
    expect(events.filter(({ kind }) => kind === 'called').map(event => 'why' in event && event.why)).toEqual([
      ...['first', 'first', 'first', 'first', 'retry', 'retry'],
    ])
  })

  test('take the numbers of a person in turn', async () => {
    const { run, callsTo } = await simulate({
      ...{ zones: utc(1), numbers: 2, batch: { retry }, scripts: [script('no-answer')] },
    })
    await run()
    expect(callsTo(0).map(({ to }) => to.slice(-4))).toEqual(['1000', '2000', '1000'])
  })

  test('do not follow rejected requests, lost responses and unclear outcomes', async () => {
    const scripts: ScriptedCall[][] = [
      [{ outcome: 'answered', isRejected: true }],
      [{ outcome: 'answered', isLost: true, isSilent: true }],
      script('unclear'),
    ]
    const on = [...retryOutcomes]
    const { run, statuses, placed } = await simulate({
      ...{ zones: utc(3), batch: { retry: { attempts: 3, on } }, scripts },
    })
    expect(await run()).toBe('done')
    expect(await statuses()).toEqual(['rejected', 'unknown', 'unclear'])
    expect(placed).toHaveLength(2)
  })
})

test('at most `concurrency` calls are in progress, and a call without events ends after the timeout', async () => {
  const scripts = [
    ...Array.from({ length: 9 }, () => script('answered')),
    [{ outcome: 'answered', isSilent: true } as const],
  ]
  const { run, placed, statuses, events } = await simulate({
    zones: utc(10),
    batch: { concurrency: 3 },
    scripts,
  })
  expect(await run({ deps: { outcomeTimeoutMs: 10 * minute } })).toBe('done')
  for (const { at } of placed) {
    const others = placed.filter(other => other.at <= at && (other.endedAt ?? Number.POSITIVE_INFINITY) > at)
    expect(others.length).toBeLessThanOrEqual(3)
  }
  expect((await statuses()).at(-1)).toBe('unclear')
  expect(events.at(-1)).toMatchObject({ kind: 'ended', outcome: 'unclear', reason: 'no event for 10 min' })
})

test('a journal that fails right after a call leaves the person as may have been called', async () => {
  const job = await simulate({ zones: utc(2), batch: { concurrency: 1 } })
  // The line after the request fails, later ones do not: a disk that was full for a moment.
  await expect(job.run({ failAt: 3 })).rejects.toThrow('no space left')
  expect(job.placed).toHaveLength(1)
  expect(await job.run()).toBe('done')
  expect(job.callsTo(0)).toHaveLength(1)
})

test.each([
  [1, { end: 'done', statuses: ['answered'] }],
  [2, { end: 'no more events', statuses: ['answered', 'due'] }],
])('a feed that fails with the last event loses none, for %d people', async (people, expected) => {
  const { run, statuses } = await simulate({ zones: utc(people), batch: { concurrency: 1 } })
  let fail: (error: unknown) => void = () => undefined
  let take: (update: CallUpdate) => void = () => undefined
  const feed = {
    failed: new Promise<never>((_, reject) => {
      fail = reject
    }),
    close: async () => undefined,
    async start(onUpdate: (update: CallUpdate) => void) {
      take = onUpdate
    },
  }
  const ended = { outcome: 'answered', seconds: 60, endedBy: 'user', analysis: null, words: [] } as const
  const call = async ({ to, from }: CallJob) => {
    const numbers = { callId: 'CC-1', userNumber: to, assistantNumber: from }
    take({
      ...numbers,
      phase: 'ended',
      last: null,
      userLines: [],
      ended,
      at: Date.parse('2026-11-23T08:00:01Z'),
    })
    fail(new Error('no more events'))
    return { id: 'CC-1' }
  }
  const end = await run({ deps: { feed, call } }).catch((error: Error) => error.message)
  expect({ end, statuses: await statuses() }).toEqual(expected)
})

test('a pause does not wait for calls whose events can no longer arrive', async () => {
  const { run, clock } = await simulate({ zones: utc(1) })
  const paused = new AbortController()
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const feed = { failed, start: async () => undefined, close: async () => undefined }
  const call = async () => {
    paused.abort()
    fail(new Error('no more events'))
    return { id: 'CC-1' }
  }
  const before = clock.now()
  expect(await run({ signal: paused.signal, deps: { feed, call } })).toBe('paused')
  expect(clock.now() - before).toBeLessThan(minute / 2)
})

test('a call that stays queued is reported once', async () => {
  const { run, events } = await simulate({
    zones: utc(1),
    scripts: [[{ outcome: 'answered', isSilent: true }]],
  })
  await run({ deps: { queuedAfterMs: 5 * minute } })
  expect(events.filter(({ kind }) => kind === 'queued-long')).toMatchObject([{ call: 'CC-1', seconds: 300 }])
})

test('a lost response whose events arrive was a call, and is not unknown', async () => {
  const { run, statuses, state } = await simulate({
    ...{ zones: utc(2), scripts: [[{ outcome: 'busy', isLost: true }], script('answered')] },
  })
  expect(await run()).toBe('done')
  expect(await statuses()).toEqual(['busy', 'answered'])
  expect((await state()).calls.has('CC-1')).toBe(true)
})

describe('a person who opts out', () => {
  const retry = { attempts: 3 }
  test.each<[string, ScriptedCall, string]>([
    ['in words', { outcome: 'answered', says: 'Please stop calling me, ok?' }, 'Please stop calling me, ok?'],
    [
      'in the analysis',
      { outcome: 'answered', analysis: { structuredData: { optOut: 'yes' } } },
      'structuredData.optOut is true',
    ],
    ['in words of the batch', { outcome: 'answered', says: 'Laat me met rust' }, 'Laat me met rust'],
  ])('%s is put on the list and not called again', async (_, call, words) => {
    const { run, statuses, callsTo, optOuts, events } = await simulate({
      ...{ zones: utc(2), numbers: 2, scripts: [[{ outcome: 'no-answer' }, call], script('answered')] },
      batch: { retry, optOut: { phrases: ['laat me met rust'] } },
    })
    await run()
    expect((await statuses())[0]).toBe('opted-out')
    expect(callsTo(0)).toHaveLength(2)
    const listed = [/^\+12025551000,CC-/, /^\+12025552000,CC-/].map(start => expect.stringMatching(start))
    expect(await optOuts()).toEqual(listed)
    expect((await optOuts()).at(-1)).toContain(words)
    expect(events).toContainEqual({ kind: 'opted-out', person: '+12025551000', words })
    await run()
    expect(await optOuts()).toEqual(listed)
  })

  test('is not looked for with optOut: false', async () => {
    const { run, optOuts } = await simulate({
      ...{ zones: utc(1), batch: { optOut: false } },
      scripts: [[{ outcome: 'answered', says: 'stop calling' }]],
    })
    await run()
    expect(await optOuts()).toEqual([])
  })
})

describe('callbacks', () => {
  const callback = { field: 'structuredData.callbackAt', attempts: 2 }
  const asksFor = (callbackAt: unknown): ScriptedCall => ({
    outcome: 'answered',
    analysis: { structuredData: { callbackAt } },
  })

  test('are placed when they were asked for, with a budget of their own', async () => {
    const again = asksFor('2026-11-24T10:00:00Z')
    const { run, callsTo, statuses } = await simulate({
      zones: utc(1),
      batch: { callback },
      scripts: [[again, again, again, again]],
    })
    expect(await run()).toBe('done')
    const times = callsTo(0).map(({ at }) => new Date(at).toISOString().slice(0, 16))
    // The second one was asked for at a time that has passed.
    expect(times).toEqual(['2026-11-23T08:00', '2026-11-24T10:00', '2026-11-24T10:01'])
    expect(await statuses()).toEqual(['answered'])
  })

  test('without an offset follow the clock of the person, and wait for the window', async () => {
    const window = { hours: '09:00-17:00' }
    const { run, callsTo } = await simulate({
      ...{
        start: Date.parse('2026-11-23T15:00:00Z'),
        zones: ['America/New_York', 'America/New_York'],
        batch: { callback, window },
      },
      scripts: [
        [asksFor('2026-11-24T10:30'), { outcome: 'answered' }],
        [asksFor('2026-11-24T20:00'), { outcome: 'answered' }],
      ],
    })
    await run()
    const second = (person: number) => new Date(callsTo(person)[1]?.at ?? 0).toISOString().slice(0, 16)
    expect(second(0)).toBe('2026-11-24T15:30')
    expect(second(1)).toBe('2026-11-25T14:00')
  })

  test.each([
    ['2020-11-24T10:00:00Z', 'is in the past'],
    ['after lunch', 'is not a time'],
  ])('at %j are reported, and nobody is called at once', async (time, problem) => {
    const { run, callsTo, events } = await simulate({
      ...{ zones: utc(1), batch: { callback }, scripts: [[asksFor(time)]] },
    })
    await run()
    expect(callsTo(0)).toHaveLength(1)
    const reason = `structuredData.callbackAt ${problem}: ${JSON.stringify(time)}`
    expect(events).toContainEqual(expect.objectContaining({ kind: 'ended', reason }))
  })
})

describe('automatic pauses', () => {
  test('`first` pauses after so many finished calls, until a person resumes', async () => {
    const job = await simulate({ zones: utc(6), batch: { first: 2, concurrency: 4 } })
    expect(await job.run()).toBe('stopped')
    expect(job.placed).toHaveLength(2)
    expect((await job.state()).paused).toEqual({ by: 'first', reason: 'first: 2' })
    expect(await job.run()).toBe('stopped')
    expect(job.placed).toHaveLength(2)
    await requestChange(job.stateFolder, { request: 'resume' }, { clock: realClock })
    expect(await job.run()).toBe('done')
    expect(job.placed).toHaveLength(6)
  })

  test('`stopWhen` pauses when too many of the last calls failed, and looks at later calls after a resume', async () => {
    const scripts = [script('answered'), ...Array.from({ length: 9 }, () => script('failed'))]
    const job = await simulate({
      zones: utc(10),
      batch: { stopWhen: 'failed > 50% of last 4', concurrency: 1 },
      scripts,
    })
    expect(await job.run()).toBe('stopped')
    expect(job.placed).toHaveLength(4)
    await requestChange(job.stateFolder, { request: 'resume' }, { clock: realClock })
    expect(await job.run()).toBe('stopped')
    expect(job.placed).toHaveLength(8)
    expect(job.events).toContainEqual({ kind: 'stopped', by: 'stopWhen', reason: 'failed > 50% of last 4' })
  })

  test('`limit.minutes` ends the run when calls have taken so long', async () => {
    const scripts = Array.from({ length: 5 }, () => [{ outcome: 'answered', seconds: 120 } as const])
    const { run, placed } = await simulate({
      zones: utc(5),
      batch: { limit: { minutes: 5 }, concurrency: 1 },
      scripts,
    })
    expect(await run()).toBe('limit')
    expect(placed).toHaveLength(3)
  })
})

describe('a signal', () => {
  test('pauses, and the outcome of calls in progress is awaited', async () => {
    const paused = new AbortController()
    const { run, statuses, placed } = await simulate({ zones: utc(5), batch: { concurrency: 2 } })
    const onEvent = (event: { kind: string }) => {
      if (event.kind === 'called' && placed.length === 2) paused.abort()
    }
    expect(await run({ signal: paused.signal, onEvent, deps: { drainMs: 10 * minute } })).toBe('paused')
    expect(await statuses()).toEqual(['answered', 'answered', 'due', 'due', 'due'])
  })

  test('pauses without waiting longer than the drain, and the next run takes the outcomes', async () => {
    const paused = new AbortController()
    const { run, statuses, clock } = await simulate({ zones: utc(2), batch: { concurrency: 1 } })
    const onEvent = () => paused.abort()
    expect(await run({ signal: paused.signal, onEvent, deps: { drainMs: 1000 } })).toBe('paused')
    expect(await statuses()).toEqual(['placed', 'due'])
    await clock.sleep(5 * minute)
    expect(await run()).toBe('done')
    expect(await statuses()).toEqual(['answered', 'answered'])
  })
})

test.each([
  ['has no event', { outcome: 'busy', isSilent: true }, 'called'],
  ['has one of a later time than the clock', { outcome: 'answered', seconds: 100_000 }, 'phase'],
] as const)(
  'a call of an earlier run that %s ends after the timeout, also if the clock was set back since',
  async (_, script, last) => {
    const paused = new AbortController()
    const { run, clock, statuses } = await simulate({ zones: utc(1), scripts: [[script]] })
    const onEvent = ({ kind }: { readonly kind: string }) => kind === last && paused.abort()
    await run({ signal: paused.signal, onEvent, deps: { drainMs: 0 } })
    const begunAt = clock.now()
    const late = { ...clock, now: () => clock.now() - 24 * 60 * minute }
    expect(await run({ deps: { clock: late, outcomeTimeoutMs: 10 * minute } })).toBe('done')
    expect(await statuses()).toEqual(['unclear'])
    expect(clock.now() - begunAt).toBeLessThanOrEqual(11 * minute)
  },
)

test('the end of a call of another runner is recorded, also if the clock is set back meanwhile', async () => {
  const paused = new AbortController()
  const { run, clock, placed, statuses } = await simulate({
    zones: utc(1),
    scripts: [[{ outcome: 'answered', seconds: 60 }]],
  })
  const onEvent = ({ kind }: { readonly kind: string }) => kind === 'phase' && paused.abort()
  await run({ signal: paused.signal, isShared: true, onEvent, deps: { drainMs: 0 } })
  // The other runner, whose call it was, has a few seconds to record its end.
  const setBackMs = () =>
    placed[0]?.endedAt === undefined || clock.now() < placed[0].endedAt + 1000 ? 0 : 60 * minute
  const late = { ...clock, now: () => clock.now() - setBackMs() }
  expect(await run({ isShared: true, deps: { clock: late } })).toBe('done')
  expect(await statuses()).toEqual(['answered'])
  expect(clock.now() - (placed[0]?.endedAt ?? 0)).toBeLessThanOrEqual(minute)
})

test.each([
  ['during a run', false],
  ['between two runs', true],
])('retries wait as long if the clock is set back %s', async (_, isBetween) => {
  const paused = new AbortController()
  const { run, clock, placed } = await simulate({
    zones: utc(1),
    batch: { retry: { on: ['busy'], attempts: 2, after: '10m' } },
    scripts: [[{ outcome: 'busy' }, { outcome: 'answered', seconds: 10 }]],
  })
  const hasEnded = () => placed[0]?.endedAt !== undefined && clock.now() > placed[0].endedAt + 5000
  const onEvent = ({ kind }: { readonly kind: string }) => isBetween && kind === 'ended' && paused.abort()
  const late = { ...clock, now: () => clock.now() - (hasEnded() ? 60 * minute : 0) }
  if (isBetween) {
    await run({ signal: paused.signal, onEvent })
    await clock.sleep(6000)
  }
  expect(await run({ deps: { clock: late } })).toBe('done')
  const [first, second] = placed
  expect((second?.at ?? 0) - (first?.endedAt ?? 0)).toBeGreaterThanOrEqual(10 * minute)
  expect((second?.at ?? 0) - (first?.endedAt ?? 0)).toBeLessThanOrEqual(12 * minute)
})

test('a callback waits for its time of day, also if the clock is set back', async () => {
  const start = Date.parse('2026-11-23T08:00:00Z')
  const callbackAt = new Date(start + 30 * minute).toISOString()
  const { run, clock, placed } = await simulate({
    ...{ start, zones: utc(1), batch: { callback: 'structuredData.callbackAt' } },
    scripts: [[{ outcome: 'answered', seconds: 10, analysis: { structuredData: { callbackAt } } }]],
  })
  const hasEnded = () => placed[0]?.endedAt !== undefined && clock.now() > placed[0].endedAt + 5000
  const late = { ...clock, now: () => clock.now() - (hasEnded() ? 60 * minute : 0) }
  expect(await run({ deps: { clock: late } })).toBe('done')
  expect((placed[1]?.at ?? 0) - start).toBeGreaterThanOrEqual(90 * minute)
})

test('a call without events ends after the timeout, also if the clock is set back meanwhile', async () => {
  const { run, clock, statuses } = await simulate({
    zones: utc(2),
    batch: { concurrency: 1 },
    scripts: [[{ outcome: 'answered', isSilent: true }]],
  })
  const begunAt = clock.now()
  const setBackMs = () => (clock.now() < begunAt + 2 * minute ? 0 : 24 * 60 * minute)
  const late = { ...clock, now: () => clock.now() - setBackMs() }
  expect(await run({ deps: { clock: late, outcomeTimeoutMs: 10 * minute } })).toBe('done')
  expect(await statuses()).toEqual(['unclear', 'answered'])
  expect(clock.now() - begunAt).toBeLessThanOrEqual(15 * minute)
})

test('calls of an earlier run whose events were sent elsewhere are unclear, and not repeated', async () => {
  const paused = new AbortController()
  const job = await simulate({
    zones: utc(1),
    scripts: [[{ outcome: 'busy', isSilent: true }]],
    batch: { retry: { attempts: 2 } },
  })
  await job.run({
    signal: paused.signal,
    onEvent: () => paused.abort(),
    deps: { eventUrl: 'http://127.0.0.1:1/a', drainMs: 0 },
  })
  expect(await job.run({ deps: { eventUrl: 'http://127.0.0.1:2/a' } })).toBe('done')
  expect(await job.statuses()).toEqual(['unclear'])
  expect(job.placed).toHaveLength(1)
})

describe('requests of another terminal', () => {
  test('are written after one that a kill cut off', async () => {
    const job = await simulate({ zones: utc(3), batch: { first: 1, concurrency: 1 } })
    expect(await job.run()).toBe('stopped')
    writeFileSync(join(job.stateFolder, 'control.ndjson'), '{"requ')
    await requestChange(job.stateFolder, { request: 'resume' }, { clock: realClock })
    expect(await job.run()).toBe('done')
    expect(job.placed).toHaveLength(3)
  })

  test('pause, retry and remove reach a run', async () => {
    const job = await simulate({
      zones: utc(4),
      batch: { concurrency: 1 },
      scripts: [script('no-answer', 'answered')],
    })
    const ask = (request: Parameters<typeof requestChange>[1]) =>
      requestChange(job.stateFolder, request, { clock: realClock })
    await ask({ request: 'remove', people: ['+12025551003'] })
    await ask({ request: 'pause' })
    expect(await job.run()).toBe('stopped')
    expect(job.placed).toEqual([])
    await ask({ request: 'resume' })
    expect(await job.run()).toBe('done')
    expect(await job.statuses()).toEqual(['no-answer', 'answered', 'answered', 'removed'])
    await ask({ request: 'retry', outcome: 'no-answer' })
    expect(await job.statuses()).toEqual(['due', 'answered', 'answered', 'removed'])
    expect(await job.run()).toBe('done')
    expect(await job.statuses()).toEqual(['answered', 'answered', 'answered', 'removed'])
    await ask({ request: 'cancel' })
    expect(await job.run()).toBe('cancelled')
  })

  test('repeat a call that is in progress at most once, after its end', async () => {
    const job = await simulate({ zones: utc(1), batch: { concurrency: 1 }, scripts: [script('answered')] })
    const paused = new AbortController()
    await job.run({ signal: paused.signal, onEvent: () => paused.abort(), deps: { drainMs: 0 } })
    await requestChange(job.stateFolder, { request: 'retry', outcome: 'placed' }, { clock: realClock })
    expect(await job.run()).toBe('done')
    expect(job.placed).toHaveLength(1)
  })
})

describe('a person whose id changes in the list', () => {
  const batch = { retry: { attempts: 3, after: '1h' }, concurrency: 1 }

  test('has one budget of attempts', async () => {
    const job = await simulate({ zones: utc(1), batch, scripts: [script('busy')] })
    for (const id of ['', 'A', 'B']) {
      job.rename(id)
      const paused = new AbortController()
      const onEvent = ({ kind }: { readonly kind: string }) => {
        if (kind === 'ended') paused.abort()
      }
      await job.run({ signal: paused.signal, onEvent })
    }
    job.rename('C')
    expect(await job.run()).toBe('done')
    expect(job.placed).toHaveLength(3)
  })

  test('stays removed', async () => {
    const job = await simulate({ zones: utc(1), batch })
    const people = ['+12025551000', '+12025551000']
    await requestChange(job.stateFolder, { request: 'remove', people }, { clock: realClock })
    job.rename('A')
    expect(await job.run()).toBe('done')
    expect(job.placed).toEqual([])
  })
})

test('a number that is put on a do-not-call list while the batch runs is not called', async () => {
  const job = await simulate({ zones: utc(3), batch: { concurrency: 1 } })
  const onEvent = ({ kind }: { readonly kind: string }) =>
    kind === 'called' && writeFileSync(join(job.folder, 'do-not-call.csv'), '+12025551001\n')
  expect(await job.run({ onEvent })).toBe('done')
  expect(await job.statuses()).toEqual(['answered', 'skipped', 'answered'])
})
