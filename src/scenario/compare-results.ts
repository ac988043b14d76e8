import { countWords } from './expect/text.ts'
import type { Attempt, ObservedTurn, TestResult } from './verdict.ts'

/** One test on two versions of its project. */
export type TestChange = ReturnType<typeof compareResults>[number]

/** The results of the same tests on two versions, one change for each that was run on both; in the order of `after`. Pure. */
export function compareResults(before: readonly TestResult[], after: readonly TestResult[]) {
  const old = new Map(before.map(result => [keyOf(result), result]))
  return after.flatMap(result => {
    const previous = old.get(keyOf(result))
    if (previous === undefined || result.status === 'skipped') return []
    const sides = { before: sideOf(previous), after: sideOf(result) }
    /** Those in which the assistant said something else, or called other tools. */
    const turns = turnChanges(previous.attempts[0], result.attempts[0])
    const { status, latencyMs } = sides.before
    const isChanged = turns.length > 0 || status !== sides.after.status || latencyMs !== sides.after.latencyMs
    return [{ test: result.test, ...sides, turns, isChanged }]
  })
}

function keyOf({ test }: TestResult): string {
  return JSON.stringify([test.project, test.id])
}

export type TestSide = ReturnType<typeof sideOf>

/** What a test came to on one version: of its first run. */
function sideOf({ status, attempts }: TestResult) {
  const turns = attempts[0]?.call.turns ?? []
  const latencies = turns.flatMap(turn => latencyOf(turn) ?? [])
  return {
    status,
    /** That the assistant said. */
    words: turns.flatMap(({ said }) => said).reduce((sum, { text }) => sum + countWords(text), 0),
    /** Milliseconds from the caller's last word to the assistant's first, the mean of all turns; undefined: it never answered. */
    latencyMs:
      latencies.length === 0
        ? undefined
        : Math.round(latencies.reduce((sum, each) => sum + each, 0) / latencies.length),
    /** Names of the tools that were called, in order. */
    calls: turns.flatMap(({ tools }) => tools.map(({ name }) => name)),
  }
}

/** Milliseconds; a caller who was interrupted, or interrupts, waits for nothing. */
function latencyOf({ caller, said }: ObservedTurn): number | undefined {
  const [first] = said
  if (caller === undefined || first === undefined) return undefined
  return Math.max(0, first.from - caller.until)
}

function turnChanges(before: Attempt | undefined, after: Attempt | undefined) {
  const old = before?.call.turns ?? []
  const now = after?.call.turns ?? []
  const count = Math.max(old.length, now.length)
  return Array.from({ length: count }, (_, turn) => {
    const [one, other] = [old[turn], now[turn]]
    const caller = (other ?? one)?.caller?.line
    return { turn, caller, before: turnSide(one), after: turnSide(other) }
  }).filter(
    ({ before: one, after: other }) => one.said !== other.said || String(one.calls) !== String(other.calls),
  )
}

function turnSide(turn: ObservedTurn | undefined) {
  return {
    said: turn?.said.map(({ heard }) => heard).join(' ') ?? '',
    /** Each with its arguments, as JSON. */
    calls: turn?.tools.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given)}`) ?? [],
  }
}
