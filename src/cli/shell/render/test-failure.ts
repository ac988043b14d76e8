import { type Diagnostic, formatLocation } from '../../../files/source/index.ts'
import { count } from '../../../lib/text/count.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { cut, excerpt, inColumns, labelWidth, plain } from '../../../lib/text/layout.ts'
import {
  advice,
  bold,
  cyan,
  dim,
  green,
  indented,
  join,
  magenta,
  red,
  type Text,
  text,
  whole,
  yellow,
} from '../../../lib/text/text.ts'
import {
  type Attempt,
  type Failure,
  type ObservedCall,
  type ObservedTurn,
  type SourceLocation,
  sortByStart,
  type TestResult,
  type Undecided,
} from '../../../scenario/index.ts'
import { hasPassed, hasPassedByRules } from '../../../scenario/results/index.ts'
import { formatDiagnostics } from './diagnostics.ts'
import { failureWords } from './failure-words.ts'
import { createSourceLines, type SourceDrawer, type SourceView } from './source-line.ts'

export interface RunView extends SourceView {
  /** Returns the command that repeats a call up to a turn, or to its end; undefined if none can. */
  repeats(test: TestResult['test'], call: ObservedCall, turn: number | undefined): string | undefined
}

/** True if a test ran and did not pass. */
export function isWrong({ status }: TestResult): boolean {
  return status === 'failed' || status === 'undecided'
}

/** Findings of a test that did not pass, at its lines. */
export function testFindings(result: TestResult): Diagnostic[] {
  const { failures = [], undecided = [] } = shownAttempt(result) ?? {}
  return [...failures.map(failureFinding), ...undecided.map(undecidedFinding)]
}

function failureFinding(failure: Failure): Diagnostic {
  const { message, hint } = failureWords(failure)
  return { ...about(failure.location), code: failure.code, message, hint }
}

function undecidedFinding({ location, reason }: Undecided): Diagnostic {
  return { ...about(location), code: 'undecided', message: `it could not be judged: ${excerpt(reason)}` }
}

function about({ file, path, position }: SourceLocation): Omit<Diagnostic, 'code' | 'message'> {
  return { severity: 'error', file, path, at: 'value', position }
}

/** The attempt that is shown of a test: the first that failed, else the first that could not be judged. */
export function shownAttempt({ attempts }: TestResult): Attempt | undefined {
  return (
    attempts.find(({ failures }) => failures.length > 0) ??
    attempts.find(({ undecided }) => undecided.length > 0)
  )
}

/** `4 of 5 runs passed`; undefined for a test that is run once. */
export function runsText({ attempts }: TestResult): string | undefined {
  if (attempts.length < 2) return undefined
  return `${attempts.filter(hasPassed).length} of ${count(attempts.length, 'run')} passed`
}

/** `replies from rules, prompts are not tested`; undefined if all tests that passed had a model. */
export function rulesNote(results: readonly TestResult[]): string | undefined {
  const byRules = results.filter(hasPassedByRules).length
  const passed = results.filter(({ status }) => status === 'passed').length
  if (byRules === 0) return undefined
  return byRules === passed
    ? 'replies from rules, prompts are not tested'
    : `${byRules} with replies from rules, which test no prompts`
}

/**
 * Renders a failed test by turn: its messages, those of the previous turn, and the FAQ search; then each failure as `validate` shows a
 * finding, with expected and actual values; and at the end the command that repeats the call.
 */
export function renderFailure(result: TestResult, view: RunView): Text {
  const { test, status } = result
  const word = status === 'undecided' ? yellow('UNDECIDED') : red('FAILED')
  const runs = runsText(result)
  const needed = runs === undefined ? '' : dim(` (${runs}, ${test.repeat.pass} must)`)
  const name = text`${bold(word)} ${bold(oneLine(cut(oneLine(test.name), maxNameColumns)))}${needed}`
  const head =
    test.row === undefined ? name : text`${name}\n  ${dim('row')} ${oneLine(formatLocation(test.row))}`
  const attempt = shownAttempt(result)
  if (attempt === undefined) return head
  const { call, failures, undecided } = attempt
  const printedTurns = new Set<ObservedTurn>()
  const sourceOf = createSourceLines(
    [...failures, ...undecided].map(({ location }) => location),
    view,
  )
  const blocks = [...new Set([...failures, ...undecided].map(({ turn }) => turn))].flatMap(turn => [
    renderTurns(call, turn, printedTurns),
    ...failures.filter(failure => failure.turn === turn).map(failure => renderOne(failure, sourceOf)),
    ...undecided
      .filter(check => check.turn === turn)
      .map(check => formatDiagnostics([undecidedFinding(check)], sourceOf)),
  ])
  const command = repeatCommand(result, view)
  const again = command === undefined ? [] : [text`  ${cyan('again:')} ${advice(whole(command))}`]
  const [first, ...others] = [...blocks.filter(part => part !== undefined), ...again]
  return join([first === undefined ? head : text`${head}\n${first}`, ...others], '\n\n')
}

/** Command that repeats the call of a failed test up to its last wrong turn; undefined if none can. */
export function repeatCommand(result: TestResult, view: RunView): string | undefined {
  const attempt = shownAttempt(result)
  if (attempt === undefined) return undefined
  const wrong = [...attempt.failures, ...attempt.undecided].map(({ turn }) => turn)
  const last = wrong.includes(undefined) ? undefined : Math.max(...wrong.map(turn => turn ?? 0))
  return view.repeats(result.test, attempt.call, last)
}

/** A name is a text of a file, of any length. */
const maxNameColumns = 200

function renderOne(failure: Failure, sourceOf: SourceDrawer): Text {
  const { expected, actual } = failureWords(failure)
  const beside = (name: string, words: string, style: Style) =>
    indented(text`  ${bold(inColumns(name, nameColumns))}`, nameColumns + 2, excerpt(words, maxDetail), style)
  return join([
    formatDiagnostics([failureFinding(failure)], sourceOf),
    beside('expected', expected, green),
    beside('actual', actual, red),
  ])
}

const nameColumns = 'expected'.length + 2
/** Characters: of a recorded request, what differs takes some lines. */
const maxDetail = 800

/** Renders a turn and the previous one, or the last two turns for the whole call. Each turn is shown once. */
function renderTurns(
  call: ObservedCall,
  turn: number | undefined,
  printedTurns: Set<ObservedTurn>,
): Text | undefined {
  const last = Math.min(turn ?? call.turns.length - 1, call.turns.length - 1)
  const turns = call.turns.slice(Math.max(0, last - 1), last + 1).filter(other => !printedTurns.has(other))
  for (const other of turns) printedTurns.add(other)
  const lines = turns.flatMap(turnLines)
  if (lines.length === 0) return undefined
  const visibleLines = lines.slice(-maxLines)
  const left = lines.length - visibleLines.length
  return join([
    ...(left > 0 ? [dim(`  … ${count(left, 'line')} before`)] : []),
    ...visibleLines.map(line => renderLine(line, call.startedAt)),
  ])
}

/** Maximum of one turn, which may have any number of messages and tool calls. */
const maxLines = 14

type Style = (words: Text) => Text

interface Line {
  /** Milliseconds since the epoch. */
  readonly at: number | undefined
  readonly label: Text
  readonly words: string
  readonly style: Style
}

function turnLines(turn: ObservedTurn): Line[] {
  const { caller, searches, failures } = turn
  const line = (color: Style, label: string, words: string, style: Style, at?: number) => {
    return { at, label: color(inColumns(label, labelWidth)), words, style }
  }
  const timed = sortByStart(turn).map(item => {
    if ('heard' in item) {
      const { text, heard, from } = item
      const words = heard === text ? text : `${heard} (cut short: ${excerpt(text)})`
      return line(cyan, 'assistant', words, plain, from)
    }
    const { name, arguments: args, content, failure, from, until } = item
    const answer =
      until === undefined ? 'no answer' : failure === undefined ? excerpt(content) : `failed: ${failure}`
    return line(magenta, 'tool', `${name} ${excerpt(JSON.stringify(args) ?? '')} → ${answer}`, dim, from)
  })
  return [
    ...(caller === undefined ? [] : [line(green, 'user', caller.line, plain, caller.from)]),
    ...searches.map(search => line(dim, 'FAQ', searchWords(search), dim)),
    ...timed,
    ...failures.map(({ part, message }) => line(dim, part, message, dim)),
  ]
}

const maxHits = 3

function searchWords({ hits, used }: ObservedTurn['searches'][number]): string {
  const [best] = hits
  if (best === undefined) return 'nothing found'
  const hitTexts = hits
    .slice(0, maxHits)
    .map(({ entry, score }) => `${cut(oneLine(JSON.stringify(entry.question)), 60)} ${score.toFixed(2)}`)
  return `${hitTexts.join('; ')}${used ? ' (used)' : ' (not used)'}`
}

function renderLine({ at, label, words, style }: Line, startedAt: number): Text {
  const time = (at === undefined ? '' : `${((at - startedAt) / 1000).toFixed(1)}s`).padStart(timeColumns)
  const margin = text`  ${dim(time)} ${label}  `
  const indent = 2 + timeColumns + 1 + labelWidth + 2
  return indented(margin, indent, excerpt(words), style)
}

const timeColumns = 7
