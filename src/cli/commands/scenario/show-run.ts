import { readFile } from 'node:fs/promises'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { oneLine, quoteForShell } from '../../../lib/text/escape.ts'
import { cut } from '../../../lib/text/layout.ts'
import { bold, dim, green, join, red, type Text, text, yellow } from '../../../lib/text/text.ts'
import { asWritten, type ObservedCall, type TestCase, type TestResult } from '../../../scenario/index.ts'
import { type TestNotRun, type TestRun, testSummary } from '../../../scenario/results/index.ts'
import type { Context } from '../../shell/context.ts'
import type { TestModelOptions } from '../../shell/flags/llm-flags.ts'
import { linesIn } from '../../shell/render/source-line.ts'
import {
  isWrong,
  type RunView,
  renderFailure,
  rulesNote,
  runsText,
  shownAttempt,
  testFindings,
} from '../../shell/render/test-failure.ts'

/** Renders a run: each test that did not pass, then the counts. */
export function renderRun(run: TestRun, view: RunView): Text {
  const blocks = run.results.filter(isWrong).map(result => join([renderFailure(result, view), '']))
  const asides = [...run.results.flatMap(asideOf), ...run.notRun.flatMap(notRunAside)]
  const visibleAsides = asides.slice(0, maxAsides)
  const left = asides.length - visibleAsides.length
  return join([
    ...blocks,
    ...visibleAsides,
    ...(left > 0 ? [dim(`… and ${left} more of these: --json lists all tests`)] : []),
    summaryLine(run),
  ])
}

const maxAsides = 20

/** Tests that passed at times, and those that are skipped: no failures, and not to be overlooked. */
function asideOf(result: TestResult): Text[] {
  const { test, status } = result
  const name = oneLine(cut(oneLine(test.name), 100))
  if (status === 'skipped') {
    const reason = test.skip === undefined ? '' : dim(`: ${cut(oneLine(test.skip), 200)}`)
    return [text`${yellow('skipped')} ${name}${reason}`]
  }
  const isUnsteady = status === 'passed' && shownAttempt(result) !== undefined
  return isUnsteady ? [text`${yellow('unsteady')} ${name}${dim(`: ${runsText(result)}`)}`] : []
}

export const notRunReasons: Readonly<Record<TestNotRun['reason'], string>> = {
  stopped: 'the run was stopped before it',
  'no-model-server': 'it is live, and no model server is given',
}

/** Tests left out by --bail or Ctrl-C are only counted. */
function notRunAside({ test, reason }: TestNotRun): Text[] {
  if (reason === 'stopped') return []
  return [
    text`${yellow('not run')} ${oneLine(cut(oneLine(test.name), 100))}${dim(`: ${notRunReasons[reason]}`)}`,
  ]
}

/** `5 tests: 3 passed, 1 failed, 1 skipped (0.4s) · replies from rules, prompts are not tested`. */
function summaryLine(run: TestRun): Text {
  const { tests, passed, failed, undecided, skipped, notRun } = testSummary(run)
  const parts: Text[] = [
    ...(passed > 0 ? [green(`${passed} passed`)] : []),
    ...(failed > 0 ? [red(`${failed} failed`)] : []),
    ...(undecided > 0 ? [yellow(`${undecided} not judged`)] : []),
    ...(skipped > 0 ? [yellow(`${skipped} skipped`)] : []),
    ...(notRun > 0 ? [yellow(`${notRun} not run`)] : []),
  ]
  const time = dim(` (${(run.durationMs / 1000).toFixed(1)}s)`)
  const note = rulesNote(run.results)
  return text`${bold(count(tests, 'test'))}: ${join(parts, ', ')}${time}${note === undefined ? '' : dim(` · ${note}`)}`
}

/** Returns the error that ends the command; undefined if all tests passed. */
export function getRunFailure(run: TestRun): CallyardError | undefined {
  const { tests, failed, undecided, skipped, notRun } = testSummary(run)
  const of = `of ${count(tests, 'test')}`
  const parts = [
    ...(failed > 0 ? [`${failed} ${of} failed`] : []),
    ...(undecided > 0 ? [`${undecided} ${of} could not be judged`] : []),
    ...(notRun > 0 ? [`${notRun} ${notRun === 1 ? 'was' : 'were'} not run`] : []),
  ]
  const lacksServer = run.notRun.some(({ reason }) => reason === 'no-model-server')
  const hint = lacksServer
    ? 'give --llm-url, for example http://127.0.0.1:11434/v1; or leave live tests out with --no-live'
    : undefined
  if (parts.length > 0) return new CallyardError('partial', parts.join('; '), { hint })
  if (skipped < tests) return undefined
  const which = tests === 1 ? 'it is' : `all ${tests} are`
  return new CallyardError('partial', `no test ran: ${which} skipped`, {
    hint: 'remove skip from at least one test',
  })
}

/** Reads the lines of the failures of these tests. A file that is no longer readable has none. */
export async function sourceLines(
  results: readonly TestResult[],
  { resolve }: Context,
): Promise<RunView['lineAt']> {
  const texts = new Map<string, string>()
  for (const file of new Set(results.flatMap(testFindings).map(finding => finding.file))) {
    const content = await readFile(resolve(file), 'utf8').catch(() => undefined)
    if (content !== undefined) texts.set(file, content)
  }
  return linesIn(texts)
}

/**
 * Command line that repeats the call of a test, up to a turn or to its end; for a test with a model, the whole test with `flags`.
 * Quoted for bash and zsh. `assistantFile` returns the file of an assistant by its name, as shown to people.
 */
export function repeatLine(
  test: TestCase,
  call: ObservedCall,
  turn: number | undefined,
  assistantFile: (name: string) => string | undefined,
  flags: TestModelOptions,
): string | undefined {
  const { assistant, variables, overrides, at } = test
  // In a chat another model would reply, or none.
  if (test.model !== 'none') {
    const one = test.row === undefined ? [] : ['-t', test.id]
    return ['callyard test', test.file, ...one, ...modelFlags(flags)]
      .map((word, index) => (index === 0 ? word : quoted(word)))
      .join(' ')
  }
  const lines = call.turns
    .slice(0, (turn ?? call.turns.length) + 1)
    .flatMap(({ caller }) => (caller === undefined ? [] : [caller.line]))
  const file =
    'inline' in assistant
      ? contentOf(asWritten(assistant.inline))
      : quoted(assistantFile(assistant.name) ?? assistant.name)
  const command = [
    `printf '%s\\n' ${lines.length === 0 ? '/hangup' : lines.map(quoted).join(' ')} |`,
    `callyard call chat ${file}`,
    ...Object.entries(variables).map(([name, value]) => `--var ${quoted(`${name}=${value}`)}`),
    ...(at === undefined ? [] : [`--at ${new Date(at).toISOString()}`]),
    ...(overrides === undefined ? [] : [`--overrides ${contentOf(asWritten(overrides))}`]),
  ].join(' ')
  return command.length > maxLength ? undefined : command
}

/** Flags of the model servers; keys stay in the environment. */
function modelFlags({ llmUrl, llmModel, judgeUrl, judgeModel }: TestModelOptions): string[] {
  const flagValues = {
    '--llm-url': llmUrl,
    '--llm-model': llmModel,
    '--judge-url': judgeUrl,
    '--judge-model': judgeModel,
  }
  return Object.entries(flagValues).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
}

/** Longer than people paste. */
const maxLength = 4000

/** A file of this content, which the shell makes. */
function contentOf(value: unknown): string {
  return `<(printf %s ${quoted(JSON.stringify(value))})`
}

/** Quotes text for pasting: text that is shown escaped, or has several lines, is written so that the shell decodes it. */
function quoted(text: string): string {
  const plain = quoteForShell(text)
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? `$'${text.replace(escaped, escapeOf)}'` : plain
}

const escaped = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\']/gu

function escapeOf(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}
