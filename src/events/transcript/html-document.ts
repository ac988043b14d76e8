import { count } from '../../lib/text/count.ts'
import { htmlPage, type Markup, markup, nothing } from '../../lib/text/markup.ts'
import { type OverviewRow, overviewMarkup } from './overview.ts'
import type { ShownCall, ShownFact, ShownMessage, ShownTime } from './shown-call.ts'

/**
 * Formats calls as a self-contained HTML page: no scripts, no external resources, and a policy that forbids both. Several calls start with
 * a list of links, or with the table of `rows`.
 */
export function htmlDocument(calls: readonly ShownCall[], rows?: readonly OverviewRow[]): string {
  const [first] = calls
  const single = calls.length === 1 && rows === undefined ? first : undefined
  const title = single?.title ?? count(calls.length, 'call')
  const body =
    single === undefined
      ? markup`<h1>${title}</h1>
${rows === undefined ? contents(calls) : overviewMarkup(rows)}
${calls.map((call, index) => callSection(call, index + 1))}`
      : markup`<h1>${title}</h1>
${callParts(single, 'h2')}`
  return htmlPage({ title, style: pageStyle, body })
}

/** Colors have a contrast of at least 4.5 to 1. */
const pageStyle = `
:root { --other: #8a3ea8 }
@media (prefers-color-scheme: dark) {
  :root { --other: #d79bf0 }
}
@media not print { main { max-width: 46rem } }
time, small, dt { color: var(--faint); font-size: .875rem }
dl > div { gap: 0 1rem }
dt { flex: 0 0 6rem }
dd { flex: 1 1 10rem }
.conversation p.who { break-after: avoid }
.statuses, .conversation { list-style: none; padding: 0 }
.conversation li { border-left: .25rem solid var(--other); margin: 0 0 1rem; padding-left: .75rem }
.conversation li.user { border-color: var(--caller) }
.conversation li.assistant { border-color: var(--assistant) }
.conversation p { margin: 0 }
.said { white-space: pre-wrap; unicode-bidi: isolate }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem .25rem 0; text-align: left; vertical-align: top }
.wide { font-size: .875rem; overflow-x: auto; overflow-wrap: normal }
.wide th:last-child, .wide td:last-child { padding-right: 0 }
.wide .whole { white-space: nowrap }
@media (max-width: 40rem) {
  .wide thead, .wide .messages, .wide .call { display: none }
  .wide tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; border-bottom: 1px solid var(--line); padding: .5rem 0 }
  .wide th, .wide td { border: 0; padding: 0 }
  .wide th { flex: 1 0 100% }
}
article { border-top: 1px solid var(--line); margin-top: 2.5rem }
@media print {
  :root { --caller: #000; --assistant: #000; --other: #000 }
  .conversation li { break-inside: avoid }
  article { break-before: page; border: 0; margin: 0 }
}
`

type Heading = 'h2' | 'h3'

function contents(calls: readonly ShownCall[]): Markup {
  return markup`<nav aria-label="Calls"><ol>
${calls.map(({ title }, index) => markup`<li><a href="#call-${String(index + 1)}">${title}</a></li>\n`)}</ol></nav>`
}

function callSection(call: ShownCall, number: number): Markup {
  const id = `call-${number}`
  return markup`<article id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${call.title}</h2>
${callParts(call, 'h3')}
</article>
`
}

function callParts({ facts, statuses, messages, analysis, notes }: ShownCall, heading: Heading): Markup {
  return markup`${definitions(facts)}${section(
    'Status',
    heading,
    statuses.length === 0
      ? nothing
      : markup`<ol class="statuses">
${statuses.map(({ time, words }) => markup`<li>${timeMarkup(time, 'full')} <span>${words}</span></li>\n`)}</ol>`,
  )}${section(
    'Conversation, times in UTC',
    heading,
    messages.length === 0 ? nothing : markup`<ol class="conversation">\n${messages.map(messageMarkup)}</ol>`,
  )}${section('Analysis', heading, definitions(analysis))}${section(
    'Also recorded',
    heading,
    notes.length === 0 ? nothing : markup`<ul>\n${notes.map(note => markup`<li>${note}</li>\n`)}</ul>`,
  )}`
}

function section(title: string, heading: Heading, content: Markup): Markup {
  if (content.html === '') return nothing
  const tag: Markup = { html: heading }
  return markup`<section>
<${tag}>${title}</${tag}>
${content}
</section>
`
}

function definitions(facts: readonly ShownFact[]): Markup {
  if (facts.length === 0) return nothing
  return markup`<dl>
${facts.map(
  ({ name, value, time }) =>
    markup`<div><dt>${name}</dt><dd dir="auto">${time === undefined ? value : timeMarkup(time, 'full')}</dd></div>\n`,
)}</dl>
`
}

function messageMarkup({ role, time, text, edited }: ShownMessage): Markup {
  // The language is unknown, so screen readers must not assume the page's English.
  return markup`<li class="${role === 'user' || role === 'assistant' ? role : 'other'}">
<p class="who"><strong>${role}</strong>${time === undefined ? nothing : markup` ${timeMarkup(time, 'clock')}`}${edited ? markup` <small>edited</small>` : nothing}</p>
<p class="said" lang="" dir="auto">${text}</p>
</li>
`
}

function timeMarkup(time: ShownTime, form: 'clock' | 'full'): Markup {
  const words = time[form]
  return time.iso === undefined
    ? markup`<span>${words}</span>`
    : markup`<time datetime="${time.iso}">${words}</time>`
}
