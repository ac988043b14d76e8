import { scaleLinear } from 'd3-scale'
import { area, curveStepAfter } from 'd3-shape'
import { type Markup, markup, nothing } from '../../lib/text/markup.ts'
import type { ValuesFigure } from '../../report/index.ts'
import { formatPercent, formatValue, histogram } from './values.ts'
import type { ShareRow } from './view.ts'

// SVG without styles of its own: report.css.ts has their classes, and a policy forbids style attributes.

/** Draws a share as a bar with its interval, as wide as its container. */
export function shareBar({ share, low, high, interval }: ShareRow): Markup {
  const x = scaleLinear().range([0, 100])
  const percent = (value: number) => `${x(value).toFixed(2)}%`
  const whisker =
    interval === ''
      ? nothing
      : markup`<line class="whisker" x1="${percent(low)}" x2="${percent(high)}" y1="7" y2="7"/><line class="whisker" x1="${percent(low)}" x2="${percent(low)}" y1="4" y2="10"/><line class="whisker" x1="${percent(high)}" x2="${percent(high)}" y1="4" y2="10"/>`
  return markup`<svg class="bar" width="100%" height="14" aria-hidden="true"><rect class="track" width="100%" height="14" rx="2"/><rect class="value" width="${percent(share)}" height="14" rx="2"/>${whisker}</svg>`
}

const width = 320
const height = 96
const plot = { left: 8, right: width - 8, top: 16, bottom: height - 18 }
const bins = 32

/** Draws the distribution of a figure, with its median and 95th percentile. */
export function spreadChart(label: string, figure: ValuesFigure): Markup {
  const { unit, sorted, p50, p95, count } = figure
  const { low, high, bins: counts } = histogram(sorted, bins)
  const domain = low === high ? [low - 1, low + 1] : [low, high]
  const x = scaleLinear(domain, [plot.left, plot.right])
  const y = scaleLinear([0, Math.max(...counts)], [plot.bottom, plot.top])
  const step = (high - low) / bins
  const points = [...counts, 0].map((number, bin): [number, number] => [low + bin * step, number])
  const shape = area<[number, number]>()
    .x(([value]) => x(value))
    .y0(plot.bottom)
    .y1(([, number]) => y(number))
    .curve(curveStepAfter)
  const path = low === high ? singleBar(x(low)) : (shape(points) ?? '')
  const ticks = low === high ? [low] : x.ticks(4)
  const words = `${label}, ${count} values: median ${formatValue(p50, unit)}, 95th percentile ${formatValue(p95, unit)}`
  return markup`<svg class="spread" viewBox="0 0 ${String(width)} ${String(height)}" role="img" aria-label="${words}">
<path class="value" d="${path}"/>
<line class="axis" x1="${round(plot.left)}" x2="${round(plot.right)}" y1="${round(plot.bottom)}" y2="${round(plot.bottom)}"/>
${ticks.map(tick => markup`<text class="tick" x="${round(x(tick))}" y="${round(plot.bottom + 13)}" text-anchor="${anchorOf(x(tick))}">${formatValue(tick, unit)}</text>`)}
${marker(x(p50), 'p50')}${Math.abs(x(p95) - x(p50)) < 24 ? nothing : marker(Math.min(x(p95), plot.right), 'p95')}
</svg>`
}

function singleBar(x: number): string {
  return `M${round(x - 4)},${round(plot.bottom)}V${round(plot.top)}h8V${round(plot.bottom)}Z`
}

function marker(x: number, name: string): Markup {
  return markup`<line class="marker" x1="${round(x)}" x2="${round(x)}" y1="${round(plot.top - 2)}" y2="${round(plot.bottom)}"/><text class="marker-name" x="${round(x)}" y="${round(plot.top - 5)}" text-anchor="${anchorOf(x)}">${name}</text>`
}

/** Keeps a label inside the drawing. */
function anchorOf(x: number): 'start' | 'middle' | 'end' {
  if (x < plot.left + 20) return 'start'
  return x > plot.right - 20 ? 'end' : 'middle'
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100)
}

/** Text beside a bar: `46 · 77%`. */
export function shareWords({ count, share }: ShareRow): string {
  return `${count} · ${formatPercent(share)}`
}
