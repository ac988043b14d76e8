import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../../src/lib/net/retry-after.ts'
import { formatWait } from '../../../src/lib/text/date-time.ts'

const now = Date.UTC(2026, 0, 1)

test.each([
  ['0', 0],
  ['5', 5000],
  [' 120 ', 120_000],
  ['0.25', 250],
  ['1.0001', 1001],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['thu, 01 jan 2026 00:00:30 gmt', 30_000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
])('%j asks to wait %d ms', (header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})

test.each([
  [undefined],
  [''],
  ['5s'],
  ['in 5'],
  ['5.x'],
  ['-5'],
  ['2026-01-02'],
  ['Jan 2 2026 Fri'],
  ['Fri, soon'],
  ['x Fri, 02 Jan 2026 00:00:30 GMT'],
  ['monday'],
])('%j asks for nothing that can be read', header => {
  expect(parseRetryAfter(header, now)).toBeUndefined()
})

test.each([
  [0, '0 s'],
  [1, '1 ms'],
  [100, '0.1 s'],
  [540, '0.5 s'],
  [2000, '2 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [170_000, '3 min'],
  [7_200_000, '2 h'],
  [100_000_000, '28 h'],
])('%d ms are %s', (milliseconds, expected) => {
  expect(formatWait(milliseconds)).toBe(expected)
})
