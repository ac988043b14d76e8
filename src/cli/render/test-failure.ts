import stringWidth from 'string-width'
import { count } from '../../lib/text/count.ts'
import { escapeForTerminal, oneLine } from '../../lib/text/escape.ts'
import { cut, excerpt, hang, inColumns, labelWidth, plain } from '../../lib/text/layout.ts'
import { bold, cyan, dim, green, join, magenta, red, type Text, text, yellow } from '../../lib/text/text.ts'
import {
  type Attempt,
  type Failure,
  inOrder,
  type ObservedCall,
  type ObservedTurn,
  type Place,
  type TestResult,
  type Undecided,
} from '../../scenario/index.ts'
import { type Diagnostic, placeOf } from '../../source/index.ts'
import { failureWords } from '../messages/scenario.ts'
import { formatDiagnostics } from './diagnostics.ts'

/** What the words for a run need to know beside it. */
export interface RunView {
  /** Columns. */
  readonly width: number
  /** The line of its file at which a place stands; undefined where the file cannot be read. */
  lineAt(place: Place): string | undefined
  /** The command that repeats a call up to a turn, or to its end; undefined where none can. */
  repeats(test: TestResult['test'], call: ObservedCall, turn: number | undefined): string | undefined
}

/** Whether a test was run and did not pass. */
export function isWrong({ status }: Pick<TestResult, 'status'>): boolean {
  return status === 'failed' || status === 'undecided'
}

/** What is wrong in a test that did not pass, at its lines. */
export function testFindings(result: TestResult): Diagnostic[] {
  const { failures = [], undecided = [] } = shownAttempt(result) ?? {}
  return [...failures.map(failureFinding), ...undecided.map(undecidedFinding)]
}

function failureFinding(failure: Failure): Diagnostic {
  const { message, hint } = failureWords(failure)
  return { ...about(failure.place), code: failure.code, message, hint }
}

function undecidedFinding({ place, reason }: Undecided): Diagnostic {
  return { ...about(place), code: 'undecided', message: `it could not be judged: ${excerpt(reason)}` }
}

function about({ file, path, position }: Place): Omit<Diagnostic, 'code' | 'message'> {
  return { severity: 'error', file, path, at: 'value', position }
}

/** The attempt that is shown of a test: the first that failed, else the first that could not be judged. */
export function shownAttempt({ attempts }: Pick<TestResult, 'attempts'>): Attempt | undefined {
  return (
    attempts.find(({ failures }) => failures.length > 0) ??
    attempts.find(({ undecided }) => undecided.length > 0)
  )
}

export function hasPassed({ failures, undecided }: Attempt): boolean {
  return failures.length + undecided.length === 0
}

/** `4 of 5 runs passed`; undefined for a test that is run once. */
export function runsText({ attempts }: Pick<TestResult, 'attempts'>): string | undefined {
  if (attempts.length < 2) return undefined
  return `${attempts.filter(hasPassed).length} of ${count(attempts.length, 'run')} passed`
}

/**
 * A test that did not pass: each failure at its line as `validate` shows a finding, with what was expected and what happened; after
 * those of one turn, what was said there and in the turn before, and what the FAQ search found; then the command that repeats the call.
 */
export function renderFailure(result: TestResult, view: RunView): Text {
  const { test, status } = result
  const word = status === 'undecided' ? yellow('UNDECIDED') : red('FAILED')
  const runs = runsText(result)
  const needed = runs === undefined ? '' : dim(` (${runs}, ${test.repeat.pass} must)`)
  const head = text`${bold(word)} ${bold(oneLine(cut(oneLine(test.name), maxNameColumns)))}${needed}`
  const attempt = shownAttempt(result)
  const row = test.row === undefined ? [] : [text`  ${dim('row')} ${oneLine(placeOf(test.row))}`]
  if (attempt === undefined) return join([head, ...row], '\n')
  const { call } = attempt
  const wrong = [...attempt.failures, ...attempt.undecided].map(({ turn }) => turn)
  const shown = new Set<ObservedTurn>()
  const blocks = [...new Set(wrong)].flatMap(turn => [
    ...attempt.failures.filter(failure => failure.turn === turn).map(failure => renderOne(failure, view)),
    ...attempt.undecided
      .filter(each => each.turn === turn)
      .map(each => withSource(undecidedFinding(each), each.place, view)),
    renderTurns(call, turn, shown, view.width),
  ])
  const command = repeatCommand(result, view)
  const again = command === undefined ? [] : [text`  ${cyan('again:')} ${command}`]
  return join([head, ...row, ...blocks.filter(part => part !== undefined), ...again], '\n')
}

/** Command that repeats the call of a failed test up to its last wrong turn; undefined if none can. */
export function repeatCommand(
  result: Pick<TestResult, 'test' | 'attempts'>,
  view: Pick<RunView, 'repeats'>,
): string | undefined {
  const attempt = shownAttempt(result)
  if (attempt === undefined) return undefined
  const wrong = [...attempt.failures, ...attempt.undecided].map(({ turn }) => turn)
  return view.repeats(result.test, attempt.call, wrong.includes(undefined) ? undefined : lastOf(wrong))
}

function lastOf(turns: readonly (number | undefined)[]): number {
  return Math.max(...turns.map(turn => turn ?? 0))
}

/** A name is a text of a file, of any length. */
const maxNameColumns = 200

function renderOne(failure: Failure, view: RunView): Text {
  const { expected, actual } = failureWords(failure)
  const beside = (name: string, words: string) =>
    hang(
      text`  ${bold(inColumns(name, nameColumns))}`,
      nameColumns + 2,
      excerpt(words, maxDetail),
      view.width,
      plain,
    )
  return join(
    [
      withSource(failureFinding(failure), failure.place, view),
      beside('expected', expected),
      beside('actual', actual),
    ],
    '\n',
  )
}

const nameColumns = 'expected'.length + 2
/** Characters: of a recorded request, what differs takes some lines. */
const maxDetail = 800

/** A finding with its line of the file below it, and a caret under its column. */
function withSource(found: Diagnostic, place: Place, { width, lineAt }: RunView): Text {
  const line = place.position === undefined ? undefined : lineAt(place)
  const finding = formatDiagnostics([found])
  if (line === undefined || place.position === undefined) return finding
  const { line: number, column } = place.position
  const gutter = `${String(number).padStart(5)} | `
  const room = Math.max(20, width - gutter.length)
  const safe = (words: string) => escapeForTerminal(words.replaceAll('\t', ' '))
  // Of a long line, the part around the column.
  const left =
    stringWidth(safe(line.slice(0, column - 1))) < room - minBehindCaret ? 0 : startOf(line, column)
  const before = `${left > 0 ? '…' : ''}${safe(line.slice(left, column - 1))}`
  const shown = cut(`${before}${safe(line.slice(column - 1, column - 1 + room))}`, room)
  const caret = `${' '.repeat(gutter.length - 2)}| ${' '.repeat(stringWidth(before))}`
  return join([finding, text`${dim(gutter)}${shown.trimEnd()}`, text`${dim(caret)}${red('^')}`], '\n')
}

const minBehindCaret = 10
const shownBeforeCaret = 20

/** No character is cut in two. */
function startOf(line: string, column: number): number {
  const start = Math.max(0, column - 1 - shownBeforeCaret)
  return /[\udc00-\udfff]/.test(line.charAt(start)) ? start - 1 : start
}

/** What was said and done in a turn and in the one before it; of the whole call, in its last two. Each turn is shown once. */
function renderTurns(
  call: ObservedCall,
  turn: number | undefined,
  known: Set<ObservedTurn>,
  width: number,
): Text | undefined {
  const last = Math.min(turn ?? call.turns.length - 1, call.turns.length - 1)
  const turns = call.turns.slice(Math.max(0, last - 1), last + 1).filter(each => !known.has(each))
  for (const each of turns) known.add(each)
  const lines = turns.flatMap(turnLines)
  if (lines.length === 0) return undefined
  const shown = lines.slice(-maxLines)
  const left = lines.length - shown.length
  return join(
    [
      ...(left > 0 ? [dim(`  … ${count(left, 'line')} before`)] : []),
      ...shown.map(line => renderLine(line, call.startedAt, width)),
    ],
    '\n',
  )
}

/** Of one turn an assistant may say, and a tool may be called, any number of times. */
const maxLines = 14

type Line = ReturnType<typeof turnLines>[number]

function turnLines(turn: ObservedTurn) {
  const { caller, searches, failures } = turn
  type Style = (words: Text) => Text
  /** `at`: milliseconds since the epoch; undefined for what has no time of its own. */
  const line = (color: Style, label: string, words: string, style: Style, at?: number) => {
    return { at, label: color(inColumns(label, labelWidth)), words, style }
  }
  const timed = inOrder(turn).map(each => {
    if ('heard' in each) {
      const { text, heard, from } = each
      const words = heard === text ? text : `${heard} (cut short: ${excerpt(text)})`
      return line(cyan, 'assistant', words, plain, from)
    }
    const { name, arguments: given, content, failure, from, until } = each
    const answer =
      until === undefined ? 'no answer' : failure === undefined ? excerpt(content) : `failed: ${failure}`
    return line(magenta, 'tool', `${name} ${excerpt(JSON.stringify(given) ?? '')} → ${answer}`, dim, from)
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
  const shown = hits
    .slice(0, maxHits)
    .map(({ entry, score }) => `${cut(oneLine(JSON.stringify(entry.question)), 60)} ${score.toFixed(2)}`)
  return `${shown.join('; ')}${used ? ' (used)' : ' (not used)'}`
}

function renderLine({ at, label, words, style }: Line, startedAt: number, width: number): Text {
  const time = (at === undefined ? '' : `${((at - startedAt) / 1000).toFixed(1)}s`).padStart(timeColumns)
  const margin = text`  ${dim(time)} ${label}  `
  const indent = 2 + timeColumns + 1 + labelWidth + 2
  return hang(margin, indent, excerpt(words), width, style)
}

const timeColumns = 7
