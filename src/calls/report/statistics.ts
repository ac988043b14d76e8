import { bisectLeft } from 'd3-array'
import { randomLcg } from 'd3-random'

/** Both ends are included. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** Two-sided 95 %. */
const z = 1.959963984540054

/** Wilson score interval of a share at 95 %. `of` is positive. */
export function wilsonInterval(hits: number, of: number): Interval {
  const share = hits / of
  const middle = share + z ** 2 / (2 * of)
  const margin = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))
  const scale = 1 + z ** 2 / of
  // Rounding must not take the ends beyond what is possible.
  return {
    low: hits === 0 ? 0 : Math.max(0, (middle - margin) / scale),
    high: hits === of ? 1 : Math.min(1, (middle + margin) / scale),
  }
}

/** Returns a percentile by the nearest rank: a value of the sample, which belongs to a call. The sample is sorted and not empty. */
export function percentileOf(sorted: ArrayLike<number>, percent: number): number {
  return sorted[rankOf(percent, sorted.length) - 1] ?? Number.NaN
}

/** Returns the median by the nearest rank; undefined for an empty sample. */
export function medianOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : percentileOf(Float64Array.from(values).sort(), 50)
}

function rankOf(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent / 100) * count))
}

/** Replicates of a bootstrap, and the steps beyond which there are fewer. */
const maxReplicates = 400
const minReplicates = 40
const maxSteps = 4_000_000

/**
 * Bootstrap intervals of percentiles at 95 %. Calls are drawn, each with all its values: values of one call are alike. The seed is fixed, so
 * that the same calls give the same interval.
 * @param sorted the sample in ascending order
 * @param groups the values by call, in the order of the calls; calls without values are left out
 */
export function bootstrapIntervals(
  sorted: Float64Array,
  groups: readonly (readonly number[])[],
  percents: readonly number[],
): Interval[] {
  const ranks = groups.map(values => values.map(value => bisectLeft(sorted, value)))
  const random = randomLcg(0.5)
  const replicates = Math.max(minReplicates, Math.min(maxReplicates, Math.floor(maxSteps / sorted.length)))
  const samplesByPercent = percents.map(() => new Float64Array(replicates))
  const weights = new Uint32Array(sorted.length)
  for (let replicate = 0; replicate < replicates; replicate++) {
    weights.fill(0)
    let count = 0
    for (let draw = 0; draw < groups.length; draw++) {
      const picked = ranks[Math.floor(random() * groups.length)] ?? []
      count += picked.length
      for (const rank of picked) weights[rank] = (weights[rank] ?? 0) + 1
    }
    let index = -1
    let cumulative = 0
    for (const [percentIndex, percent] of percents.entries()) {
      const rank = rankOf(percent, count)
      while (cumulative < rank) cumulative += weights[++index] ?? 0
      const samples = samplesByPercent[percentIndex]
      if (samples !== undefined) samples[replicate] = sorted[index] ?? Number.NaN
    }
  }
  return samplesByPercent.map(values => {
    values.sort()
    return { low: percentileOf(values, 2.5), high: percentileOf(values, 97.5) }
  })
}

interface Estimate extends Interval {
  readonly value: number
}

/**
 * Interval of the difference of two independent estimates, from their own intervals (method of variance estimates recovery). The
 * difference is beyond chance if 0 is outside.
 */
export function differenceInterval(before: Estimate, after: Estimate): Interval {
  const difference = after.value - before.value
  const below = Math.hypot(after.value - after.low, before.high - before.value)
  const above = Math.hypot(after.high - after.value, before.value - before.low)
  return { low: difference - below, high: difference + above }
}
