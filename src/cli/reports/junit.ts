import xmlbuilder, { type XMLElement } from 'xmlbuilder'
import { count } from '../../lib/text/count.ts'
import { type Diagnostic, placeOf } from '../../source/index.ts'
import { type Report, type ReportCase, type ReportedError, visible } from './report.ts'

interface Failure {
  readonly type: string
  readonly message: string
  readonly body: string
}

interface Case extends Pick<ReportCase, 'kind' | 'name' | 'durationMs'> {
  readonly failure?: Failure | undefined
  /** It could not be told whether it passes. */
  readonly error?: Failure | undefined
  readonly skipped?: string | undefined
  /** Warnings. */
  readonly output?: string | undefined
}

/**
 * A report as JUnit XML that passes the schema of Jenkins' xUnit plugin (junit-10.xsd): one suite, one test case per file,
 * resource or test of a conversation. A case with an error fails, warnings are its output; what ended the command fails as a case of
 * its own.
 */
export function toJunit({
  command,
  target,
  cases,
  error,
  properties = {},
  startedAt,
  durationMs,
}: Report): string {
  const all: Case[] = [
    ...(error === undefined
      ? []
      : [{ kind: command, name: target ?? command, failure: failureOfError(error) }]),
    ...cases.map(each => junitCase(each, command)),
  ]
  const name = visible(['callwright', command, ...(target === undefined ? [] : [target])].join(' '))
  const counts = {
    tests: all.length,
    failures: all.filter(({ failure }) => failure !== undefined).length,
    errors: all.filter(({ error }) => error !== undefined).length,
  }
  const time = seconds(durationMs)
  const suites = xmlbuilder
    .create('testsuites', { version: '1.0', encoding: 'UTF-8' })
    .att({ name, ...counts, time })
  const skipped = all.filter(each => each.skipped !== undefined).length
  // UTC, in the form that Jenkins and GitLab read.
  const timestamp = new Date(startedAt).toISOString().slice(0, 19)
  const suite = suites.ele('testsuite', { name, ...counts, skipped, time, timestamp })
  const named = Object.entries(properties)
  if (named.length > 0) {
    const list = suite.ele('properties')
    for (const [name, value] of named) list.ele('property', { name, value: visible(value) })
  }
  for (const one of all) addCase(suite, one)
  return `${suites.end({ pretty: true })}\n`
}

function addCase(suite: XMLElement, { kind, name, durationMs, failure, error, skipped, output }: Case): void {
  const element = suite.ele('testcase', {
    classname: visible(kind),
    name: visible(name),
    ...(durationMs === undefined ? {} : { time: seconds(durationMs) }),
  })
  for (const [verdict, what] of Object.entries({ failure, error })) {
    if (what === undefined) continue
    const { type, message, body } = what
    element.ele(verdict, { message: visible(message), type: visible(type) }, visible(body, '\n'))
  }
  if (skipped !== undefined) element.ele('skipped', { message: visible(skipped) })
  if (output !== undefined) element.ele('system-out', visible(output, '\n'))
}

function junitCase(
  { kind, name, file, durationMs, findings, skipped: reason, details }: ReportCase,
  command: Report['command'],
): Case {
  // Test runners name the file of a test there, and services group by it.
  const common = { kind: command === 'test' ? (file ?? kind) : kind, name, durationMs }
  const errors = findings.filter(({ severity }) => severity === 'error')
  const lines = findings.map(findingLine).join('\n')
  const [first] = errors
  if (first !== undefined) {
    const isTest = command === 'test'
    const more = count(errors.length - 1, 'more error')
    const message =
      errors.length === 1
        ? firstLine(first.message)
        : isTest
          ? `${firstLine(first.message)}; ${more}`
          : count(errors.length, 'error')
    const type = isTest || errors.every(({ code }) => code === first.code) ? first.code : 'invalid'
    const verdict = errors.every(({ code }) => code === 'undecided') ? 'error' : 'failure'
    return { ...common, [verdict]: { type, message, body: details ?? lines } }
  }
  if (reason !== undefined) return { ...common, skipped: reason }
  const skipped = findings.find(({ code }) => code === 'skipped')
  if (skipped !== undefined) return { ...common, skipped: skipped.message }
  return { ...common, output: details ?? (lines === '' ? undefined : lines) }
}

function failureOfError({ kind, message, hint }: ReportedError): Failure {
  return { type: kind, message: firstLine(message), body: withHint(message, hint) }
}

function findingLine(finding: Diagnostic): string {
  const { severity, message, hint, code } = finding
  return withHint(`${visible(placeOf(finding))}: ${severity}: ${message} [${code}]`, hint)
}

function withHint(words: string, hint: string | undefined): string {
  return hint === undefined || hint === '' ? words : `${words}\nhint: ${hint}`
}

function firstLine(words: string): string {
  return words.split('\n')[0] ?? ''
}

function seconds(milliseconds: number): string {
  return (Math.max(0, milliseconds) / 1000).toFixed(3)
}
