import xmlbuilder, { type XMLElement } from 'xmlbuilder'
import { count } from '../../lib/text/count.ts'
import type { Diagnostic } from '../../source/index.ts'
import { type Report, type ReportCase, type ReportedError, visible } from './report.ts'

interface Failure {
  readonly type: string
  readonly message: string
  readonly body: string
}

interface Case extends Pick<ReportCase, 'kind' | 'name' | 'durationMs'> {
  readonly failure?: Failure | undefined
  readonly skipped?: string | undefined
  /** Warnings. */
  readonly output?: string | undefined
}

/**
 * A report as JUnit XML that passes the schema of Jenkins' xUnit plugin (junit-10.xsd): one suite, one test case per file
 * or resource. A case with an error fails, warnings are its output; what ended the command fails as a case of its own.
 */
export function toJunit({ command, target, cases, error, startedAt, durationMs }: Report): string {
  const all: Case[] = [
    ...(error === undefined
      ? []
      : [{ kind: command, name: target ?? command, failure: failureOfError(error) }]),
    ...cases.map(junitCase),
  ]
  const name = visible(['callwright', command, ...(target === undefined ? [] : [target])].join(' '))
  const counts = {
    tests: all.length,
    failures: all.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
  }
  const time = seconds(durationMs)
  const suites = xmlbuilder
    .create('testsuites', { version: '1.0', encoding: 'UTF-8' })
    .att({ name, ...counts, time })
  const skipped = all.filter(each => each.skipped !== undefined).length
  // UTC, in the form that Jenkins and GitLab read.
  const timestamp = new Date(startedAt).toISOString().slice(0, 19)
  const suite = suites.ele('testsuite', { name, ...counts, skipped, time, timestamp })
  for (const one of all) addCase(suite, one)
  return `${suites.end({ pretty: true })}\n`
}

function addCase(suite: XMLElement, { kind, name, durationMs, failure, skipped, output }: Case): void {
  const element = suite.ele('testcase', {
    classname: visible(kind),
    name: visible(name),
    ...(durationMs === undefined ? {} : { time: seconds(durationMs) }),
  })
  if (failure !== undefined) {
    const { type, message, body } = failure
    element.ele('failure', { message: visible(message), type: visible(type) }, visible(body, '\n'))
  }
  if (skipped !== undefined) element.ele('skipped', { message: visible(skipped) })
  if (output !== undefined) element.ele('system-out', visible(output, '\n'))
}

function junitCase({ kind, name, durationMs, findings }: ReportCase): Case {
  const common = { kind, name, durationMs }
  const errors = findings.filter(({ severity }) => severity === 'error')
  const lines = findings.map(findingLine).join('\n')
  const [first] = errors
  if (first !== undefined) {
    const message = errors.length === 1 ? firstLine(first.message) : count(errors.length, 'error')
    const type = errors.every(({ code }) => code === first.code) ? first.code : 'invalid'
    return { ...common, failure: { type, message, body: lines } }
  }
  const skipped = findings.find(({ code }) => code === 'skipped')
  if (skipped !== undefined) return { ...common, skipped: skipped.message }
  return { ...common, output: lines === '' ? undefined : lines }
}

function failureOfError({ kind, message, hint }: ReportedError): Failure {
  return { type: kind, message: firstLine(message), body: withHint(message, hint) }
}

function findingLine({ file, position, severity, message, hint, code }: Diagnostic): string {
  const place = position === undefined ? file : `${file}:${position.line}:${position.column}`
  return withHint(`${visible(place)}: ${severity}: ${message} [${code}]`, hint)
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
