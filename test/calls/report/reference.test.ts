import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeFigures, partsOf, readFacts } from '../../../src/calls/report/index.ts'
import { metricNames } from '../../../src/calls/report/metrics.ts'
import type { RecordingItem } from '../../../src/events/recordings/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { eventsOf, type MadeCall, madeCalls, referenceSamples } from './reference.ts'

function toItem({ at, body }: { readonly at: number; readonly body: unknown }): RecordingItem {
  const headers = {}
  return { kind: 'recorded', version: 1, at: new Date(at).toISOString(), headers, body: JSON.stringify(body) }
}

function sourceOf(items: readonly RecordingItem[], isRereadable = true) {
  return {
    isRereadable,
    async *read() {
      yield* items
    },
  }
}

/** The events of all calls by arrival, some of them twice. */
const recordedCalls = fc.tuple(madeCalls, fc.array(fc.nat(), { maxLength: 10 })).map(([calls, repeats]) => {
  const events = calls.flatMap(eventsOf).sort((one, other) => one.at - other.at)
  for (const index of repeats) {
    const event = events[index % events.length]
    if (event !== undefined) events.push(event)
  }
  return { calls, items: events.map(toItem) }
})

const ascending = (samples: readonly (number | boolean | string)[]) =>
  samples.map(Number).sort((one, other) => one - other)

/** Smallest value that has at least this share of the sample at or below it. */
function slowPercentile(samples: readonly number[], percent: number): number {
  const sorted = ascending(samples)
  return (
    sorted.find(value => sorted.filter(each => each <= value).length * 100 >= percent * sorted.length) ??
    Number.NaN
  )
}

function expectReference(calls: readonly MadeCall[], figures: ReturnType<typeof computeFigures>): void {
  const reference = referenceSamples(calls)
  expect([...figures.metrics.keys()].sort()).toEqual([...reference.keys()].sort())
  for (const [name, figure] of figures.metrics) {
    const samples = reference.get(name) ?? []
    if (figure.kind === 'share') {
      const count = samples.filter(sample => sample === true).length
      expect({ name, ...figure }).toMatchObject({
        name,
        count,
        of: samples.length,
        share: count / samples.length,
      })
    } else if (figure.kind === 'words') {
      const counts = Object.fromEntries(figure.words.map(({ word, count }) => [word, count]))
      const expected: Record<string, number> = {}
      for (const word of samples) expected[String(word)] = (expected[String(word)] ?? 0) + 1
      expect({ name, counts, of: figure.of }).toEqual({ name, counts: expected, of: samples.length })
    } else {
      const numbers = samples.map(Number)
      expect({ name, values: [...figure.sorted] }).toEqual({ name, values: ascending(numbers) })
      const { min, max, p50, p90, p95 } = figure
      expect({ name, min, max, p50, p90, p95 }).toEqual({
        name,
        min: Math.min(...numbers),
        max: Math.max(...numbers),
        p50: slowPercentile(numbers, 50),
        p90: slowPercentile(numbers, 90),
        p95: slowPercentile(numbers, 95),
      })
      expect(figure.mean).toBeCloseTo(numbers.reduce((sum, value) => sum + value, 0) / numbers.length, 6)
    }
  }
}

test('every metric equals a slow reference, however many ended calls are kept whole', async () => {
  await fc.assert(
    fc.asyncProperty(recordedCalls, fc.integer({ min: 0, max: 3 }), async ({ calls, items }, maxEnded) => {
      const { calls: facts } = await readFacts([sourceOf(items)], { maxEnded })
      expect(facts.map(({ call }) => call).sort()).toEqual(calls.map(({ id }) => id))
      expectReference(calls, computeFigures(facts))
    }),
    { numRuns: runs(60) },
  )
})

test('a call that continues in the next recording is one call; a pipe is read once', async () => {
  await fc.assert(
    fc.asyncProperty(recordedCalls, fc.nat(), async ({ items }, at) => {
      const index = at % (items.length + 1)
      const whole = await readFacts([sourceOf(items)], {})
      const parts = [sourceOf(items.slice(0, index), false), sourceOf(items.slice(index), false)]
      const { calls } = await readFacts(parts, { maxEnded: 0 })
      expect(calls.map(({ source: _, ...facts }) => facts)).toEqual(
        whole.calls.map(({ source: _, ...facts }) => facts),
      )
    }),
    { numRuns: runs(20) },
  )
})

test('the parts that a metric needs give it the samples that all facts give it', async () => {
  const metrics = fc.constantFrom(...metricNames)
  await fc.assert(
    fc.asyncProperty(recordedCalls, metrics, async ({ items }, name) => {
      const [all, some] = await Promise.all(
        [undefined, partsOf([name])].map(parts => readFacts([sourceOf(items)], { parts })),
      )
      const figureOf = (read: typeof all) => computeFigures(read?.calls ?? []).metrics.get(name)
      expect(figureOf(some)).toEqual(figureOf(all))
    }),
    { numRuns: runs(40) },
  )
})
