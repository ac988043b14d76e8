import fc from 'fast-check'
import { expect, test } from 'vitest'
import { junitReport } from '../../../src/commands/apply/junit.ts'
import { CliError, type Diagnostic, InvalidInput } from '../../../src/errors.ts'
import type { Outcome } from '../../../src/project/apply/outcome.ts'
import { type Element, parseXml } from './parse-xml.ts'

const done: Outcome = { address: 'tool/book', action: 'create', status: 'done', file: 'tools/book.yaml' }
const failed: Outcome = {
  address: 'assistant/desk',
  action: 'create',
  status: 'failed',
  file: 'assistants/desk.yaml',
  reason: 'the service refused it (422)\nname <b>"x" & y</b>]]> is taken',
  hint: 'choose another name',
}

test('resources are test cases: done and unchanged ones pass, blocked ones fail', () => {
  const root = parseXml(
    junitReport({
      target: 'sandbox',
      outcomes: [
        done,
        failed,
        { ...failed, address: 'assistant/b', status: 'skipped', reason: 'needs tool/book' },
        { ...failed, address: 'assistant/c', action: 'blocked', status: 'blocked', reason: 'no update' },
      ],
      unchanged: ['kb/faq'],
    }),
  )
  const counts = { tests: '5', failures: '2', errors: '0', skipped: '1' }
  expect(root).toMatchObject({
    name: 'testsuites',
    attributes: { name: 'callwright apply sandbox', ...counts },
  })
  const [suite] = root.children
  expect(suite).toMatchObject({
    name: 'testsuite',
    attributes: { name: 'callwright apply sandbox', ...counts },
  })
  expect(suite?.children).toEqual([
    testCase({ classname: 'tool', name: 'tool/book', file: 'tools/book.yaml' }),
    testCase({ classname: 'assistant', name: 'assistant/desk', file: 'assistants/desk.yaml' }, [
      {
        name: 'failure',
        attributes: { message: 'the service refused it (422)', type: 'failed' },
        text: `${failed.reason}\nhint: choose another name`,
        children: [],
      },
    ]),
    testCase({ classname: 'assistant', name: 'assistant/b', file: 'assistants/desk.yaml' }, [
      { name: 'skipped', attributes: { message: 'needs tool/book' }, text: '', children: [] },
    ]),
    testCase({ classname: 'assistant', name: 'assistant/c', file: 'assistants/desk.yaml' }, [
      {
        name: 'failure',
        attributes: { message: 'no update', type: 'blocked' },
        text: 'no update\nhint: choose another name',
        children: [],
      },
    ]),
    testCase({ classname: 'kb', name: 'kb/faq' }),
  ])
})

test('of input that does not pass, each file with an error is a test case that fails', () => {
  const finding: Diagnostic = {
    code: 'missing',
    severity: 'error',
    path: ['type'],
    at: 'value',
    message: 'type is missing',
    hint: 'add type: function',
    file: 'tools/t.yaml',
    position: { line: 1, column: 1 },
  }
  const warning = { ...finding, severity: 'warning', message: 'old' } as const
  const root = parseXml(
    junitReport({
      target: 'sandbox',
      error: new InvalidInput([
        finding,
        warning,
        { ...warning, file: 'b.yaml' },
        { ...finding, file: 'c.yaml' },
        finding,
      ]),
    }),
  )
  expect(root.attributes).toMatchObject({ tests: '2', failures: '2' })
  expect(root.children[0]?.children.map(({ attributes }) => attributes.name)).toEqual([
    'tools/t.yaml',
    'c.yaml',
  ])
  const [first] = root.children[0]?.children ?? []
  expect(first?.children[0]).toMatchObject({
    attributes: { message: '2 errors', type: 'invalid' },
    text: [
      'tools/t.yaml:1:1: error: type is missing [missing] (add type: function)',
      'tools/t.yaml:1:1: warning: old [missing] (add type: function)',
      'tools/t.yaml:1:1: error: type is missing [missing] (add type: function)',
    ].join('\n'),
  })
})

test('of any other error, the apply itself is the one test case, and fails', () => {
  const message = 'whether target sandbox holds these is not known:\n  tool/<b>\u0000'
  const root = parseXml(
    junitReport({ target: 'sandbox', error: new CliError('conflict', message, { hint: 'look' }) }),
  )
  expect(root.attributes).toMatchObject({ tests: '1', failures: '1', errors: '0', skipped: '0' })
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
  const bug = parseXml(junitReport({ target: 'sandbox', error: new TypeError('x is no function') }))
  expect(bug.children[0]?.children[0]?.children[0]?.attributes).toEqual({
    type: 'bug',
    message: 'x is no function',
  })
})

test('whatever stands in an outcome, the report is XML 1.0 and says it', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom('<', '>', '&', '"', "'", ']]>', '&lt;', '\u0000', '\ufffe', '\uffff', '\n', '\ud800'),
      )
      .map(parts => parts.join('')),
  )
  const outcomes = fc.record({
    address: hostile.map(name => `tool/${name}` as const),
    action: fc.constantFrom('create', 'update'),
    status: fc.constantFrom('done', 'failed', 'skipped', 'blocked'),
    file: hostile,
    reason: hostile,
    hint: hostile,
  })
  fc.assert(
    fc.property(hostile, fc.array(outcomes, { maxLength: 5 }), (target, some) => {
      const report = junitReport({ target, outcomes: some })
      expect(report).not.toMatch(/[^\u0009\u000a\u000d\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u)
      const cases = parseXml(report).children[0]?.children ?? []
      expect(cases).toHaveLength(some.length)
      some.forEach(({ status, address, reason }, index) => {
        const [inner] = cases[index]?.children ?? []
        expect(inner?.name).toBe(
          { done: undefined, skipped: 'skipped', failed: 'failure', blocked: 'failure' }[status],
        )
        if (/^[\x20-\x7e]*$/.test(address + reason)) {
          expect(cases[index]?.attributes.name).toBe(address)
          if (status !== 'done') expect(inner?.attributes.message).toBe(reason)
        }
      })
    }),
  )
})

function testCase(attributes: Readonly<Record<string, string>>, children: Element[] = []): Element {
  return { name: 'testcase', attributes, text: '', children }
}
