import type { Interval, MetricUnit } from '../../../calls/report/index.ts'
import { formatValue } from '../../../calls/report/index.ts'

/** Samples from which on an interval is too narrow to show. */
const largeSample = 200

/** Formats the interval of a small sample, `2.1s–3.4s`; empty for a large one, and where a single value says nothing about others. */
export function formatInterval({ low, high }: Interval, unit: MetricUnit, of: number): string {
  const isUnknown = of === 1 && low === high
  return of >= largeSample || isUnknown ? '' : `${formatValue(low, unit)}–${formatValue(high, unit)}`
}

/** Counts sorted values in `count` bins of equal width. The last one has all beyond the 99th percentile. */
export function histogram(sorted: ArrayLike<number>, count: number) {
  const { length } = sorted
  const low = sorted[0] ?? 0
  const high = sorted[Math.min(length - 1, Math.ceil(0.99 * length))] ?? low
  const width = (high - low) / count
  const bins = Array.from({ length: count }, () => 0)
  for (let index = 0; index < length; index++) {
    const value = sorted[index] ?? 0
    const bin = width === 0 ? 0 : Math.min(count - 1, Math.floor((value - low) / width))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return { low, high, bins }
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Draws a share as a bar of at most `columns` columns. A share above 0 is never empty. */
export function drawBar(share: number, columns: number): string {
  const parts = share > 0 ? Math.max(1, Math.round(share * columns * 8)) : 0
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '')
}

const levels = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Draws bins as a sparkline. Empty ones are blank. */
export function drawSparkline(bins: readonly number[]): string {
  const highest = Math.max(1, ...bins)
  return bins.map(bin => (bin === 0 ? ' ' : (levels[Math.ceil((bin / highest) * 8) - 1] ?? ''))).join('')
}
