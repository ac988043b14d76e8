import fc from 'fast-check'
import type { Report } from '../../../../src/cli/shell/ci-reports/report.ts'
import type { Diagnostic } from '../../../../src/files/source/index.ts'
import { codePoint } from '../../../helpers/code-point.ts'

/** A report without cases, but for what is given. */
export function reportOf(report: Partial<Report>): Report {
  return { command: 'validate', cases: [], startedAt: 0, durationMs: 0, ...report }
}

const hostile = fc.oneof(
  fc.string({ unit: codePoint }),
  fc
    .array(
      fc.constantFrom(
        ...['<', '>', '&', '"', "'", ']]>', '<![CDATA[', '&lt;', '&#0;', '[a](b)', '{0}', '%', '/', '..'],
        ...['\u0000', '\u001b', '\u0085', '\u2028', '\ufffe', '\uffff', '\n', '\r', '\ud800', '\udc00', 'a'],
      ),
    )
    .map(parts => parts.join('')),
)

const findings: fc.Arbitrary<Diagnostic> = fc.record({
  code: fc.oneof(hostile, fc.constantFrom('skipped', 'undecided')),
  severity: fc.constantFrom('error', 'warning'),
  path: fc.constant([]),
  at: fc.constant('value'),
  message: hostile,
  hint: fc.option(hostile, { nil: undefined }),
  file: hostile,
  position: fc.option(
    fc.record({ line: fc.integer({ min: 1, max: 9999 }), column: fc.integer({ min: 1, max: 9999 }) }),
    { nil: undefined },
  ),
})

/** Reports of what other people wrote. */
export const hostileReports: fc.Arbitrary<Report> = fc.record({
  command: fc.constantFrom('validate', 'plan', 'apply', 'test'),
  target: fc.option(hostile, { nil: undefined }),
  cases: fc.array(
    fc.record({
      kind: hostile,
      name: hostile,
      durationMs: fc.option(fc.integer({ min: 0, max: 10_000_000 }), { nil: undefined }),
      findings: fc.array(findings, { maxLength: 3 }),
      file: fc.option(hostile, { nil: undefined }),
      location: fc.option(fc.record({ file: hostile, line: fc.integer({ min: 1, max: 9999 }) }), {
        nil: undefined,
      }),
      skipped: fc.option(hostile, { nil: undefined }),
      details: fc.option(hostile, { nil: undefined }),
    }),
    { maxLength: 5 },
  ),
  error: fc.option(
    fc.record({
      kind: fc.constantFrom('usage', 'conflict', 'bug'),
      message: hostile,
      hint: fc.option(hostile, { nil: undefined }),
    }),
    { nil: undefined },
  ),
  properties: fc.option(fc.dictionary(fc.constantFrom('tags', 'jobs'), hostile), { nil: undefined }),
  startedAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  durationMs: fc.integer({ min: 0, max: 10_000_000 }),
})
