import { diffWords } from 'diff'
import { formatLocation } from '../../../files/source/index.ts'
import { count } from '../../../lib/text/count.ts'
import { secondsText } from '../../../lib/text/date-time.ts'
import { htmlPage, type Markup, markup, nothing } from '../../../lib/text/markup.ts'
import {
  type Attempt,
  type Coverage,
  type Failure,
  type ObservedCall,
  type ObservedTool,
  type ObservedTurn,
  type SourceLocation,
  type SpokenMessage,
  sortByStart,
  type TestResult,
  type TestStatus,
} from '../../../scenario/index.ts'
import { hasPassed } from '../../../scenario/results/index.ts'
import { getCoveredPercent, uncoveredWords } from '../render/coverage.ts'
import { failureWords } from '../render/failure-words.ts'
import { isWrong, rulesNote, runsText } from '../render/test-failure.ts'
import { type TestFigures, testFiguresSection, testLanes } from './test-figures.ts'

const testStatusWords = {
  passed: 'passed',
  failed: 'failed',
  undecided: 'not judged',
  skipped: 'skipped',
} as const satisfies Record<TestStatus, string>

interface ReportedTests {
  readonly results: readonly TestResult[]
  /** Undefined unless coverage was requested. */
  readonly coverage?: Coverage | undefined
  /** Undefined for a page without figures and lanes. */
  readonly figures?: TestFigures | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Command that repeats the call of a test that did not pass; undefined if there is none. */
  commandOf?(result: TestResult): string | undefined
}

/**
 * Renders conversation tests as one page: failed tests first, then undecided, skipped and (collapsed) passed ones. Shows messages on two
 * lanes with times, tool calls, differences and coverage.
 */
export function testsPage({ results, coverage, figures, startedAt, commandOf }: ReportedTests): string {
  const title = `Conversations: ${summaryOf(results)}`
  const iso = new Date(startedAt).toISOString()
  const sorted = [...results].sort((one, other) => naturally.compare(sortKey(one), sortKey(other)))
  const ids = new Map(sorted.map((result, index) => [result, `test-${index + 1}`]))
  const idOf = (result: TestResult) => ids.get(result) ?? ''
  const sectionsOf = (status: TestStatus) =>
    sorted
      .filter(result => result.status === status)
      .map(result => testSection(result, { id: idOf(result), figures, command: commandOf?.(result) }))
  const passed = sectionsOf('passed')
  const note = rulesNote(results)
  return htmlPage({
    title,
    style: pageStyle + (figures?.style ?? ''),
    script: copyScript,
    body: markup`<h1>${title}</h1>
<p><time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>${note === undefined ? '' : ` · ${note}`}</p>
${sectionsOf('failed')}${sectionsOf('undecided')}${sectionsOf('skipped')}${
  passed.length === 0
    ? nothing
    : markup`<details class="group"><summary><strong class="passed">${String(passed.length)} ${testStatusWords.passed}</strong></summary>
${passed}</details>
`
}${figures === undefined ? nothing : testFiguresSection(results, figures, idOf)}${coverage === undefined ? nothing : coverageSection(coverage)}`,
  })
}

/** `row[2]` before `row[10]`. */
const naturally = new Intl.Collator('en', { numeric: true })

function sortKey({ test }: TestResult): string {
  return `${test.file}\0${test.id}`
}

function summaryOf(results: readonly TestResult[]): string {
  const parts = (['failed', 'undecided', 'passed', 'skipped'] as const).flatMap(status => {
    const number = results.filter(result => result.status === status).length
    return number === 0 ? [] : [`${number} ${testStatusWords[status]}`]
  })
  return parts.length === 0 ? 'no tests' : parts.join(', ')
}

interface SectionOptions {
  readonly id: string
  readonly figures: TestFigures | undefined
  readonly command: string | undefined
}

function testSection(result: TestResult, { id, figures, command }: SectionOptions): Markup {
  const { test, status, attempts } = result
  const runs = runsText(result)
  // One run that did not pass says more than one that did.
  const visibleAttempt = attempts.find(attempt => !hasPassed(attempt)) ?? attempts[0]
  return markup`<details${{ html: isWrong(result) ? ' open' : '' }}>
<summary><strong class="${status}">${testStatusWords[status]}</strong> ${test.name} <small>${test.id === test.name ? test.file : `${test.file} (${test.id})`}</small></summary>
${runs === undefined ? nothing : markup`<p>${runs}; ${String(test.repeat.pass)} must. The first run that did not pass is shown, else the first.</p>`}
${status === 'skipped' && test.skip !== undefined ? markup`<p dir="auto">${test.skip}</p>` : nothing}
${visibleAttempt === undefined ? nothing : markup`<div id="${id}">${attemptParts(visibleAttempt, figures)}</div>`}
${command === undefined || !isWrong(result) ? nothing : markup`<p class="again"><code>${command}</code> <button type="button">Copy</button></p>`}
</details>
`
}

function attemptParts({ call, failures, undecided }: Attempt, figures: TestFigures | undefined): Markup {
  const finding = (location: SourceLocation, content: Markup) =>
    markup`<li><code>${formatLocation(location)}</code> ${content}</li>\n`
  const findings = [
    ...failures.map(failure => finding(failure.location, failureMarkup(failure))),
    ...undecided.map(({ location, reason }) =>
      finding(location, markup`<span dir="auto">not judged: ${cut(reason)}</span>`),
    ),
  ]
  const failed = new Set(failures.map(({ turn }) => turn))
  const unsure = new Set(undecided.map(({ turn }) => turn))
  const verdictOf = (turn: number) => (failed.has(turn) ? 'wrong' : unsure.has(turn) ? 'unsure' : undefined)
  return markup`${findings.length === 0 ? nothing : markup`<ul class="findings">\n${findings}</ul>\n`}${testLanes(call, figures)}<ol class="lanes">
${call.turns.map((turn, index) => turnMarkup(turn, call, verdictOf(index)))}</ol>
${endOf(call)}`
}

function failureMarkup(failure: Failure): Markup {
  const { message, expected, actual } = failureWords(failure)
  const differs = difference(failure)
  const values =
    differs.html === ''
      ? markup`<dl><div><dt>expected</dt><dd dir="auto">${cut(expected)}</dd></div><div><dt>actual</dt><dd dir="auto">${cut(actual)}</dd></div></dl>`
      : differs
  return markup`<span dir="auto">${cut(message)}</span>${values}`
}

/** Word by word, where the whole text was expected. */
function difference(failure: Failure): Markup {
  if (failure.code !== 'not-exactly') return nothing
  const { text, messages } = failure.details
  const actual = messages.map(message => message.text).join(' ')
  if (text.length + actual.length > maxDifferenceLength) return nothing
  const parts = diffWords(text, actual).map(({ value, added, removed }) => {
    if (added) return markup`<ins>${value}</ins>`
    return removed ? markup`<del>${value}</del>` : markup`${value}`
  })
  return markup`<p class="difference" dir="auto">${parts}</p>`
}

const maxDifferenceLength = 4000

function turnMarkup(
  turn: ObservedTurn,
  call: ObservedCall,
  verdictClass: 'wrong' | 'unsure' | undefined,
): Markup {
  const { caller, searches, failures } = turn
  const time = (at: number) => markup`<time>${clock(at - call.startedAt)}</time>`
  const items = sortByStart(turn).map(item =>
    'heard' in item ? saidMarkup(item, time(item.from)) : toolMarkup(item, time(item.from)),
  )
  const line =
    caller === undefined
      ? nothing
      : markup`<li class="caller">${time(caller.from)} <span class="who">caller</span><p lang="" dir="auto">${cut(caller.line)}</p></li>\n`
  const searchLines = searches.map(
    ({ question, hits }) =>
      markup`<li class="aside">searched “${cut(question)}”: ${hits.length === 0 ? 'nothing found' : hits.map(({ entry, score }) => `${entry.question} (${score.toFixed(1)})`).join(', ')}</li>\n`,
  )
  const wrong = failures.map(
    ({ part, message }) => markup`<li class="aside problem">${part}: ${cut(message)}</li>\n`,
  )
  return markup`<li class="${verdictClass ?? 'fine'}"><ol>
${line}${searchLines}${items}${wrong}</ol></li>
`
}

function saidMarkup({ text, heard }: SpokenMessage, time: Markup): Markup {
  const lost = text.startsWith(heard) ? text.slice(heard.length) : ''
  return markup`<li class="assistant">${time} <span class="who">assistant</span><p lang="" dir="auto">${cut(text.slice(0, text.length - lost.length))}${lost === '' ? nothing : markup`<del title="not heard">${cut(lost)}</del>`}</p></li>
`
}

function toolMarkup(
  { name, arguments: args, content, failure, from, until }: ObservedTool,
  time: Markup,
): Markup {
  const took = until === undefined ? 'did not end' : secondsText(until - from)
  return markup`<li class="assistant tool">${time} <span class="who">tool</span> <code>${name}</code> <small>${took}${failure === undefined ? '' : ', failed'}</small>
<pre>${cut(typeof args === 'string' ? args : JSON.stringify(args, null, 2))}</pre>
<pre class="answer">${cut(failure ?? content)}</pre></li>
`
}

function endOf({ record, startedAt, endedAt }: ObservedCall): Markup {
  const by = record.callEndTriggerBy === undefined ? '' : `, ended by ${record.callEndTriggerBy}`
  const analysis =
    record.analysis === undefined
      ? nothing
      : markup`<h3>Analysis</h3>\n<pre>${cut(JSON.stringify(record.analysis, null, 2))}</pre>`
  return markup`<p><small>${record.status} after ${clock(endedAt - startedAt)}${by}</small></p>\n${analysis}`
}

/** 72500 → `1:12.5` */
function clock(milliseconds: number): string {
  const tenths = Math.max(0, Math.round(milliseconds / 100))
  const seconds = Math.floor(tenths / 10)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.${tenths % 10}`
}

/** Characters of one text that the page shows. */
const maxLength = 10_000

function cut(text: string): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength).toWellFormed()}… (${count(text.length, 'character')})`
}

function coverageSection(coverage: Coverage): Markup {
  const { files, covered, total } = coverage
  return markup`<h2 id="coverage">Coverage: <span class="whole">${String(getCoveredPercent(coverage))} %</span> (${String(covered)} of ${String(total)})</h2>
<table><thead><tr><th scope="col">File</th><th scope="col">Covered</th><th scope="col">Not covered</th></tr></thead>
<tbody>${files.map(
    file =>
      markup`<tr><th scope="row">${file.file}</th><td class="whole">${String(getCoveredPercent(file))} %</td><td>${file.uncovered.map(item => markup`<div>${item.position === undefined ? '' : `${item.position.line}: `}${cut(uncoveredWords(item))}</div>`)}</td></tr>\n`,
  )}</tbody></table>
`
}

/** Copies the command beside a button, or selects it where the clipboard is not available. */
const copyScript = `
document.addEventListener('click', async ({ target }) => {
  if (!target.matches('.again button')) return
  const command = target.previousElementSibling
  try {
    await navigator.clipboard.writeText(command.textContent)
    target.textContent = 'Copied'
  } catch {
    getSelection().selectAllChildren(command)
  }
})
`

/** Style whose colors also have a contrast of at least 4.5 to 1. */
const pageStyle = `
:root { --soft: #f3f3f7; --good: #1a7f37; --bad: #b3261e; --unsure: #7a5200; --tool: #8a3ea8; --problem: var(--bad) }
@media (prefers-color-scheme: dark) {
  :root { --soft: #1e1e23; --good: #5fd07f; --bad: #ff8a80; --unsure: #f0c060; --tool: #d79bf0 }
}
@media not print { main { max-width: 60rem } }
time, small, .who, .aside { color: var(--faint); font-size: .875rem }
.passed { color: var(--good) }
.failed, .problem { color: var(--bad) }
.undecided { color: var(--unsure) }
.skipped { color: var(--faint) }
details { border-top: 1px solid var(--line); padding: .75rem 0 }
details[open] { padding-bottom: 1.5rem }
summary { cursor: pointer }
.group > summary { margin-bottom: .75rem }
.group > details { margin-left: 1.25rem }
ol { list-style: none; padding: 0; margin: 0 }
.findings { margin: .75rem 0; padding-left: 1.25rem }
.again { display: flex; flex-wrap: wrap; align-items: baseline; gap: .5rem; margin: 1rem 0 0 }
button { padding: .125rem .75rem; border: 1px solid var(--line); border-radius: .25rem; background: var(--soft); color: inherit; font: inherit; cursor: pointer }
.whole, thead th { white-space: nowrap; overflow-wrap: normal }
dl { margin: .25rem 0 }
dl > div { gap: 0 .75rem }
dt { flex: 0 0 5rem; color: var(--faint) }
dd { flex: 1 1 12rem; unicode-bidi: isolate }
.lanes > li { border-left: .25rem solid transparent; padding: .25rem 0 .25rem .75rem }
.lanes > li.wrong { border-color: var(--bad) }
.lanes > li.unsure { border-color: var(--unsure) }
.lanes :is(.caller, .assistant) { max-width: 80%; margin: .5rem 0; padding: .25rem .75rem; background: var(--soft); border-radius: .25rem }
.lanes .caller { border-left: .25rem solid var(--caller) }
.lanes .assistant { margin-left: 20%; border-right: .25rem solid var(--assistant) }
.lanes p { margin: 0; white-space: pre-wrap; unicode-bidi: isolate }
pre { margin: .25rem 0; white-space: pre-wrap; font-size: .875rem }
.answer { border-top: 1px solid var(--line) }
ins { color: var(--good) }
del { color: var(--bad) }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; font-weight: normal }
@media (max-width: 40rem) {
  thead { display: none }
  tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .5rem 0; border-top: 1px solid var(--line) }
  th, td { padding: 0; border: 0 }
  th { flex: 1 0 100% }
  td:last-child { flex: 1 1 10rem }
}
@media (scripting: none) { button { display: none } }
@media print {
  :root { --soft: #fff }
  button { display: none }
  .lanes > li { break-inside: avoid }
}
`
