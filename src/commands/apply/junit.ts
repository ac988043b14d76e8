import xmlbuilder, { type XMLElement } from 'xmlbuilder'
import { CliError, type Diagnostic, InvalidInput } from '../../errors.ts'
import { escapeForTerminal } from '../../output/escape.ts'
import { type Address, kindOfAddress } from '../../project/address.ts'
import type { Outcome } from '../../project/apply/outcome.ts'

export interface JunitRun {
  readonly target: string
  readonly outcomes?: readonly Outcome[]
  /** Resources that were as they should be: they pass. */
  readonly unchanged?: readonly Address[]
  /** What ended it before anything was done. Of input that does not pass, each file with an error fails. */
  readonly error?: unknown
}

interface Case {
  readonly kind: string
  readonly name: string
  readonly file?: string
  readonly failure?: { readonly type: string; readonly message: string; readonly body: string }
  readonly skipped?: string
}

/** An apply as JUnit XML: one suite, one test case per resource or file. A blocked resource is a failure. */
export function junitReport({ target, outcomes = [], unchanged = [], error }: JunitRun): string {
  const cases: Case[] = [
    ...(error === undefined ? [] : casesOfError(error, target)),
    ...outcomes.map(caseOfOutcome),
    ...unchanged.map(address => ({ kind: kindOfAddress(address), name: address })),
  ]
  const counts = {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: 0,
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
  }
  const name = inAttribute(`callwright apply ${target}`)
  const suites = xmlbuilder
    .create('testsuites', { version: '1.0', encoding: 'UTF-8' })
    .att({ name, ...counts })
  const suite = suites.ele('testsuite', { name, ...counts })
  for (const one of cases) addCase(suite, one)
  return `${suites.end({ pretty: true })}\n`
}

function addCase(suite: XMLElement, { kind, name, file, failure, skipped }: Case): void {
  const element = suite.ele('testcase', {
    classname: inAttribute(kind),
    name: inAttribute(name),
    ...(file === undefined ? {} : { file: inAttribute(file) }),
  })
  if (failure !== undefined) {
    const { type, message, body } = failure
    element.ele('failure', { message: inAttribute(message), type: inAttribute(type) }, visible(body, '\n'))
  }
  if (skipped !== undefined) element.ele('skipped', { message: inAttribute(skipped) })
}

function caseOfOutcome({ address, file, status, reason = status, hint }: Outcome): Case {
  const one = { kind: kindOfAddress(address), name: address, file }
  if (status === 'done') return one
  if (status === 'skipped') return { ...one, skipped: reason }
  const body = hint === undefined ? reason : `${reason}\nhint: ${hint}`
  return { ...one, failure: { type: status, message: reason.split('\n')[0] ?? '', body } }
}

function casesOfError(error: unknown, target: string): Case[] {
  if (error instanceof InvalidInput) return filesWithErrors(error.diagnostics)
  const message = error instanceof Error ? error.message : String(error)
  const { kind, hint } = error instanceof CliError ? error : { kind: 'bug', hint: undefined }
  const body = hint === undefined ? message : `${message}\nhint: ${hint}`
  return [
    { kind: 'apply', name: target, failure: { type: kind, message: message.split('\n')[0] ?? '', body } },
  ]
}

function filesWithErrors(diagnostics: readonly Diagnostic[]): Case[] {
  const files = new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ file }) => file))
  return [...files].map(file => {
    const found = diagnostics.filter(diagnostic => diagnostic.file === file)
    const errors = found.filter(({ severity }) => severity === 'error')
    const message = errors.length === 1 ? (errors[0]?.message ?? '') : `${errors.length} errors`
    const body = found.map(findingLine).join('\n')
    return { kind: 'file', name: file, file, failure: { type: 'invalid', message, body } }
  })
}

function findingLine({ file, position, severity, message, hint, code }: Diagnostic): string {
  const place = position === undefined ? file : `${file}:${position.line}:${position.column}`
  return visible(`${place}: ${severity}: ${message} [${code}]${hint === undefined ? '' : ` (${hint})`}`, '')
}

function inAttribute(words: string): string {
  return visible(words, '')
}

/** XML 1.0 can hold neither control characters nor U+FFFE and U+FFFF, not even escaped. */
function visible(words: string, keep: string): string {
  return escapeForTerminal(words, { keep }).replaceAll('\ufffe', '\\ufffe').replaceAll('\uffff', '\\uffff')
}
