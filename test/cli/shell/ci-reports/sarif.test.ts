import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ruleSentence } from '../../../../src/cli/shell/ci-reports/rule-sentences.ts'
import { toSarif } from '../../../../src/cli/shell/ci-reports/sarif.ts'
import type { Diagnostic } from '../../../../src/files/source/index.ts'
import { parseSarif } from '../../../helpers/report-schemas.ts'
import { hostileReports, reportOf } from './arbitrary-reports.ts'

const finding: Diagnostic = {
  code: 'unknown-key',
  severity: 'error',
  path: ['asink'],
  at: 'key',
  message: 'asink is not a known field',
  hint: 'did you mean async?',
  file: 'desk/tools/größe & co.yaml',
  position: { line: 2, column: 3 },
}

test('findings are results with the code as rule and a relative URI with line and column', () => {
  const warning: Diagnostic = { ...finding, code: 'unused', severity: 'warning', hint: undefined }
  const { position: _, ...noPlace } = warning
  const cases = [{ kind: 'tool', name: 'tool/t', findings: [finding, warning, noPlace] }]
  const log = parseSarif(
    toSarif(reportOf({ command: 'plan', target: 'eu west', cases, startedAt: 1000, durationMs: 500 })),
  )
  const [run] = log.runs
  expect(run).toMatchObject({
    tool: {
      driver: {
        name: 'callyard',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        informationUri: expect.stringMatching(/^https:/),
        rules: [
          {
            id: 'unknown-key',
            fullDescription: { text: 'A field is unknown.' },
            helpUri: expect.stringMatching(/^https:.*\/docs\/projects\.md$/),
          },
          { id: 'unused', fullDescription: { text: 'No file refers to a resource.' } },
        ],
      },
    },
    automationDetails: { id: 'callyard/plan/eu%20west/' },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: true,
        startTimeUtc: '1970-01-01T00:00:01.000Z',
        endTimeUtc: '1970-01-01T00:00:01.500Z',
      },
    ],
  })
  expect(run?.tool.driver.rules?.[0]?.shortDescription).toEqual({ text: 'Unknown key' })
  const place = (startLine: number, startColumn: number) => [
    {
      physicalLocation: {
        artifactLocation: { uri: 'desk/tools/gr%C3%B6%C3%9Fe%20%26%20co.yaml' },
        region: { startLine, startColumn },
      },
    },
  ]
  expect(run?.results).toEqual([
    {
      ruleId: 'unknown-key',
      ruleIndex: 0,
      level: 'error',
      message: { text: 'asink is not a known field\nhint: did you mean async?' },
      locations: place(2, 3),
    },
    {
      ruleId: 'unused',
      ruleIndex: 1,
      level: 'warning',
      message: { text: finding.message },
      locations: place(2, 3),
    },
    {
      ruleId: 'unused',
      ruleIndex: 1,
      level: 'warning',
      message: { text: finding.message },
      // Code scanning shows no result without a line.
      locations: place(1, 1),
    },
  ])
})

test('the error that ended the command is a notification, and the run is not successful', () => {
  const error = { kind: 'conflict', message: 'the project is locked', hint: 'wait' } as const
  expect(parseSarif(toSarif(reportOf({ error }))).runs[0]).toMatchObject({
    invocations: [
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          {
            level: 'error',
            descriptor: { id: 'conflict' },
            message: { text: 'the project is locked\nhint: wait' },
          },
        ],
      },
    ],
    results: [],
  })
})

test('text of a file makes no link and no control character', () => {
  const message = 'name is [click here](https://example.com) \u001b[31m'
  const cases = [{ kind: 'tool', name: 'tool/t', findings: [{ ...finding, message, hint: undefined }] }]
  expect(parseSarif(toSarif(reportOf({ cases }))).runs[0]?.results?.[0]?.message.text).toBe(
    'name is [click here] (https://example.com) \\x1b[31m',
  )
})

test('hostile texts produce a document that passes the schema', () => {
  fc.assert(
    fc.property(hostileReports, report => {
      const log = parseSarif(toSarif(report))
      const count = report.cases.reduce((sum, { findings }) => sum + findings.length, 0)
      expect(log.runs[0]?.results).toHaveLength(count)
    }),
  )
})

test('every code in the source has its own message', async () => {
  const files = (await readdir('src', { recursive: true })).filter(file =>
    /^(interface|files|project|scenario|cli.commands.scenario)\W.*\.ts$/.test(file),
  )
  const texts = await Promise.all(files.map(file => readFile(join('src', file), 'utf8')))
  const codes = texts.flatMap((text, index) => {
    const pattern = /^files\W(?:tables|text|source)\W/.test(files[index] ?? '')
      ? /\b(?:valueError\([^()]*?, |code: )'([a-z-]+)'/g
      : /\bvalueError\([^()]*?, '([a-z-]+)'/g
    return [...text.matchAll(pattern)].flatMap(([, code]) => code ?? [])
  })
  expect(codes).toEqual(expect.arrayContaining(['unknown-kind', 'quoted-lines']))
  expect([...new Set(codes)].filter(code => ruleSentence(code) === undefined)).toEqual([])
})
