import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toStepSummary } from '../../../../src/cli/commands/scenario/report-run.ts'
import type { Diagnostic } from '../../../../src/files/source/index.ts'
import { codePoint } from '../../../helpers/code-point.ts'

const finding: Diagnostic = {
  code: 'not-said',
  severity: 'error',
  path: [],
  at: 'value',
  message: 'the assistant did not say "nine"',
  file: 'tests/hours.test.yaml',
  position: { line: 9, column: 15 },
}

test('a table of what is wrong, with its lines', () => {
  const summary = toStepSummary('1 of 2 tests failed', [{ name: 'hours', findings: [finding] }])
  expect(summary.split('\n')).toEqual([
    '### callyard test: 1 of 2 tests failed',
    '',
    '| Test | Line | What is wrong |',
    '| --- | --- | --- |',
    String.raw`| hours | tests/hours.test.yaml\:9\:15 | the assistant did not say "nine" \[not-said\] |`,
    '',
    '',
  ])
})

test('shows the first of many failures and truncates long texts: the runner accepts a megabyte', () => {
  const failed = Array.from({ length: 5000 }, (_, index) => ({
    name: `test ${index} ${'é'.repeat(10_000)}`,
    findings: [{ ...finding, message: '|'.repeat(10_000) }],
  }))
  const summary = toStepSummary('5000 of 5000 tests failed', failed)
  expect(Buffer.byteLength(summary)).toBeLessThan(512 * 1024)
  expect(summary).toContain('and 4900 failures more')
})

test('no text of a test or a model ends its cell, starts a line or is HTML', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), fc.string({ unit: 'grapheme' }), (name, message) => {
      const summary = toStepSummary('x', [{ name, findings: [{ ...finding, message }] }])
      const lines = summary.split('\n')
      expect(lines).toHaveLength(7)
      expect(lines[4]?.replaceAll(/\\./gs, '').split('|')).toHaveLength(5)
      expect(summary).not.toMatch(/(?<!\\)[<`]/)
    }),
  )
})
