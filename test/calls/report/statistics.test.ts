import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bootstrapIntervals,
  differenceInterval,
  percentileOf,
  wilsonInterval,
} from '../../../src/calls/report/statistics.ts'
import { runs } from '../../helpers/every-case.ts'

test('Wilson intervals are those of the literature', () => {
  // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  const published: readonly (readonly [number, number, number, number])[] = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ]
  for (const [hits, of, low, high] of published) {
    const found = wilsonInterval(hits, of)
    expect(found.low).toBeCloseTo(low, 4)
    expect(found.high).toBeCloseTo(high, 4)
  }
})

test('an interval of a difference is that of the literature, and mirrors itself', () => {
  // Newcombe (1998), method 10: 56 of 70 against 48 of 80.
  const [one, other] = [estimate(56, 70), estimate(48, 80)]
  const difference = differenceInterval(other, one)
  expect(difference.low).toBeCloseTo(0.0524, 4)
  expect(difference.high).toBeCloseTo(0.3339, 4)
  expect(differenceInterval(one, other).low).toBeCloseTo(-difference.high, 12)
})

function estimate(hits: number, of: number) {
  return { value: hits / of, ...wilsonInterval(hits, of) }
}

test('a percentile is the smallest value with that share of the sample at or below it', () => {
  const value = fc.integer({ min: 0, max: 20 })
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 99 }),
      (sample, p) => {
        const sorted = sample.toSorted((one, other) => one - other)
        const atMost = (limit: number) => sample.filter(each => each <= limit).length
        expect(percentileOf(sorted, p)).toBe(sorted.find(each => atMost(each) * 100 >= p * sample.length))
      },
    ),
  )
})

const groups = fc.array(fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 20,
})

function sortedOf(values: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(values.flat()).sort()
}

test('bootstrap intervals consist of values of the sample, are ordered, and are the same every time', () => {
  fc.assert(
    fc.property(groups, values => {
      const sorted = sortedOf(values)
      const intervals = bootstrapIntervals(sorted, values, [50, 90])
      expect(bootstrapIntervals(sorted, values, [50, 90])).toEqual(intervals)
      for (const { low, high } of intervals) {
        expect(sorted).toContain(low)
        expect(sorted).toContain(high)
        expect(low).toBeLessThanOrEqual(high)
      }
      const [median, high] = intervals
      expect(median?.low).toBeLessThanOrEqual(high?.low ?? Number.NaN)
      expect(median?.high).toBeLessThanOrEqual(high?.high ?? Number.NaN)
    }),
    { numRuns: runs(30) },
  )
})

test('more calls make an interval narrower, more values of one call do not', () => {
  const spread = Array.from({ length: 400 }, (_, index) => [(index * 37) % 100])
  const widthOf = (values: readonly (readonly number[])[]) => {
    const [{ low, high } = { low: 0, high: 0 }] = bootstrapIntervals(sortedOf(values), values, [50])
    return high - low
  }
  expect(widthOf(spread)).toBeLessThan(widthOf(spread.slice(0, 25)) / 2)
  // The same 25 values, each said sixteen times in its call.
  const repeated = spread.slice(0, 25).map(([value = 0]) => Array.from({ length: 16 }, () => value))
  expect(widthOf(repeated)).toBe(widthOf(spread.slice(0, 25)))
})
