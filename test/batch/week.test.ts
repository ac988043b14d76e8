import { expect, test } from 'vitest'
import type { CallOutcome } from '../../src/interface/words.ts'
import { everyCase } from '../helpers/every-case.ts'
import { runAgainstSandbox, type ScriptedPerson, type ScriptedPhone } from './sandbox-batch.ts'

const [minute, day] = [60_000, 86_400_000]
const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'America/Los_Angeles'] as const

/** A Friday. On the Sunday after it, clocks change in two of the time zones. */
const startsAt = Date.parse('2026-10-30T06:00:00Z')
const days = ['Fri', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu']
const hours = [9, 10, 11, 13, 14, 15, 16]
const window = { days: 'mon-fri,sun', hours: '09:00-12:00,13:00-17:00' }

const [attempts, callbacks] = [3, 2]
const waits = [2 * 60 * minute, day]
const retried: readonly CallOutcome[] = ['no-answer', 'busy', 'voicemail']

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

const noon = '2026-11-02T14:30'
const evening = '2026-11-03T20:00'
/** People with these scripts are called, or not, because of a list. */
const [onList, blockedLater] = [15, 16]
const scripts: readonly (readonly ScriptedPhone[])[] = [
  [{ phone: 'answered', says: 'Fine, thanks' }],
  [{ phone: 'busy' }, { phone: 'answered' }],
  [{ phone: 'no-answer' }],
  [{ phone: 'unreachable' }],
  [{ phone: 'voicemail' }, { phone: 'hang-up' }],
  [{ phone: 'hang-up' }],
  [{ phone: 'dropped' }],
  [{ phone: 'silent' }],
  [{ phone: 'answered', callbackAt: noon }, { phone: 'answered' }],
  [{ phone: 'answered', callbackAt: evening }, { phone: 'no-answer' }, { phone: 'answered' }],
  [{ phone: 'answered', callbackAt: noon }],
  [{ phone: 'no-answer' }, { phone: 'answered', says: 'Please take me off your list' }],
  [{ phone: 'busy' }, { phone: 'no-answer' }, { phone: 'answered', optOut: true }],
  [
    { phone: 'answered', callbackAt: '2026-11-04T15:00:00Z' },
    { phone: 'answered', optOut: true },
  ],
  [{ phone: 'answered', says: 'Stop calling me!', callbackAt: noon }],
  [{ phone: 'answered' }],
  [{ phone: 'busy' }],
]

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
    const isRetried = retried.includes(outcomes[call.phone])
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

/** Index of the script of each of a number of people: the simple ones are the most frequent. */
const patterns = [...scripts.keys(), ...Array.from({ length: 17 }, (_, index) => index % 9)]

/** `npm run attack -- cases` calls 2,000 people. */
const size = everyCase ? 2000 : 136

test('in a week with four time zones, everybody is called as often as the rules say, and only then', async () => {
  const people = Array.from({ length: size }, (_, index): ScriptedPerson & { readonly pattern: number } => ({
    number: `+1202555${1000 + index}`,
    zone: zones[Math.floor(index / patterns.length) % zones.length] ?? 'UTC',
    pattern: patterns[index % patterns.length] ?? 0,
    script: scripts[patterns[index % patterns.length] ?? 0] ?? [],
  }))
  const numbersOf = (pattern: number) =>
    people.filter(person => person.pattern === pattern).map(({ number }) => number)
  const blocked = { at: startsAt + 3 * day, numbers: numbersOf(blockedLater) }
  const ran = await runAgainstSandbox({
    ...{ startsAt, people, blocked, doNotCall: numbersOf(onList) },
    batch: {
      ...{ window, rate: '30/min', concurrency: 20 },
      retry: { on: ['no-answer', 'busy', 'voicemail'], attempts, after: ['2h', '1d'] },
      callback: { field: 'structuredData.callbackAt', attempts: callbacks },
    },
  })
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
