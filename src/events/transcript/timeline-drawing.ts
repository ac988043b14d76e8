import { count } from '../../lib/text/count.ts'
import { duration } from '../../lib/text/date-time.ts'
import { h, type VNode } from '../../lib/text/virtual-node.ts'
import { type Segment, type Timeline, timelineTotals } from './call-timeline.ts'

/** Merges segments below this fraction, which bounds the number of elements for calls of any length. */
const minShare = 1 / 400
/** Height and top of a lane, in pixels. */
const laneHeight = 10
const laneTop = { assistant: 2, user: 16, tool: 30, other: 30, silence: 2 } as const
const axisTop = 44

/**
 * Draws a timeline as SVG with lanes for the assistant, the user and tools, in front of silences. `linkTo` returns the attributes that link
 * a segment to its turn, `nameOf` its name. Styled by timeline.css without `style` attributes, which a content security policy may forbid.
 */
export function drawTimeline(
  timeline: Timeline,
  {
    nameOf,
    linkTo,
  }: { nameOf(index: number): string; linkTo(index: number): Readonly<Record<string, string>> },
): VNode {
  const { durationMs } = timeline
  const x = (milliseconds: number) => toPercent(milliseconds, durationMs)
  const rect = ({ lane, from, until }: Segment, height: number) => {
    const width = Math.max(until - from, durationMs * minShare)
    return h('rect', {
      x: x(Math.min(from, durationMs - width)),
      y: String(laneTop[lane]),
      width: x(width),
      height: String(height),
      rx: '2',
    })
  }
  const times = ({ from, until }: Segment) => `${duration(from)} to ${duration(until)}`
  const segmentNodes = mergeShortSegments(timeline).map(segment => {
    const { lane, index, interrupted, failed } = segment
    if (lane === 'silence' || index === undefined) {
      const words = `silence, ${times(segment)}`
      return h('a', { class: 'silence' }, h('title', {}, words), rect(segment, 2 * laneHeight + 4))
    }
    const words = [
      nameOf(index),
      times(segment),
      ...(interrupted === true ? ['interrupted'] : []),
      ...(failed === true ? ['failed'] : []),
    ].join(', ')
    const cut = {
      class: 'cut',
      x1: x(segment.until),
      x2: x(segment.until),
      y1: '0',
      y2: String(2 * laneHeight + 8),
    }
    return h(
      'a',
      { class: failed === true ? `${lane} failed` : lane, 'aria-label': words, ...linkTo(index) },
      h('title', {}, words),
      rect(segment, laneHeight),
      ...(interrupted === true ? [h('line', cut)] : []),
    )
  })
  const label = `Timeline: ${buildLegend(timeline)
    .map(({ words }) => words)
    .join(', ')}`
  const behind = segmentNodes.filter(({ attributes }) => attributes.class === 'silence')
  const before = segmentNodes.filter(({ attributes }) => attributes.class !== 'silence')
  return h(
    'svg',
    { class: 'timeline', width: '100%', height: '60', role: 'group', 'aria-label': label },
    ...behind,
    ...before,
    ...drawAxis(durationMs),
  )
}

function toPercent(milliseconds: number, durationMs: number): string {
  return `${durationMs === 0 ? 0 : Math.round((milliseconds / durationMs) * 1e5) / 1e3}%`
}

/** Merges neighbors of one lane that are too short to see. The result links to the first of them. */
function mergeShortSegments({ segments, durationMs }: Timeline): Segment[] {
  const shortest = durationMs * minShare
  const merged: Segment[] = []
  const lastOf = new Map<Segment['lane'], number>()
  for (const segment of segments) {
    const index = lastOf.get(segment.lane)
    const last = merged[index ?? -1]
    const isShort = last !== undefined && segment.until - last.from < shortest
    if (last !== undefined && index !== undefined && isShort) {
      const until = Math.max(last.until, segment.until)
      merged[index] = { ...segment, ...last, until }
    } else lastOf.set(segment.lane, merged.push(segment) - 1)
  }
  return merged
}

/** Intervals between axis labels, in seconds. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400]
const maxTicks = 6

function drawAxis(durationMs: number): VNode[] {
  const seconds = durationMs / 1000
  const step = steps.find(candidate => seconds / candidate <= maxTicks) ?? Math.ceil(seconds / maxTicks)
  const marks = Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step * 1000)
  return marks.flatMap(at => {
    const position = toPercent(at, durationMs)
    // Keeps the labels inside the drawing.
    const anchor = at === 0 ? 'start' : at > 0.95 * durationMs ? 'end' : 'middle'
    return [
      h('line', {
        class: 'tick',
        x1: position,
        x2: position,
        y1: String(axisTop - 2),
        y2: String(axisTop + 2),
      }),
      h(
        'text',
        { x: position, y: String(axisTop + 13), 'text-anchor': anchor, 'aria-hidden': 'true' },
        duration(at),
      ),
    ]
  })
}

/** Returns the legend: lanes with their totals. */
export function buildLegend(
  timeline: Timeline,
): { readonly lane: Segment['lane'] | 'cut'; readonly words: string }[] {
  const { assistantMs, userMs, silenceMs, toolCalls, interruptions } = timelineTotals(timeline)
  return [
    { lane: 'assistant', words: `assistant ${duration(assistantMs)}` },
    { lane: 'user', words: `user ${duration(userMs)}` },
    ...(silenceMs === 0 ? [] : [{ lane: 'silence' as const, words: `silence ${duration(silenceMs)}` }]),
    ...(toolCalls === 0 ? [] : [{ lane: 'tool' as const, words: count(toolCalls, 'tool call') }]),
    ...(interruptions === 0 ? [] : [{ lane: 'cut' as const, words: count(interruptions, 'interruption') }]),
  ]
}
