import { createHash } from 'node:crypto'
import { type Markup, markup, nothing } from './markup.ts'
import { pageStyle } from './page-style.ts'
import type { ShownCall, ShownFact, ShownMessage } from './shown-call.ts'
import type { ShownTime } from './shown-time.ts'

/**
 * Calls as one HTML page that stands alone: no script, nothing loaded, and a policy that allows neither. Several calls
 * begin with a list of links to them.
 */
export function htmlDocument(calls: readonly ShownCall[]): string {
  const [first] = calls
  const single = calls.length === 1 ? first : undefined
  const title = single?.title ?? `${calls.length} calls`
  const body =
    single === undefined
      ? markup`<h1>${title}</h1>
${contents(calls)}
${calls.map((call, index) => callSection(call, index + 1))}`
      : markup`<h1>${title}</h1>
${callParts(single, 'h2')}`
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: pageStyle }}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>`.html
}

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'; base-uri 'none'; form-action 'none'`

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
  // Of what language is said we know nothing: a screen reader must not take it for the English of the page.
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
