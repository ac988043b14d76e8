/** Of the HTML page. Contrast is at least 4.5 to 1 in both colour schemes; no meaning hangs on colour alone. */
export const pageStyle = `
:root { color-scheme: light dark; --page: #fff; --text: #1b1b1f; --faint: #5a5a66; --line: #d5d5dd; --user: #1a7f37; --assistant: #0b62b0; --other: #8a3ea8 }
@media (prefers-color-scheme: dark) {
  :root { --page: #131316; --text: #ececf1; --faint: #a9a9b6; --line: #3a3a44; --user: #5fd07f; --assistant: #6cb6ff; --other: #d79bf0 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 46rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.4rem; line-height: 1.25 }
h2 { font-size: 1.15rem; margin-top: 2rem }
h3 { font-size: 1rem }
a { color: var(--assistant) }
time, small, dt { color: var(--faint); font-size: .875rem }
time { font-variant-numeric: tabular-nums }
dl > div { display: flex; flex-wrap: wrap; gap: 0 1rem }
dt { flex: 0 0 7rem }
dd { flex: 1 1 16rem; margin: 0; min-width: 0; white-space: pre-wrap }
.statuses, .conversation { list-style: none; padding: 0 }
.conversation li { border-left: .25rem solid var(--other); margin: 0 0 1rem; padding-left: .75rem }
.conversation li.user { border-color: var(--user) }
.conversation li.assistant { border-color: var(--assistant) }
.conversation p { margin: 0 }
.said { white-space: pre-wrap; unicode-bidi: isolate }
article { border-top: 1px solid var(--line); margin-top: 2.5rem }
@media print {
  :root { --page: #fff; --text: #000; --faint: #444; --line: #999; --user: #000; --assistant: #000; --other: #000 }
  body { font-size: 10.5pt }
  main { max-width: none; padding: 0 }
  nav { display: none }
  .conversation li { break-inside: avoid }
  article { break-before: page; border: 0 }
}
`
