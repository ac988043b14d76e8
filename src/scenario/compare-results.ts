import { countWords } from './expect/text.ts'
import type { Attempt, ObservedTurn, TestResult } from './verdict.ts'

/** Results of one test on two versions of its project. */
export type TestChange = ReturnType<typeof compareResults>[number]

/** Compares results on two versions, for each test that ran on both, in the order of `after`. Pure. */
export function compareResults(before: readonly TestResult[], after: readonly TestResult[]) {
  const old = new Map(before.map(result => [toKey(result), result]))
  return after.flatMap(result => {
    const previous = old.get(toKey(result))
    if (previous === undefined || result.status === 'skipped') return []
    const sides = { before: summarize(previous), after: summarize(result) }
    const turns = diffTurns(previous.attempts[0], result.attempts[0])
    const { status, latencyMs } = sides.before
    const isChanged = turns.length > 0 || status !== sides.after.status || latencyMs !== sides.after.latencyMs
    return [{ test: result.test, ...sides, turns, isChanged }]
  })
}

function toKey({ test }: TestResult): string {
  return JSON.stringify([test.project, test.id])
}

export type TestSide = ReturnType<typeof summarize>

/** Summarizes the first attempt. */
function summarize({ status, attempts }: TestResult) {
  const turns = attempts[0]?.call.turns ?? []
  const latencies = turns.flatMap(turn => measureLatency(turn) ?? [])
  return {
    status,
    words: turns.flatMap(({ messages }) => messages).reduce((sum, { text }) => sum + countWords(text), 0),
    /** Mean time from the caller's last word to the assistant's first; undefined if the assistant never replied. */
    latencyMs:
      latencies.length === 0
        ? undefined
        : Math.round(latencies.reduce((sum, each) => sum + each, 0) / latencies.length),
    calls: turns.flatMap(({ tools }) => tools.map(({ name }) => name)),
  }
}

/** Returns milliseconds; 0 if one side interrupted the other. */
function measureLatency({ caller, messages }: ObservedTurn): number | undefined {
  const [first] = messages
  if (caller === undefined || first === undefined) return undefined
  return Math.max(0, first.from - caller.until)
}

function diffTurns(before: Attempt | undefined, after: Attempt | undefined) {
  const old = before?.call.turns ?? []
  const now = after?.call.turns ?? []
  const count = Math.max(old.length, now.length)
  return Array.from({ length: count }, (_, turn) => {
    const [one, other] = [old[turn], now[turn]]
    const caller = (other ?? one)?.caller?.line
    return { turn, caller, before: summarizeTurn(one), after: summarizeTurn(other) }
  }).filter(
    ({ before: one, after: other }) => one.said !== other.said || String(one.calls) !== String(other.calls),
  )
}

function summarizeTurn(turn: ObservedTurn | undefined) {
  return {
    said: turn?.messages.map(({ heard }) => heard).join(' ') ?? '',
    /** Tool names with their arguments as JSON. */
    calls: turn?.tools.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`) ?? [],
  }
}
