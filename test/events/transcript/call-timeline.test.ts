import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timelineTotals } from '../../../src/events/transcript/call-timeline.ts'
import {
  buildLegend,
  callTimeline,
  drawTimeline,
  findAnswers,
  getLane,
  type TimedItem,
} from '../../../src/events/transcript/index.ts'
import { speechTime } from '../../../src/lib/text/speech-time.ts'
import type { VNode } from '../../../src/lib/text/virtual-node.ts'

const turn = (lane: TimedItem['lane'], until: number | undefined, more: Partial<TimedItem> = {}) => ({
  lane,
  text: 'x'.repeat(30),
  until,
  ...more,
})

test('estimates the duration of turns up to their timestamp; pauses become silences', () => {
  const timeline = callTimeline({
    startAt: 10_000,
    endAt: 30_000,
    items: [
      turn('assistant', 12_000),
      turn('user', 15_000, { interrupted: true }),
      turn('tool', 16_500, { from: 15_500, failed: true }),
      turn('assistant', 16_000),
      turn('user', undefined),
    ],
  })
  expect(timeline).toEqual({
    durationMs: 20_000,
    segments: [
      { lane: 'assistant', from: 0, until: 2000, index: 0 },
      { lane: 'silence', from: 2000, until: 3000 },
      { lane: 'user', from: 3000, until: 5000, index: 1, interrupted: true },
      // It is not longer than there was time for.
      { lane: 'assistant', from: 5000, until: 6000, index: 3 },
      { lane: 'tool', from: 5500, until: 6500, index: 2, failed: true },
      { lane: 'silence', from: 6000, until: 20_000 },
    ],
  })
  expect(buildLegend(timeline ?? expect.fail()).map(({ words }) => words)).toEqual([
    'assistant 0:03',
    'user 0:02',
    'silence 0:15',
    '1 tool call',
    '1 interruption',
  ])
})

test('keeps known starts, even where both sides overlap', () => {
  const { segments = [] } =
    callTimeline({
      items: [turn('assistant', 5000, { from: 1000, interrupted: true }), turn('user', 6000, { from: 4000 })],
    }) ?? {}
  expect(segments.map(({ from, until }) => [from, until])).toEqual([
    [0, 4000],
    [3000, 5000],
  ])
})

test('ignores a start from another clock, and draws nothing without times', () => {
  expect(callTimeline({ startAt: 1e12, items: [turn('user', 5000)] })).toEqual({
    durationMs: 2000,
    segments: [{ lane: 'user', from: 0, until: 2000, index: 0 }],
  })
  expect(callTimeline({ startAt: 0, endAt: 5000, items: [turn('user', undefined)] })).toBeUndefined()
})

test('maps roles to lanes', () => {
  expect(['assistant', 'User', 'tool', 'tool-call', 'function_result', 'agent', ''].map(getLane)).toEqual([
    'assistant',
    'user',
    'tool',
    'tool',
    'tool',
    'assistant',
    'other',
  ])
})

const time = fc.integer({ min: 0, max: 600_000 })
const item = fc.record({
  lane: fc.constantFrom<TimedItem['lane']>('assistant', 'user', 'tool', 'other'),
  text: fc.string({ maxLength: 200 }),
  from: fc.option(time, { nil: undefined }),
  until: fc.option(time, { nil: undefined }),
  interrupted: fc.boolean(),
  failed: fc.boolean(),
})
const call = fc.record({
  startAt: fc.option(time, { nil: undefined }),
  endAt: fc.option(time, { nil: undefined }),
  items: fc.array(item, { maxLength: 40 }),
})

test('any call: each timed item once within bounds, and silence between them', () => {
  fc.assert(
    fc.property(call, given => {
      const timeline = callTimeline(given)
      const timed = given.items.flatMap(({ until }, index) => (until === undefined ? [] : [index]))
      expect(timeline === undefined).toBe(timed.length === 0)
      if (timeline === undefined) return
      const { durationMs, segments } = timeline
      const indexes = segments.flatMap(({ index }) => index ?? [])
      expect(indexes.sort((one, other) => one - other)).toEqual(timed)
      for (const [place, { from, until }] of segments.entries()) {
        expect(from).toBeGreaterThanOrEqual(segments[place - 1]?.from ?? 0)
        expect(until).toBeGreaterThanOrEqual(from)
        expect(until).toBeLessThanOrEqual(durationMs)
      }
      const silences = segments.filter(({ lane }) => lane === 'silence')
      const spoken = segments.filter(({ lane }) => lane === 'assistant' || lane === 'user')
      for (const silence of silences) {
        expect(silence.until - silence.from).toBeGreaterThanOrEqual(1000)
        for (const { from, until } of spoken)
          expect(until <= silence.from || from >= silence.until || from === until).toBe(true)
      }
      const { assistantMs, userMs, silenceMs } = timelineTotals(timeline)
      expect(silenceMs).toBeLessThanOrEqual(durationMs)
      const talks = assistantMs + userMs
      const isEstimated = given.items.every(({ from }) => from === undefined)
      // Without known begins nobody talks over anybody.
      if (isEstimated) expect(talks + silenceMs).toBeLessThanOrEqual(durationMs)
    }),
  )
})

test('a turn with an estimated start never exceeds its speech time', () => {
  fc.assert(
    fc.property(call, ({ items, ...times }) => {
      const timeline = callTimeline({ ...times, items: items.map(each => ({ ...each, from: undefined })) })
      for (const { index, from, until } of timeline?.segments ?? [])
        if (index !== undefined)
          expect(until - from).toBeLessThanOrEqual(speechTime(items[index]?.text ?? ''))
    }),
  )
})

const draw = (given: Parameters<typeof callTimeline>[0]) =>
  drawTimeline(callTimeline(given) ?? expect.fail(), {
    nameOf: index => `item ${index}`,
    linkTo: index => ({ href: `#turn-${index}` }),
  })

function everyElement(drawn: VNode): VNode[] {
  return [drawn, ...drawn.children.flatMap(child => (typeof child === 'string' ? [] : everyElement(child)))]
}

test('a drawing labels and links each segment, without inline styles', () => {
  const drawn = draw({
    startAt: 0,
    endAt: 65_000,
    items: [turn('assistant', 10_000, { interrupted: true }), turn('user', 30_000)],
  })
  expect(drawn.attributes['aria-label']).toBe(
    'Timeline: assistant 0:02, user 0:02, silence 1:01, 1 interruption',
  )
  const links = everyElement(drawn).filter(({ attributes }) => attributes.href !== undefined)
  expect(links.map(({ attributes }) => [attributes.href, attributes['aria-label']])).toEqual([
    ['#turn-0', 'item 0, 0:08 to 0:10, interrupted'],
    ['#turn-1', 'item 1, 0:28 to 0:30'],
  ])
  expect(everyElement(drawn).every(({ attributes }) => !('style' in attributes))).toBe(true)
  const times = everyElement(drawn).filter(({ tag }) => tag === 'text')
  expect(times.map(({ children }) => children[0])).toEqual(['0:00', '0:15', '0:30', '0:45', '1:00'])
})

test('the drawing is bounded for calls of any length', () => {
  fc.assert(
    fc.property(call, given => {
      if (callTimeline(given) === undefined) return
      for (const { tag, attributes } of everyElement(draw(given))) {
        if (tag !== 'rect') continue
        const [x = 0, width = 0] = [attributes.x, attributes.width].map(text => Number.parseFloat(text ?? ''))
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x + width).toBeLessThanOrEqual(100.01)
      }
    }),
  )
  const items = Array.from({ length: 20_000 }, (_, index) =>
    turn(index % 2 === 0 ? 'assistant' : 'user', 2000 * (index + 1)),
  )
  expect(everyElement(draw({ items })).length).toBeLessThan(5000)
})

describe('findAnswers', () => {
  const said = (lane: 'user' | 'assistant' | 'tool', from: number, until: number) => ({
    ...{ lane, text: '', from: from * 1000, until: until * 1000 },
  })
  const answersIn = (...items: ReturnType<typeof said>[]) =>
    findAnswers(callTimeline({ items }) ?? { durationMs: 0, segments: [] }).map(({ ms, index }) => [
      ms / 1000,
      index,
    ])

  test.each<[string, ReturnType<typeof said>[], [number, number][]]>([
    ['without a tool, the reply', [said('user', 0, 1), said('assistant', 2, 3)], [[1, 0]]],
    [
      'what follows the response of a tool, not what is said while it runs',
      [said('user', 0, 1), said('assistant', 1.4, 3), said('assistant', 6.5, 8), said('tool', 1.4, 6.4)],
      [[5.5, 0]],
    ],
    [
      'not the words before a tool that begins while they are spoken',
      [said('user', 0, 1), said('assistant', 1.4, 3), said('assistant', 6.5, 8), said('tool', 2, 6.4)],
      [[5.5, 0]],
    ],
    [
      'what a caller waits for who speaks while a tool runs',
      [
        said('user', 0, 1),
        said('assistant', 1.4, 3),
        said('user', 3, 4),
        said('assistant', 7, 8),
        said('tool', 1.4, 6),
      ],
      [[6, 0]],
    ],
    [
      'the words before a tool that nothing follows, if the caller went on',
      [
        said('user', 0, 1),
        said('assistant', 2, 4),
        said('user', 5, 6),
        said('assistant', 7, 8),
        said('tool', 3, 3.5),
      ],
      [
        [1, 0],
        [1, 2],
      ],
    ],
    [
      'nothing if a tool never responded',
      [said('user', 0, 1), said('assistant', 2, 4), said('tool', 2, Number.POSITIVE_INFINITY)],
      [],
    ],
    [
      'what follows the first of two tools',
      [
        ...[said('user', 0, 1), said('assistant', 3, 4), said('assistant', 9, 10)],
        ...[said('tool', 1, 2), said('tool', 4, 8)],
      ],
      [[2, 0]],
    ],
  ])('is %s', (_name, items, answers) => {
    expect(answersIn(...items)).toEqual(answers)
  })
})
