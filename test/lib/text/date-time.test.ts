import { expect, onTestFinished, test, vi } from 'vitest'
import { localTimeZone, readDuration } from '../../../src/lib/text/date-time.ts'

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
