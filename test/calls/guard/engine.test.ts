import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadBetween } from '../../../src/calls/guard/between.ts'
import { createCallWindow } from '../../../src/calls/guard/call-window.ts'
import type { GuardRule } from '../../../src/calls/guard/index.ts'
import { evaluateCondition } from '../../../src/calls/report/conditions/index.ts'
import { type CallFacts, groupCalls, readFacts } from '../../../src/calls/report/index.ts'
import type { CallKey } from '../../../src/events/conversation/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { factsOf } from '../report/made-facts.ts'
import { eventsOf, madeCalls } from '../report/reference.ts'
import { type ArrivingEvent, createTaker, facts, ruleOf, short, startEngine } from './guarded-events.ts'

const start = Date.UTC(2026, 2, 1, 10)
const second = 1000

const conditions = [
  'p95(reply) over 2m > 2s',
  'share(busy) over last 2 calls > 40%',
  'count(ended by system) over 3m > 1',
  'count(ended by user) over 1m >= 1 by assistant',
  'success over 2m < 80%',
  'mean(duration) over last 3 calls > 20s',
  'calls over 90s >= 2',
  'max(data.persons) over 2m > 2',
  'no events for 20s',
  'no events for 45s between 10:01 and 10:03',
  'no events for 30s between 10:04 and 10:02',
]

/** The events of calls that begin within a few minutes. */
const recording = fc
  .tuple(madeCalls, fc.array(fc.integer({ min: 0, max: 240_000 }), { minLength: 12, maxLength: 12 }))
  .map(([calls, starts]) =>
    calls
      .map((call, index) => ({ ...call, startAt: start + (starts[index] ?? 0) }))
      .flatMap(eventsOf)
      .sort((one, other) => one.at - other.at),
  )

interface SlowCall {
  readonly endedAt: number
  readonly facts: CallFacts
}

/** Ended calls with everything that had arrived by a time, in the order of their ends, by reading all of it again. */
async function endedBy(events: readonly ArrivingEvent[]): Promise<SlowCall[]> {
  const items = events.map(({ at, body }) => ({
    ...{ kind: 'recorded' as const, version: 1 as const, at: new Date(at).toISOString(), headers: {} },
    body: JSON.stringify(body),
  }))
  async function* read() {
    yield* items
  }
  const { calls } = await readFacts([{ read, isRereadable: true }], facts)
  const endOf = (id: string) =>
    events.findIndex(({ body }) => {
      const { call } = (body as { message: { call: { id: string; status: string } } }).message
      return call.id === id && call.status === 'finished'
    })
  return calls
    .map(call => ({ index: endOf(call.call), facts: call }))
    .filter(({ index }) => index !== -1)
    .sort((one, other) => one.index - other.index)
    .map(({ index, facts: known }) => ({ endedAt: events[index]?.at ?? 0, facts: known }))
}

/** Transitions of a rule, found by evaluating its condition over the whole recording at every second. */
async function slowTransitions(rule: GuardRule, events: readonly ArrivingEvent[], until: number) {
  const found: ReturnType<typeof short> = []
  const firing = new Set<string | null | undefined>()
  const known = new Map<number, readonly SlowCall[]>()
  const first = events[0]?.at ?? start
  const callsBy = async (count: number) => {
    const calls = known.get(count) ?? (await endedBy(events.slice(0, count)))
    known.set(count, calls)
    return calls
  }
  for (let at = Math.ceil(first / second) * second; at <= until; at += second) {
    const arrived = events.filter(event => event.at <= at)
    const verdicts = slowVerdicts(rule, at, arrived, await callsBy(arrived.length), first)
    const isHeard = arrived.some(event => event.at > at - second)
    const isSilence = rule.condition.kind === 'no-events'
    const holding = verdicts.filter(
      ({ group, holds }) => holds || (isSilence && firing.has(group) && !isHeard),
    )
    for (const { group, value } of holding)
      if (!firing.has(group)) {
        firing.add(group)
        found.push({ kind: 'fired', rule: rule.name, group, at, value })
      }
    for (const group of firing)
      if (!holding.some(each => each.group === group)) {
        firing.delete(group)
        const value = verdicts.find(verdict => verdict.group === group)?.value
        found.push({ kind: 'recovered', rule: rule.name, group, at, value })
      }
  }
  return found
}

function slowVerdicts(
  { condition, minCalls }: GuardRule,
  at: number,
  arrived: readonly ArrivingEvent[],
  ended: readonly SlowCall[],
  first: number,
) {
  if (condition.kind === 'no-events') {
    const quiet = at - Math.max(first, ...arrived.map(event => event.at))
    const { between, ms } = condition
    const isInside = (time: number) => {
      if (between === undefined) return true
      const minute = Math.floor(time / 60_000) % (24 * 60)
      return between.from < between.to
        ? minute >= between.from && minute < between.to
        : minute >= between.from || minute < between.to
    }
    const isWhole = Array.from({ length: ms / second }, (_, index) => at - ms + index * second).every(
      isInside,
    )
    return [{ group: undefined, value: quiet, holds: quiet >= ms && isWhole && isInside(at) }]
  }
  const { window, by } = condition
  const inside =
    window?.kind === 'time'
      ? ended.filter(({ endedAt }) => endedAt > at - window.ms)
      : ended.length < (window?.calls ?? 0)
        ? []
        : ended.slice(-(window?.calls ?? 0))
  const calls = inside.map(each => each.facts)
  const groups = by === undefined ? [[undefined, calls] as const] : groupCalls(calls, by)
  return groups.map(([group, ofGroup]) => {
    const [verdict] = evaluateCondition({ ...condition, by: undefined }, ofGroup)
    const holds = verdict?.holds === true && ofGroup.length >= minCalls
    return { group, value: verdict?.value, holds }
  })
}

test('a rule fires and recovers if and only if a slow evaluation of everything at every second does', async () => {
  let total = 0
  await fc.assert(
    fc.asyncProperty(
      recording,
      fc.constantFrom(...conditions),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 20 }),
      async (events, when, minCalls, wakes) => {
        const rule = ruleOf(when, { minCalls })
        const take = createTaker()
        const between = await loadBetween([rule], 'UTC')
        const first = events[0]?.at ?? start
        const until = Math.ceil((events.at(-1)?.at ?? start) / second) * second + 300 * second
        const { engine, transitions } = startEngine([rule], first, { between })
        // Timers fire at any time, and change nothing.
        const steps = [
          ...events.map(({ at, body }) => ({ at, body })),
          ...wakes.map(ms => ({ at: start + ms, body: undefined })),
        ].sort((one, other) => one.at - other.at)
        for (const { at, body } of steps)
          if (body === undefined) engine.advance(Math.min(at, until))
          else engine.onEvent(take(body), at)
        engine.advance(until + 1)
        total += transitions.length
        expect(short(transitions)).toEqual(await slowTransitions(rule, events, until))
      },
    ),
    { numRuns: runs(20) },
  )
  expect(total).toBeGreaterThan(10)
})

/** A call without a conversation that ends at once. */
function endedCall(id: string, status = 'busy'): unknown {
  return {
    message: { type: 'status-update', call: { id, status: 'finished', phoneCallStatus: status } },
  }
}

test('an analysis that arrives after many other calls have ended adds to the call, and does not count it again', () => {
  const rules = ['share(busy) over 1h < 100%', 'max(data.persons) over 1h > 2', 'calls over 1h > 1200']
  const { engine, transitions } = startEngine(
    rules.map(when => ruleOf(when)),
    start,
  )
  const take = createTaker()
  for (let index = 0; index < 1200; index++) engine.onEvent(take(endedCall(`CC-${index}`)), start)
  engine.onEvent(
    take({
      message: {
        ...{ type: 'status-update', call: { id: 'CC-0', status: 'finished' } },
        analysis: { structuredData: { persons: 4 } },
      },
    }),
    start + 5000,
  )
  engine.advance(start + 60_000)
  expect(short(transitions)).toMatchObject([{ kind: 'fired', rule: rules[1], at: start + 5000, value: 4 }])
  expect(transitions[0]?.calls.map(({ call }) => call)).toEqual(['CC-0'])
})

test('an event of a call that has left the window does not bring it back', () => {
  const { engine, transitions } = startEngine([ruleOf('count(busy) over 10s >= 1')], start)
  const take = createTaker()
  engine.onEvent(take(endedCall('CC-1')), start)
  engine.onEvent(take(endedCall('CC-1')), start + 60_000)
  engine.advance(start + 120_000)
  expect(short(transitions).map(({ kind }) => kind)).toEqual(['fired', 'recovered'])
})

test.each([
  ['share(busy) over last 5 calls > 60%', 5],
  ['share(busy) over 7d > 60%', 10_000],
])('a window of %s keeps %d of 12,000 calls', (when, kept) => {
  const forgotten: CallKey[] = []
  const window = createCallWindow([ruleOf(when)], key => forgotten.push(key))
  for (let index = 0; index < 12_000; index++) {
    const key = `CC-${index}`
    window.add({ key, endedAt: start + index, facts: factsOf(key), isPartial: false })
  }
  window.trim(start + 13_000)
  expect(window.last(12_000)).toHaveLength(kept)
  expect(forgotten).toHaveLength(12_000 - kept)
  expect(window.find('CC-11999')).toBeDefined()
  expect(window.find('CC-0')).toBeUndefined()
})

test('an alert lists the calls behind its figure', () => {
  const { engine, transitions } = startEngine([ruleOf('share(busy) over last 3 calls > 50%')], start)
  const take = createTaker()
  for (const [id, status] of [
    ['CC-1', 'busy'],
    ['CC-2', 'no-answer'],
    ['CC-3', 'busy'],
  ] as const)
    engine.onEvent(take(endedCall(id, status)), start)
  engine.advance(start + 1001)
  expect(transitions[0]?.calls.map(({ call }) => call)).toEqual(['CC-1', 'CC-3'])
})
