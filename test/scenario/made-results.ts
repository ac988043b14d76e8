import { join } from 'node:path'
import { parseCallerLine } from '../../src/files/formats/caller-script.ts'
import type { ObservedCall, ObservedTurn, TestCase, TestResult } from '../../src/scenario/index.ts'

const began = Date.UTC(2026, 0, 1)
const location = { file: 'tests/made.test.yaml', path: [], position: undefined }

/** A test of the assistant front-desk, as the loader makes it. */
export function madeTest(changes: Partial<TestCase> = {}): TestCase {
  return {
    id: 'made',
    name: 'made',
    file: 'tests/made.test.yaml',
    path: join('/project', 'tests', 'made.test.yaml'),
    location,
    project: '/project',
    tags: [],
    skip: undefined,
    only: false,
    model: 'none',
    assistant: { name: 'front-desk' },
    variables: {},
    overrides: undefined,
    metadata: undefined,
    at: undefined,
    tools: {},
    turns: [],
    caller: undefined,
    expect: [],
    repeat: { times: 1, pass: 1 },
    ...changes,
  }
}

/** A turn in which the assistant says this a second after the caller's line. */
export function madeTurn(
  caller: string | undefined,
  text: string,
  { latencyMs = 1000, ...changes }: Partial<ObservedTurn> & { readonly latencyMs?: number } = {},
): ObservedTurn {
  const from = began + latencyMs
  return {
    caller: caller === undefined ? undefined : { ...callerDoing(caller), from: began - 1000, until: began },
    messages: text === '' ? [] : [{ text, heard: text, from, until: from + 1000, fallback: false }],
    tools: [],
    searches: [],
    failures: [],
    ...changes,
  }
}

/** Turn of the caller for a line of the caller's grammar. */
export function callerDoing(line: string) {
  const parsed = parseCallerLine(line)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return { line, turn: parsed.turn }
}

export function madeResult(
  turns: readonly ObservedTurn[],
  {
    test,
    record,
    ...changes
  }: Partial<Omit<TestResult, 'test'>> & {
    readonly test?: Partial<TestCase>
    readonly record?: Partial<ObservedCall['record']>
  } = {},
): TestResult {
  const at = new Date(began).toISOString()
  const call: ObservedCall = {
    record: {
      id: 'CC-1',
      teamId: 'team-1',
      direction: 'outbound',
      createdAt: at,
      updatedAt: at,
      customer: { number: '+12025550123' },
      status: 'completed',
      phoneVendor: '<phone_vendor_1>',
      phoneVendorDetails: { from: '+12025550100', to: '+12025550123' },
      monitor: { controlUrl: 'http://127.0.0.1/control' },
      ...record,
    },
    turns,
    startedAt: began,
    endedAt: began + 60_000,
  }
  return {
    test: madeTest(test),
    status: 'passed',
    attempts: [{ call, failures: [], undecided: [] }],
    durationMs: 1,
    ...changes,
  }
}
