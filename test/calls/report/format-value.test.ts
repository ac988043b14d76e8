import { expect, test } from 'vitest'
import { formatValue } from '../../../src/calls/report/index.ts'

test.for([
  [999.4, 'ms', '999ms'],
  [999.6, 'ms', '1.0s'],
  [59_940, 'ms', '59.9s'],
  [59_960, 'ms', '1:00'],
  [0.025, 'share', '2.5%'],
  [0.0996, 'share', '10%'],
  [99.96, 'number', '100'],
] as const)('%d (%s) is printed as %s', ([value, unit, text]) => {
  expect(formatValue(value, unit)).toBe(text)
})
