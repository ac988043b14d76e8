import { scaleLinear } from 'd3-scale'
import { area, curveStepAfter } from 'd3-shape'
import type { ValuesFigure } from '../../../calls/report/index.ts'
import { formatPercent, formatValue } from '../../../calls/report/index.ts'
import { h, type VNode } from '../../../lib/text/virtual-node.ts'
import { histogram } from './values.ts'
import type { ShareRow } from './view.ts'

// SVG without styles of its own: sections.css has their classes, and a policy forbids style attributes.

/** Draws a share as a bar with its interval, as wide as its container. */
export function shareBar({ share, low, high, interval }: ShareRow): VNode {
  const x = scaleLinear().range([0, 100])
  const percent = (value: number) => `${x(value).toFixed(2)}%`
  const whisker = (from: number, until: number, y1: number, y2: number) =>
    h('line', {
      ...{ class: 'whisker', x1: percent(from), x2: percent(until) },
      ...{ y1: String(y1), y2: String(y2) },
    })
  const whiskers = [whisker(low, high, 7, 7), whisker(low, low, 4, 10), whisker(high, high, 4, 10)]
  const bar = (name: string, value: string) => h('rect', { class: name, width: value, height: '14', rx: '2' })
  return h(
    'svg',
    { class: 'share', width: '100%', height: '14', 'aria-hidden': 'true' },
    bar('track', '100%'),
    bar('value', percent(share)),
    ...(interval === '' ? [] : whiskers),
  )
}

const width = 320
const height = 96
const plot = { left: 8, right: width - 8, top: 16, bottom: height - 18 }
const bins = 32

/** Draws the distribution of a figure, with its median and 95th percentile. */
export function spreadChart(title: string, figure: ValuesFigure): VNode {
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
  const words = `${title}, ${count} values: median ${formatValue(p50, unit)}, 95th percentile ${formatValue(p95, unit)}`
  return h(
    'svg',
    {
      ...{ class: 'spread', viewBox: `0 0 ${width} ${height}` },
      ...{ role: 'img', 'aria-label': words },
    },
    h('path', { class: 'value', d: path }),
    line('axis', [plot.left, plot.right], [plot.bottom, plot.bottom]),
    ...ticks.map(tick => label('tick', x(tick), plot.bottom + 13, formatValue(tick, unit))),
    ...marker(x(p50), 'p50'),
    ...(Math.abs(x(p95) - x(p50)) < 24 ? [] : marker(Math.min(x(p95), plot.right), 'p95')),
  )
}

function singleBar(x: number): string {
  return `M${round(x - 4)},${round(plot.bottom)}V${round(plot.top)}h8V${round(plot.bottom)}Z`
}

function marker(x: number, name: string): VNode[] {
  return [line('marker', [x, x], [plot.top - 2, plot.bottom]), label('marker-name', x, plot.top - 5, name)]
}

function line(name: string, [x1, x2]: [number, number], [y1, y2]: [number, number]): VNode {
  return h('line', { class: name, x1: round(x1), x2: round(x2), y1: round(y1), y2: round(y2) })
}

function label(name: string, x: number, y: number, words: string): VNode {
  return h('text', { class: name, x: round(x), y: round(y), 'text-anchor': anchorOf(x) }, words)
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
