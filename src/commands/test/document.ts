import { failureWords } from '../../cli/messages/scenario.ts'
import type {
  Attempt,
  Failure,
  ObservedCall,
  ObservedTurn,
  Place,
  TestCase,
  TestResult,
  Undecided,
} from '../../scenario/index.ts'

/** How many tests came to what. Those that `--bail` or Ctrl-C left out were not run. */
export interface TestSummary {
  readonly tests: number
  readonly passed: number
  readonly failed: number
  readonly undecided: number
  readonly skipped: number
  readonly notRun: number
}

/** What a run came to: in the order of the tests. */
export interface TestRun {
  readonly results: readonly TestResult[]
  readonly notRun: readonly TestCase[]
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Milliseconds of the machine's time. */
  readonly durationMs: number
}

export function testSummary({ results, notRun }: TestRun): TestSummary {
  const summary = { tests: results.length + notRun.length, passed: 0, failed: 0, undecided: 0, skipped: 0 }
  for (const { status } of results) summary[status] += 1
  return { ...summary, notRun: notRun.length }
}

/**
 * A run as `--json` prints it. Two runs of the same tests differ in `machine` alone: the times of a transcript are milliseconds
 * of the call, which begins where its test says.
 */
export function testDocument(run: TestRun) {
  const { results, notRun, durationMs } = run
  return {
    summary: testSummary(run),
    tests: [...results.map(testEntry), ...notRun.map(test => ({ ...aboutTest(test), status: 'not-run' }))],
    machine: {
      durationMs,
      tests: Object.fromEntries(results.map(({ test, durationMs }) => [test.id, durationMs])),
    },
  }
}

function testEntry({ test, status, attempts }: TestResult) {
  return {
    ...aboutTest(test),
    status,
    ...(status === 'skipped' ? { skip: test.skip } : {}),
    ...(test.repeat.times > 1 ? { repeat: test.repeat } : {}),
    attempts: attempts.map(attemptEntry),
  }
}

function aboutTest({ id, name, file, tags, model }: TestCase) {
  return { id, name, file, tags, model }
}

function attemptEntry({ call, failures, undecided }: Attempt) {
  const { callEndTriggerBy, analysis } = call.record
  return {
    passed: failures.length === 0 && undecided.length === 0,
    failures: failures.map(failureEntry),
    undecided: undecided.map(undecidedEntry),
    call: {
      startedAt: new Date(call.startedAt).toISOString(),
      durationMs: call.endedAt - call.startedAt,
      endedBy: callEndTriggerBy,
      analysis,
    },
    transcript: call.turns.map(turn => turnEntry(turn, call)),
  }
}

function failureEntry(failure: Failure) {
  const { code, place, turn } = failure
  return { code, ...placeEntry(place), turn, ...failureWords(failure) }
}

function undecidedEntry({ place, turn, reason }: Undecided) {
  return { ...placeEntry(place), turn, reason }
}

function placeEntry({ file, path, position }: Place) {
  return { file, path, position }
}

function turnEntry({ caller, said, tools, searches, failures }: ObservedTurn, call: ObservedCall) {
  const times = ({ from, until }: { readonly from: number; readonly until: number | undefined }) => ({
    from: from - call.startedAt,
    ...(until === undefined ? {} : { until: until - call.startedAt }),
  })
  return {
    ...(caller === undefined ? {} : { caller: { line: caller.line, ...times(caller) } }),
    said: said.map(message => ({
      text: message.text,
      ...(message.heard === message.text ? {} : { heard: message.heard }),
      ...times(message),
      ...(message.fallback ? { fallback: true } : {}),
    })),
    tools: tools.map(({ id: _, from, until, ...tool }) => ({ ...tool, ...times({ from, until }) })),
    searches: searches.map(({ question, hits, used }) => ({
      question,
      used,
      hits: hits.map(({ entry, score }) => ({ question: entry.question, score })),
    })),
    ...(failures.length === 0 ? {} : { failures }),
  }
}
