import xmlbuilder from 'xmlbuilder'
import { type Diagnostic, formatLocation } from '../../../files/source/index.ts'
import { count } from '../../../lib/text/count.ts'
import { type Report, type ReportCase, visible, withHint } from './report.ts'

/**
 * A report as JUnit XML: one suite, one test case per file, resource or test of a conversation. It passes the schema of Jenkins' xUnit
 * plugin (junit-10.xsd) but for `file` and `line` of a case, which GitLab, CircleCI and reporters of GitHub read. A case with an error fails, warnings are its output; what ended the command fails as a case of
 * its own.
 */
export function toJunit(report: Report): string {
  const { command, target, properties = {}, startedAt } = report
  const cases = casesOf(report)
  const numberOf = (tag: Verdict['tag']) => cases.filter(({ verdict }) => verdict?.tag === tag).length
  const name = visible(['callyard', command, ...(target === undefined ? [] : [target])].join(' '))
  const counts = { tests: cases.length, failures: numberOf('failure'), errors: numberOf('error') }
  const time = seconds(report.durationMs)
  const suites = xmlbuilder
    .create('testsuites', { version: '1.0', encoding: 'UTF-8' })
    .att({ name, ...counts, time })
  // UTC, in the form that Jenkins and GitLab read.
  const timestamp = new Date(startedAt).toISOString().slice(0, 19)
  const suite = suites.ele('testsuite', { name, ...counts, skipped: numberOf('skipped'), time, timestamp })
  const named = Object.entries(properties)
  if (named.length > 0) {
    const list = suite.ele('properties')
    for (const [name, value] of named) list.ele('property', { name, value: visible(value) })
  }
  for (const { kind, name, location, durationMs, verdict } of cases) {
    const time = durationMs === undefined ? {} : { time: seconds(durationMs) }
    const testLocation = location && { file: visible(location.file), line: location.line }
    const element = suite.ele('testcase', {
      classname: visible(kind),
      name: visible(name),
      ...testLocation,
      ...time,
    })
    if (verdict === undefined) continue
    const { tag, body, ...attributes } = verdict
    const visibleAttributes = Object.entries(attributes).map(([key, value]) => [key, visible(value)])
    element.ele(
      tag,
      Object.fromEntries(visibleAttributes),
      body === undefined ? undefined : visible(body, '\n'),
    )
  }
  return `${suites.end({ pretty: true })}\n`
}

/** Element in a test case, at most one. `error`: it could not be judged. */
type Verdict =
  | { tag: 'failure' | 'error'; message: string; type: string; body: string }
  | { tag: 'skipped'; message: string; body?: never }
  | { tag: 'system-out'; body: string }

interface Case extends ReportCase {
  readonly verdict: Verdict | undefined
}

function casesOf({ command, target, cases, error }: Report): Case[] {
  const isTest = command === 'test'
  const entries = cases.map(reportCase => ({
    ...reportCase,
    // Test runners name the file of a test there, and services group by it.
    kind: isTest ? (reportCase.file ?? reportCase.kind) : reportCase.kind,
    verdict: verdictOf(reportCase, isTest),
  }))
  if (error === undefined) return entries
  const { kind: type, message, hint } = error
  const body = withHint(message, hint)
  const verdict = { tag: 'failure', type, message: firstLine(message), body } as const
  return [{ kind: command, name: target ?? command, findings: [], verdict }, ...entries]
}

function verdictOf({ findings, skipped: reason, details }: ReportCase, isTest: boolean): Verdict | undefined {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const body = details ?? findings.map(findingLine).join('\n')
  const [first] = errors
  if (first === undefined) {
    const skipped = reason ?? findings.find(({ code }) => code === 'skipped')?.message
    if (skipped !== undefined) return { tag: 'skipped', message: skipped }
    return body === '' ? undefined : { tag: 'system-out', body }
  }
  const words = firstLine(first.message)
  const several = isTest
    ? `${words}; ${count(errors.length - 1, 'more error')}`
    : count(errors.length, 'error')
  return {
    tag: errors.every(({ code }) => code === 'undecided') ? 'error' : 'failure',
    message: errors.length === 1 ? words : several,
    type: isTest || errors.every(({ code }) => code === first.code) ? first.code : 'invalid',
    body,
  }
}

function findingLine(finding: Diagnostic): string {
  const { severity, message, hint, code } = finding
  return withHint(`${visible(formatLocation(finding))}: ${severity}: ${message} [${code}]`, hint)
}

function firstLine(words: string): string {
  return words.split('\n')[0] ?? ''
}

function seconds(milliseconds: number): string {
  return (Math.max(0, milliseconds) / 1000).toFixed(3)
}
