import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJunit } from '../../../../src/cli/shell/ci-reports/junit.ts'
import type { Report, ReportCase } from '../../../../src/cli/shell/ci-reports/report.ts'
import type { Diagnostic } from '../../../../src/files/source/index.ts'
import { runs } from '../../../helpers/every-case.ts'
import { type Element, parseXml } from '../../../helpers/parse-xml.ts'
import { expectJunit } from '../../../helpers/report-schemas.ts'
import { hostileReports, reportOf } from './arbitrary-reports.ts'

const finding: Diagnostic = {
  code: 'missing',
  severity: 'error',
  path: ['type'],
  at: 'value',
  message: 'type is missing',
  hint: 'add type: function',
  file: 'tools/t.yaml',
  position: { line: 1, column: 2 },
}
const warning: Diagnostic = {
  ...finding,
  code: 'unused',
  severity: 'warning',
  message: 'old',
  hint: undefined,
}
const refused: Diagnostic = {
  ...finding,
  code: 'failed',
  message: 'the service rejected it (422)\nname <b>"x" & y</b>]]> is taken',
  hint: 'choose another name',
}
const book: ReportCase = { kind: 'tool', name: 'tool/book', durationMs: 1234, findings: [] }

async function rendered(report: Partial<Report>): Promise<Element> {
  const xml = toJunit(reportOf(report))
  await expectJunit(xml)
  return parseXml(xml)
}

test('cases pass, fail with an error and are skipped; suites count them and say how long it took', async () => {
  const root = await rendered({
    command: 'apply',
    target: 'sandbox',
    cases: [
      book,
      { kind: 'assistant', name: 'assistant/desk', durationMs: 20, findings: [refused] },
      { kind: 'assistant', name: 'assistant/b', findings: [{ ...warning, code: 'skipped' }] },
    ],
    startedAt: Date.parse('2026-03-01T10:00:00.500Z'),
    durationMs: 61_500,
  })
  const counts = { name: 'callyard apply sandbox', tests: '3', failures: '1', errors: '0', time: '61.500' }
  expect(root).toMatchObject({ name: 'testsuites', attributes: counts })
  const [suite] = root.children
  expect(suite?.attributes).toEqual({ ...counts, skipped: '1', timestamp: '2026-03-01T10:00:00' })
  expect(suite?.children).toEqual([
    testCase({ classname: 'tool', name: 'tool/book', time: '1.234' }),
    testCase({ classname: 'assistant', name: 'assistant/desk', time: '0.020' }, [
      {
        name: 'failure',
        attributes: { message: 'the service rejected it (422)', type: 'failed' },
        text: `tools/t.yaml:1:2: error: ${refused.message} [failed]\nhint: choose another name`,
        children: [],
      },
    ]),
    testCase({ classname: 'assistant', name: 'assistant/b' }, [
      { name: 'skipped', attributes: { message: 'old' }, text: '', children: [] },
    ]),
  ])
})

test('a test of a conversation: its file is the class, what could not be judged is an error, and the suite says how it was run', async () => {
  const undecided: Diagnostic = { ...finding, code: 'undecided', message: 'no judge' }
  const common = { kind: 'test', file: 'tests/hours.test.yaml' }
  const root = await rendered({
    command: 'test',
    cases: [
      { ...common, name: 'hours', findings: [], details: '4 of 5 runs passed' },
      { ...common, name: 'booking', findings: [finding, undecided], details: 'what was said' },
      { ...common, name: 'price', findings: [undecided] },
      { ...common, name: 'later', findings: [], skipped: 'not yet' },
    ],
    properties: { tags: 'booking' },
  })
  const [suite] = root.children
  expect(suite?.attributes).toMatchObject({ tests: '4', failures: '1', errors: '1', skipped: '1' })
  const classname = 'tests/hours.test.yaml'
  expect(suite?.children).toEqual([
    {
      name: 'properties',
      attributes: {},
      text: '',
      children: [
        { name: 'property', attributes: { name: 'tags', value: 'booking' }, text: '', children: [] },
      ],
    },
    testCase({ classname, name: 'hours' }, [
      { name: 'system-out', attributes: {}, text: '4 of 5 runs passed', children: [] },
    ]),
    testCase({ classname, name: 'booking' }, [
      {
        name: 'failure',
        attributes: { message: 'type is missing; 1 more error', type: 'missing' },
        text: 'what was said',
        children: [],
      },
    ]),
    testCase({ classname, name: 'price' }, [
      {
        name: 'error',
        attributes: { message: 'no judge', type: 'undecided' },
        text: expect.stringContaining('[undecided]'),
        children: [],
      },
    ]),
    testCase({ classname, name: 'later' }, [
      { name: 'skipped', attributes: { message: 'not yet' }, text: '', children: [] },
    ]),
  ])
})

test('a passing case prints its warnings; next to errors they are listed with them', async () => {
  const both = 'tools/t.yaml:1:2: warning: old [unused]\ntools/t.yaml:1:2: error: type is missing [missing]'
  const root = await rendered({
    cases: [
      { ...book, findings: [warning] },
      { ...book, findings: [warning, finding] },
      { ...book, findings: [finding, finding] },
      { ...book, findings: [finding, refused] },
    ],
  })
  const inner = root.children[0]?.children.map(({ children }) => children[0])
  expect(inner).toMatchObject([
    { name: 'system-out', text: 'tools/t.yaml:1:2: warning: old [unused]' },
    {
      attributes: { type: 'missing', message: 'type is missing' },
      text: `${both}\nhint: add type: function`,
    },
    { attributes: { type: 'missing', message: '2 errors' } },
    { attributes: { type: 'invalid', message: '2 errors' } },
  ])
})

test('the error that ended the command is a failed case', async () => {
  const message = 'whether target sandbox holds these is not known:\n  tool/<b>\u0000'
  const root = await rendered({
    command: 'apply',
    target: 'sandbox',
    error: { kind: 'conflict', message, hint: 'look' },
  })
  expect(root.attributes).toMatchObject({ tests: '1', failures: '1' })
  expect(root.children[0]?.children).toEqual([
    testCase({ classname: 'apply', name: 'sandbox' }, [
      {
        name: 'failure',
        attributes: { type: 'conflict', message: 'whether target sandbox holds these is not known:' },
        text: 'whether target sandbox holds these is not known:\n  tool/<b>\\x00\nhint: look',
        children: [],
      },
    ]),
  ])
})

test('a clock that was set back makes no negative time', async () => {
  const root = await rendered({ cases: [{ ...book, durationMs: -5 }], durationMs: -5 })
  expect(root.children[0]?.children[0]?.attributes.time).toBe('0.000')
  expect(root.attributes.time).toBe('0.000')
})

test('hostile texts produce valid XML 1.0 with the same content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostileReports, { minLength: 1, maxLength: 5 }), async reports => {
      const documents = reports.map(toJunit)
      await expectJunit(...documents)
      documents.forEach((document, index) => {
        expect(document).not.toMatch(/[^\u0009\u000a\u000d\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
        const { cases = [], error } = reports[index] ?? {}
        const shown = (parseXml(document).children[0]?.children ?? [])
          .filter(child => child.name === 'testcase')
          .slice(error === undefined ? 0 : 1)
        expect(shown).toHaveLength(cases.length)
        cases.forEach(({ name }, number) => {
          if (/^[\x20-\x7e]*$/.test(name)) expect(shown[number]?.attributes.name).toBe(name)
        })
      })
    }),
    { numRuns: runs(8) },
  )
})

function testCase(attributes: Readonly<Record<string, string>>, children: Element[] = []): Element {
  return { name: 'testcase', attributes, text: '', children }
}

test.each([
  '<testsuites skipped="1"/>',
  '<testsuites><testsuite name="a" tests="1" failures="0" errors="0"><testcase name="a" id="b"/></testsuite></testsuites>',
  '<testsuites time="1 s"/>',
  '<testsuites>',
])('the schema of these tests refuses %s', async xml => {
  await expect(expectJunit(xml)).rejects.toThrow()
})
