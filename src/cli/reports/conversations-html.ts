import { diffWords } from 'diff'
import { count } from '../../lib/text/count.ts'
import { htmlPage, type Markup, markup, nothing } from '../../lib/text/markup.ts'
import {
  type Attempt,
  type Coverage,
  type Failure,
  inOrder,
  type ObservedCall,
  type ObservedTool,
  type ObservedTurn,
  type Place,
  type SaidMessage,
  type TestResult,
  type TestStatus,
} from '../../scenario/index.ts'
import { placeOf } from '../../source/index.ts'
import { failureWords, testStatusWords } from '../messages/scenario.ts'
import { percentOf, uncoveredWords } from '../render/coverage.ts'
import { hasPassed, isWrong, runsText } from '../render/test-failure.ts'

interface ReportedTests {
  readonly results: readonly TestResult[]
  /** Where coverage was asked for. */
  readonly coverage?: Coverage | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** Tests of conversations as one page that stands alone: verdicts, what was said on two lanes with its times, tool calls, differences, coverage. */
export function testsPage({ results, coverage, startedAt }: ReportedTests): string {
  const title = `Conversations: ${summaryOf(results)}`
  const failed = results.filter(isWrong)
  const indexOf = new Map(results.map((result, index) => [result, index + 1]))
  const iso = new Date(startedAt).toISOString()
  return htmlPage({
    title,
    style: pageStyle,
    body: markup`<h1>${title}</h1>
<p><time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time></p>
${
  failed.length === 0
    ? nothing
    : markup`<nav aria-label="Tests that did not pass"><ul>
${failed.map(result => markup`<li>${verdict(result.status)} <a href="#test-${String(indexOf.get(result) ?? 0)}">${result.test.name}</a> <small>${nameOf(result)}</small></li>\n`)}</ul></nav>`
}
${results.map((result, index) => testSection(result, index + 1))}
${coverage === undefined ? nothing : coverageSection(coverage)}`,
  })
}

function summaryOf(results: readonly TestResult[]): string {
  const parts = (['failed', 'undecided', 'passed', 'skipped'] as const).flatMap(status => {
    const number = results.filter(result => result.status === status).length
    return number === 0 ? [] : [`${number} ${testStatusWords[status]}`]
  })
  return parts.length === 0 ? 'no tests' : parts.join(', ')
}

function verdict(status: TestStatus): Markup {
  return markup`<strong class="${status}">${testStatusWords[status]}</strong>`
}

/** Its id says more only where it is not its name. */
function nameOf({ test }: TestResult): string {
  return test.id === test.name ? test.file : `${test.file} (${test.id})`
}

function testSection(result: TestResult, number: number): Markup {
  const { test, status, attempts } = result
  const runs = runsText(result)
  // One run that did not pass says more than one that did.
  const shown = attempts.find(attempt => !hasPassed(attempt)) ?? attempts[0]
  return markup`<details id="test-${String(number)}"${{ html: isWrong(result) ? ' open' : '' }}>
<summary>${verdict(status)} ${test.name} <small>${nameOf(result)}</small></summary>
${runs === undefined ? nothing : markup`<p>${runs}; ${String(test.repeat.pass)} must. The first run that did not pass is shown, else the first.</p>`}
${status === 'skipped' && test.skip !== undefined ? markup`<p dir="auto">${test.skip}</p>` : nothing}
${shown === undefined ? nothing : attemptParts(shown)}
</details>
`
}

function attemptParts({ call, failures, undecided }: Attempt): Markup {
  const finding = (place: Place, what: Markup) => markup`<li><code>${placeOf(place)}</code> ${what}</li>\n`
  const findings = [
    ...failures.map(failure => finding(failure.place, failureMarkup(failure))),
    ...undecided.map(({ place, reason }) =>
      finding(place, markup`<span dir="auto">not judged: ${cut(reason)}</span>`),
    ),
  ]
  const wrong = new Set([...failures, ...undecided].map(({ turn }) => turn))
  return markup`${findings.length === 0 ? nothing : markup`<ul class="findings">\n${findings}</ul>\n`}<ol class="lanes">
${call.turns.map((turn, index) => turnMarkup(turn, call, wrong.has(index)))}</ol>
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
  const { text, said } = failure.details
  const actual = said.map(message => message.text).join(' ')
  if (text.length + actual.length > maxDifferenceLength) return nothing
  const parts = diffWords(text, actual).map(({ value, added, removed }) => {
    if (added) return markup`<ins>${value}</ins>`
    return removed ? markup`<del>${value}</del>` : markup`${value}`
  })
  return markup`<p class="difference" dir="auto">${parts}</p>`
}

const maxDifferenceLength = 4000

function turnMarkup(turn: ObservedTurn, call: ObservedCall, isWrong: boolean): Markup {
  const { caller, searches, failures } = turn
  const time = (at: number) => markup`<time>${clock(at - call.startedAt)}</time>`
  const happened = inOrder(turn).map(each =>
    'heard' in each ? saidMarkup(each, time(each.from)) : toolMarkup(each, time(each.from)),
  )
  const line =
    caller === undefined
      ? nothing
      : markup`<li class="caller">${time(caller.from)} <span class="who">caller</span><p lang="" dir="auto">${cut(caller.line)}</p></li>\n`
  const found = searches.map(
    ({ question, hits }) =>
      markup`<li class="aside">searched “${cut(question)}”: ${hits.length === 0 ? 'nothing found' : hits.map(({ entry, score }) => `${entry.question} (${score.toFixed(1)})`).join(', ')}</li>\n`,
  )
  const wrong = failures.map(
    ({ part, message }) => markup`<li class="aside problem">${part}: ${cut(message)}</li>\n`,
  )
  return markup`<li${{ html: isWrong ? ' class="wrong"' : '' }}><ol>
${line}${found}${happened}${wrong}</ol></li>
`
}

function saidMarkup({ text, heard }: SaidMessage, time: Markup): Markup {
  const lost = text.startsWith(heard) ? text.slice(heard.length) : ''
  return markup`<li class="assistant">${time} <span class="who">assistant</span><p lang="" dir="auto">${cut(text.slice(0, text.length - lost.length))}${lost === '' ? nothing : markup`<del title="not heard">${cut(lost)}</del>`}</p></li>
`
}

function toolMarkup(
  { name, arguments: given, content, failure, from, until }: ObservedTool,
  time: Markup,
): Markup {
  const took = until === undefined ? 'did not end' : `${((until - from) / 1000).toFixed(1)} s`
  return markup`<li class="assistant tool">${time} <span class="who">tool</span> <code>${name}</code> <small>${took}${failure === undefined ? '' : ', failed'}</small>
<pre>${cut(typeof given === 'string' ? given : JSON.stringify(given, null, 2))}</pre>
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
  return markup`<h2 id="coverage">Coverage: ${String(percentOf(coverage))} % (${String(covered)} of ${String(total)})</h2>
<table><thead><tr><th scope="col">File</th><th scope="col">Covered</th><th scope="col">Never seen</th></tr></thead>
<tbody>${files.map(
    file =>
      markup`<tr><th scope="row">${file.file}</th><td>${String(percentOf(file))} %</td><td>${file.uncovered.map(item => markup`<div>${item.position === undefined ? '' : `${item.position.line}: `}${cut(uncoveredWords(item))}</div>`)}</td></tr>\n`,
  )}</tbody></table>
`
}

/** The contrast of its colours, too, is at least 4.5 to 1. */
const pageStyle = `
:root { --soft: #f3f3f7; --good: #1a7f37; --bad: #b3261e; --unsure: #7a5200 }
@media (prefers-color-scheme: dark) {
  :root { --soft: #1e1e23; --good: #5fd07f; --bad: #ff8a80; --unsure: #f0c060 }
}
@media not print { main { max-width: 60rem } }
time, small, .who, .aside { color: var(--faint); font-size: .875rem }
.passed { color: var(--good) }
.failed, .problem { color: var(--bad) }
.undecided { color: var(--unsure) }
.skipped { color: var(--faint) }
details { border-top: 1px solid var(--line); padding: .5rem 0 }
summary { cursor: pointer }
ol, nav ul { list-style: none; padding: 0; margin: 0 }
.findings { padding-left: 1.25rem }
dl { margin: .25rem 0 }
dl > div { gap: 0 .75rem }
dt { flex: 0 0 5rem; color: var(--faint) }
dd { flex: 1 1 12rem; unicode-bidi: isolate }
.lanes > li { border-left: .25rem solid transparent; padding: .25rem 0 .25rem .75rem }
.lanes > li.wrong { border-color: var(--bad) }
.caller, .assistant { max-width: 80%; margin: .5rem 0; padding: .25rem .75rem; background: var(--soft); border-radius: .25rem }
.caller { border-left: .25rem solid var(--caller) }
.assistant { margin-left: 20%; border-right: .25rem solid var(--assistant) }
.caller p, .assistant p { margin: 0; white-space: pre-wrap; unicode-bidi: isolate }
pre { margin: .25rem 0; white-space: pre-wrap; font-size: .875rem }
.answer { border-top: 1px solid var(--line) }
ins { color: var(--good) }
del { color: var(--bad) }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; font-weight: normal }
@media print {
  :root { --soft: #fff }
  .lanes > li { break-inside: avoid }
}
`
