import type { SourceLocation, TestCase } from '../test-case.ts'
import type { Attempt, Failure, ObservedCall, ObservedTurn, TestResult } from '../verdict.ts'
import type { TestEntry, TestRunDocument } from './result-schema.ts'

/** Results of a run in the order of the tests. */
export interface TestRun {
  readonly results: readonly TestResult[]
  readonly notRun: readonly TestNotRun[]
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Milliseconds of the machine's time. */
  readonly durationMs: number
}

/** `stopped`: --bail or Ctrl-C ended the run first. `no-model-server`: a live test without --llm-url. */
export interface TestNotRun {
  readonly test: TestCase
  readonly reason: NonNullable<TestEntry['reason']>
}

/** Counts the tests by status. Tests skipped by `--bail` or Ctrl-C count as not run. */
export function testSummary({ results, notRun }: TestRun): TestRunDocument['summary'] {
  const summary = { tests: results.length + notRun.length, passed: 0, failed: 0, undecided: 0, skipped: 0 }
  for (const { status } of results) summary[status] += 1
  return { ...summary, notRun: notRun.length, byRules: results.filter(hasPassedByRules).length }
}

export function testDocument(run: TestRun, wordsOf: WordsOfFailure): TestRunDocument {
  const entries = run.results.map(result => testEntry(result, wordsOf))
  return { tests: [...entries, ...run.notRun.map(notRunEntry)], ...withoutTests(run) }
}

/** Fields of the document other than `tests`. */
export function withoutTests(run: TestRun): Omit<TestRunDocument, 'tests'> {
  const { results, durationMs } = run
  return {
    summary: testSummary(run),
    machine: {
      durationMs,
      tests: Object.fromEntries(results.map(({ test, durationMs }) => [test.id, durationMs])),
    },
  }
}

/** A test that was not run, as an item of `tests`. */
export function notRunEntry({ test, reason }: TestNotRun): TestEntry {
  return { ...aboutTest(test), status: 'not-run', reason }
}

export function hasPassed({ failures, undecided }: Attempt): boolean {
  return failures.length + undecided.length === 0
}

/** True if a test passed with replies that come from rules instead of a model. */
export function hasPassedByRules({ test, status }: TestResult): boolean {
  return status === 'passed' && test.model === 'none'
}

/** Drops the messages and tool calls, which take most of the memory of a result. */
export function withoutCalls(result: TestResult): TestResult {
  const attempts = result.attempts.map(attempt => {
    const { messages: _, toolCalls: __, analysis: ___, metadata: ____, ...record } = attempt.call.record
    return { ...attempt, call: { ...attempt.call, turns: [], record } }
  })
  return { ...result, attempts }
}

/** A test that was run, as an item of `tests`. */
export function testEntry({ test, status, attempts }: TestResult, wordsOf: WordsOfFailure): TestEntry {
  return {
    ...aboutTest(test),
    status,
    skip: status === 'skipped' ? test.skip : undefined,
    repeat: test.repeat.times > 1 ? test.repeat : undefined,
    attempts: attempts.map(attempt => attemptEntry(attempt, wordsOf)),
  }
}

function aboutTest({ id, name, file, row, tags, model }: TestCase) {
  return { id, name, file, row: row && locationEntry(row), tags, model }
}

type AttemptEntry = NonNullable<TestEntry['attempts']>[number]
type FailureEntry = AttemptEntry['failures'][number]

/** Meaning of a failure in words, which name commands of the program that prints them. */
export type FailureWords = Pick<FailureEntry, 'message' | 'hint' | 'expected' | 'actual'>
type WordsOfFailure = (failure: Failure) => FailureWords

function attemptEntry(attempt: Attempt, wordsOf: WordsOfFailure): AttemptEntry {
  const { call, failures, undecided } = attempt
  const { callEndTriggerBy, analysis } = call.record
  return {
    passed: hasPassed(attempt),
    failures: failures.map(failure => {
      const { code, location, turn } = failure
      return { code, ...locationEntry(location), turn, ...wordsOf(failure) }
    }),
    undecided: undecided.map(({ location, turn, reason }) => ({ ...locationEntry(location), turn, reason })),
    call: {
      startedAt: new Date(call.startedAt).toISOString(),
      durationMs: call.endedAt - call.startedAt,
      endedBy: callEndTriggerBy,
      analysis,
    },
    transcript: call.turns.map(turn => turnEntry(turn, call)),
  }
}

function locationEntry({ file, path, position }: SourceLocation) {
  return { file, path, position }
}

function turnEntry(
  { caller, messages, tools, searches, failures }: ObservedTurn,
  call: ObservedCall,
): AttemptEntry['transcript'][number] {
  const times = ({ from, until }: { readonly from: number; readonly until: number | undefined }) => ({
    from: from - call.startedAt,
    until: until === undefined ? undefined : until - call.startedAt,
  })
  return {
    caller: caller && { line: caller.line, ...times(caller) },
    said: messages.map(message => ({
      text: message.text,
      heard: message.heard === message.text ? undefined : message.heard,
      ...times(message),
      fallback: message.fallback || undefined,
    })),
    tools: tools.map(({ id: _, acceptedAt: __, from, until, ...tool }) => ({
      ...tool,
      ...times({ from, until }),
    })),
    searches: searches.map(({ question, hits, used }) => ({
      question,
      used,
      hits: hits.map(({ entry, score }) => ({ question: entry.question, score })),
    })),
    failures: failures.length === 0 ? undefined : failures,
  }
}
