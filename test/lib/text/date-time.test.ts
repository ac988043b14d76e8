import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { localTimeZone, readDuration, roughDuration } from '../../../src/lib/text/date-time.ts'

test.for([
  ['500ms', 500],
  ['30s', 30_000],
  ['2m', 120_000],
  ['1.5h', 5_400_000],
  ['2d', 172_800_000],
  ['1w', 604_800_000],
  ['0s', 0],
] as const)('%s is %i milliseconds', ([text, milliseconds]) => {
  expect(readDuration(text)).toBe(milliseconds)
})

test.for(['', '5', 'd', '-1d', '1 day', '1e3s', '2D', '1d2h', '9'.repeat(30).concat('w'), '2constructor'])(
  '%j is not a time',
  text => {
    expect(readDuration(text)).toBeUndefined()
  },
)

test.for([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['Foo+5', '-05:00'],
  ['GMT-3', '+03:00'],
  ['Mars/Olympus', 'UTC'],
  ['', 'UTC'],
] as const)('TZ=%s is the time zone %s', ([name, timeZone]) => {
  vi.stubEnv('TZ', name)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(localTimeZone()).toBe(timeZone)
})

test.for([
  [0.4, '0 s'],
  [59.7, '1 min'],
  [3599.7, '1 h'],
  [3900, '1 h 5 min'],
  [86_399.5, '1 d'],
] as const)('%d seconds are about %s', ([seconds, expected]) => {
  expect(roughDuration(seconds)).toBe(expected)
})

const nextUnit: Readonly<Record<string, number>> = { s: 60, min: 60, h: 24, d: Number.POSITIVE_INFINITY }
const unitSeconds: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 }

test('a rough duration carries into the next unit, and is less than the smaller of its units too short', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e7, noNaN: true }), seconds => {
      const parts = [...roughDuration(seconds).matchAll(/(\d+) (s|min|h|d)/g)].map(
        ([, number, unit = '']) => ({
          number: Number(number),
          unit,
        }),
      )
      expect(parts.every(({ number, unit }) => number < (nextUnit[unit] ?? 0))).toBe(true)
      const sum = parts.reduce((total, { number, unit }) => total + number * (unitSeconds[unit] ?? 0), 0)
      const [largest] = parts
      const second = { d: 3600, h: 60 }[largest?.unit ?? ''] ?? 1
      expect(Math.round(seconds) - sum).toBeGreaterThanOrEqual(0)
      expect(Math.round(seconds) - sum).toBeLessThan(second)
    }),
  )
})
