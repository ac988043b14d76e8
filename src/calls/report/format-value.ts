import { duration } from '../../lib/text/date-time.ts'
import type { MetricUnit } from './metrics.ts'

/** Formats a figure: `1.2s`, `0:42` from a minute on, `40%`, `3.5`. */
export function formatValue(value: number, unit: MetricUnit): string {
  if (unit === 'share') return formatPercent(value)
  if (unit === 'number') return formatNumber(value)
  // Rounding may carry into the next unit.
  if (value < 999.5) return `${Math.round(value)}ms`
  return value < 59_950 ? `${(value / 1000).toFixed(1)}s` : duration(Math.max(60_000, value))
}

/** Formats a share with a decimal below 10 %: `40%`, `2.5%`. */
export function formatPercent(share: number): string {
  const percent = share * 100
  return `${percent > 0 && percent < 9.95 ? percent.toFixed(1).replace(/\.0$/, '') : Math.round(percent)}%`
}

/** Formats at most three significant digits, but all of a whole number. */
function formatNumber(value: number): string {
  return Number.isInteger(value)
    ? String(value)
    : String(Number(value.toPrecision(Math.abs(value) < 100 ? 3 : 4)))
}
