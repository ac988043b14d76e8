import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWindow, readMoment } from '../../../src/calls/batch/window.ts'
import { readDays, readHours } from '../../../src/files/formats/batch.ts'
import { runs } from '../../helpers/every-case.ts'

const minute = 60_000
const at = (text: string) => Date.parse(text)

/** Creates a clock in a time zone, without Temporal. */
function createClock(timeZone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (time: number) => {
    const [date = '', hours = ''] = format.format(time).split(' ')
    const [hour = 0, minutes = 0] = hours.split(':').map(Number)
    return { date, minute: hour * 60 + minutes, day: new Date(`${date}T12:00Z`).getUTCDay() || 7 }
  }
}

describe('a window', () => {
  test.each([
    ['America/New_York', '2026-11-23T13:59:00Z', '2026-11-23T14:00:00Z', 'opens at nine'],
    ['America/New_York', '2026-11-24T00:59:00Z', '2026-11-24T00:59:00Z', 'is open until eight'],
    ['America/New_York', '2026-11-24T01:00:00Z', '2026-11-24T14:00:00Z', 'opens the next day'],
    ['America/New_York', '2026-11-28T15:00:00Z', '2026-11-30T14:00:00Z', 'stays closed on a weekend'],
    [
      'America/New_York',
      '2026-12-24T20:00:00Z',
      '2026-12-24T20:00:00Z',
      'is open the day before an exception',
    ],
    ['America/New_York', '2026-12-25T15:00:00Z', '2026-12-28T14:00:00Z', 'stays closed on an exception'],
    ['Asia/Kolkata', '2026-11-23T00:00:00Z', '2026-11-23T03:30:00Z', 'follows half hours'],
  ])('in %s from %s opens at %s: it %s', (zone, from, opens) => {
    const window = createWindow({ days: 'mon-fri', hours: '09:00-20:00', except: ['2026-12-25'] })
    expect(window.nextOpen(at(from), zone)).toBe(at(opens))
    expect(window.isOpen(at(opens), zone)).toBe(true)
  })

  test('a time that daylight-saving time skips does not exist on that day', () => {
    const window = createWindow({ hours: '02:15-02:45' })
    // In New York 2:00 becomes 3:00 on 2026-03-08.
    expect(window.nextOpen(at('2026-03-08T05:00:00Z'), 'America/New_York')).toBe(at('2026-03-09T06:15:00Z'))
    const longer = createWindow({ hours: '02:15-04:00' })
    expect(longer.nextOpen(at('2026-03-08T05:00:00Z'), 'America/New_York')).toBe(at('2026-03-08T07:00:00Z'))
  })

  test('a time that occurs twice is open twice', () => {
    const window = createWindow({ hours: '01:00-01:30' })
    // In New York 2:00 becomes 1:00 on 2026-11-01.
    const [from, until] = [at('2026-11-01T04:00:00Z'), at('2026-11-02T04:00:00Z')]
    expect(window.openTime(from, until, 'America/New_York')).toBe(60 * minute)
    expect(window.nextOpen(at('2026-11-01T05:30:00Z'), 'America/New_York')).toBe(at('2026-11-01T06:00:00Z'))
  })

  test('a day may begin with a transition', () => {
    // In Beirut 0:00 becomes 1:00 on 2026-03-29.
    const window = createWindow({ hours: '00:30-01:30' })
    expect(window.nextOpen(at('2026-03-28T22:00:00Z'), 'Asia/Beirut')).toBe(at('2026-03-28T22:00:00Z'))
    expect(window.openTime(at('2026-03-28T22:00:00Z'), at('2026-03-29T20:00:00Z'), 'Asia/Beirut')).toBe(
      30 * minute,
    )
  })

  test('that is never open says so', () => {
    const window = createWindow({ days: 'mon', except: [] })
    expect(window.nextOpen(at('2026-11-24T00:00:00Z'), 'UTC')).toBe(at('2026-11-30T00:00:00Z'))
    const everyMonday = Array.from({ length: 60 }, (_, week) =>
      new Date(at('2026-11-23T00:00:00Z') + week * 7 * 86_400_000).toISOString().slice(0, 10),
    )
    expect(
      createWindow({ days: 'mon', except: everyMonday }).nextOpen(at('2026-11-24T00:00:00Z'), 'UTC'),
    ).toBeUndefined()
  })

  test('agrees with a clock that is read every minute, around transitions too', () => {
    const time = fc.integer({ min: 0, max: 24 * 4 }).map(quarter => quarter * 15)
    const range = fc.tuple(time, time).filter(([from, to]) => from < to)
    const days = fc.subarray(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], { minLength: 1 })
    const start = fc.constantFrom(
      ...['2026-03-07T12:00:00Z', '2026-03-28T12:00:00Z', '2026-10-03T12:00:00Z', '2026-10-24T12:00:00Z'],
      ...['2026-11-01T00:00:00Z', '2026-04-04T06:00:00Z', '2026-06-15T00:00:00Z'],
    )
    const zones = [
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Asia/Beirut',
      'America/St_Johns',
      'UTC',
    ]
    fc.assert(
      fc.property(
        days,
        fc.array(range, { minLength: 1, maxLength: 3 }),
        start,
        fc.constantFrom(...zones),
        (names, ranges, begins, zone) => {
          const hours = ranges.map(([from, to]) => `${clockTime(from)}-${clockTime(to)}`).join(',')
          const window = createWindow({ days: names.join(','), hours })
          const clock = createClock(zone)
          const [from, until] = [at(begins) + 7 * minute, at(begins) + 36 * 60 * minute]
          const allowed = readDays(names.join(','))
          const isOpen = (time: number) => {
            const shown = clock(time)
            return (
              allowed.has(shown.day) &&
              ranges.some(([first, last]) => shown.minute >= first && shown.minute < last)
            )
          }
          let open = 0
          let first: number | undefined
          for (let time = from; time < until; time += minute) {
            if (!isOpen(time)) continue
            open += minute
            first ??= time
          }
          expect(window.openTime(from, until, zone)).toBe(open)
          if (first !== undefined) expect(window.nextOpen(from, zone)).toBe(first)
          else expect(window.nextOpen(from, zone) ?? until).toBeGreaterThanOrEqual(until)
        },
      ),
      { numRuns: runs(60) },
    )
  })
})

test.each([
  ['2026-12-01T18:00[America/New_York]', '2026-12-01T23:00:00Z'],
  ['2026-12-01T18:00:30Z', '2026-12-01T18:00:30Z'],
  ['2026-12-01T18:00+01:00', '2026-12-01T17:00:00Z'],
  // The hour that occurs twice, and one that does not exist.
  ['2026-11-01T01:30[America/New_York]', '2026-11-01T05:30:00Z'],
  ['2026-03-08T02:30[America/New_York]', '2026-03-08T06:30:00Z'],
])('%s is %s', (text, time) => {
  expect(readMoment(text)).toBe(at(time))
})

test.each(['2026-02-30T18:00Z', '2026-12-01T25:00Z', '2026-12-01T18:00[Nowhere/City]'])(
  '%s is not a time',
  text => {
    expect(() => readMoment(text)).toThrow(RangeError)
  },
)

test.each([
  ['mon-fri', [1, 2, 3, 4, 5]],
  ['sat-mon', [6, 7, 1]],
  ['mon,wed,sat-sun', [1, 3, 6, 7]],
  ['sun', [7]],
])('%s are the days %j', (text, days) => {
  expect([...readDays(text)]).toEqual(days)
})

test.each(['9-17', '20:00-09:00', '09:00-09:00', '09:00-24:01', '09:60-10:00', '09:00', ''])(
  '%j are not hours',
  text => {
    expect(readHours(text)).toBeUndefined()
  },
)

function clockTime(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}
