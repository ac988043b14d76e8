import { expect, onTestFinished, test } from 'vitest'
import type { CallOutcome } from '../../../src/interface/words.ts'
import { everyCase } from '../../helpers/every-case.ts'
import { runAgainstSandbox, type ScriptedPhone } from './sandbox-batch.ts'
import { attempts, blockedLater, callbacks, onList, retried, startsAt, weekOf, zones } from './week.ts'

const [minute, day] = [60_000, 86_400_000]
const days = ['Fri', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu']
const hours = [9, 10, 11, 13, 14, 15, 16]
const waits = [2 * 60 * minute, day]

const outcomes: Readonly<Record<ScriptedPhone['phone'], CallOutcome>> = {
  answered: 'answered',
  busy: 'busy',
  'no-answer': 'no-answer',
  unreachable: 'failed',
  voicemail: 'voicemail',
  'hang-up': 'answered',
  dropped: 'answered',
  silent: 'answered',
}

interface ExpectedCall extends ScriptedPhone {
  readonly kind: string
}

/** Slow and simple: one call after the other, as the documentation says. */
function expectedCalls(script: readonly ScriptedPhone[]): ExpectedCall[] {
  const calls: ExpectedCall[] = []
  const count = (isCallback: boolean) =>
    calls.filter(({ kind }) => (kind === 'callback') === isCallback).length
  for (let kind = 'first'; ; ) {
    const call = script[Math.min(calls.length, script.length - 1)] ?? { phone: 'answered' }
    calls.push({ ...call, kind })
    if (isOptOut(call)) return calls
    const isRetried = retried.some(outcome => outcome === outcomes[call.phone])
    if (call.callbackAt !== undefined && count(true) < callbacks) kind = 'callback'
    else if (!isRetried) return calls
    else if (kind === 'callback') {
      if (count(true) === callbacks) return calls
    } else if (count(false) < attempts) kind = 'retry'
    else return calls
  }
}

function isOptOut({ says, optOut }: ScriptedPhone): boolean {
  return optOut === true || /off your list|stop calling/i.test(says ?? '')
}

/** For each minute of ten days, when the window is open next. Asks the clock of the zone, and nothing else. */
function openMinutes(zone: string): readonly number[] {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' },
  })
  const next: number[] = []
  for (let index = (10 * day) / minute; index >= 0; index -= 1) {
    const at = startsAt + index * minute
    const parts = format.formatToParts(at)
    const partOf = (type: string) => parts.find(part => part.type === type)?.value ?? ''
    const isOpen = days.includes(partOf('weekday')) && hours.includes(Number(partOf('hour')))
    next[index] = isOpen ? at : (next[index + 1] ?? Number.POSITIVE_INFINITY)
  }
  return next
}

/** The moment at which clocks of this zone show a time. */
function momentOf(local: string, zone: string): number {
  if (local.endsWith('Z')) return Date.parse(local)
  const offsets: Readonly<Record<string, number>> = {
    'America/New_York': -5,
    'Europe/Berlin': 1,
    'Asia/Tokyo': 9,
    'America/Los_Angeles': -8,
  }
  return Date.parse(`${local}Z`) - (offsets[zone] ?? 0) * 60 * minute
}

/** `npm run attack -- cases` calls 2,000 people. */
const size = everyCase ? 2000 : 136

test('in a week with four time zones, everybody is called as often as the rules say, and only then', async () => {
  const week = weekOf(size)
  const { people, blocked } = week
  const ran = await runAgainstSandbox(week, onTestFinished)
  expect(ran.end).toBe('done')
  const [statuses, read] = ran.statuses
  expect(read).toEqual(statuses)
  const open = new Map(zones.map(zone => [zone as string, openMinutes(zone)]))
  const nextOpen = (at: number, zone: string) =>
    open.get(zone)?.[Math.floor((at - startsAt) / minute)] ?? Number.POSITIVE_INFINITY

  const optedOut: string[] = []
  for (const { number, zone, script, pattern } of people) {
    const placed = ran.placed.filter(call => call.number === number)
    const kinds = ran.attempts.get(number)?.map(({ kind }) => kind) ?? []
    if (pattern === onList) {
      expect(placed).toEqual([])
      continue
    }
    for (const { at } of placed) expect(nextOpen(at, zone), `${number} in ${zone}`).toBeLessThanOrEqual(at)
    const expected = expectedCalls(script)
    if (pattern === blockedLater) {
      expect(placed.length).toBeLessThanOrEqual(expected.length)
      for (const { at } of placed) expect(at).toBeLessThan(blocked.at)
    } else {
      expect(kinds, `${pattern} ${number}`).toEqual(expected.map(({ kind }) => kind))
      expect(placed).toHaveLength(expected.length)
    }
    const last = expected.at(-1)
    const isOut = expected.some(isOptOut)
    if (isOut) optedOut.push(number)
    if (placed.length === expected.length)
      expect(statuses?.get(number)).toBe(isOut ? 'opted-out' : outcomes[last?.phone ?? 'answered'])
    else expect(statuses?.get(number)).toBe('skipped')

    for (const [index, { at }] of placed.entries()) {
      const before = placed[index - 1]
      const call = expected[index - 1]
      if (before === undefined || call === undefined) continue
      const { endedAt = Number.POSITIVE_INFINITY } = before
      const isAsked = expected[index]?.kind === 'callback' && call.callbackAt !== undefined
      const count = expected
        .slice(0, index)
        .filter(({ kind }) => (kind === 'callback') === (call.kind === 'callback')).length
      const earliest = isAsked
        ? Math.max(endedAt, momentOf(call.callbackAt ?? '', zone))
        : endedAt + (waits[Math.min(count, waits.length) - 1] ?? 0)
      expect(at).toBeGreaterThanOrEqual(earliest)
      // Planned calls come first, but several people may be planned for the same minute.
      expect(at - nextOpen(earliest, zone)).toBeLessThan(3 * 60 * minute)
    }
  }
  expect(ran.listed.toSorted()).toEqual([...optedOut, ...blocked.numbers].toSorted())

  const calls = ran.placed.toSorted((one, other) => one.at - other.at)
  for (const [index, { at }] of calls.entries()) {
    const before = calls[index - 1]
    if (before !== undefined) expect(at - before.at).toBeGreaterThanOrEqual(2000)
    const live = calls.filter(other => other.at < at && (other.endedAt ?? Number.POSITIVE_INFINITY) > at)
    expect(live.length).toBeLessThan(20)
  }
})
