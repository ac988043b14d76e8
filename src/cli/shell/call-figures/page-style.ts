/** Style of a report. Its colors have a contrast of at least 4.5 to 1. */
export const pageStyle = `
:root { --soft: #f3f3f7; --good: #1a7f37; --problem: #b3261e; --unsure: #7a5200; --tool: #8a3ea8 }
@media (prefers-color-scheme: dark) {
  :root { --soft: #1e1e23; --good: #5fd07f; --problem: #ff8a80; --unsure: #f0c060; --tool: #d79bf0 }
}
@media not print { main { max-width: 64rem } }
.faint, .time { color: var(--faint); font-size: .875rem }
p.faint { margin: .25rem 0 }
.verdicts, .turns { list-style: none; padding: 0; margin: .5rem 0 }
code { font-size: .875rem }
summary { cursor: pointer }
.verdicts .holds, .problems { color: var(--problem) }
.verdicts .passes { color: var(--good) }
.verdicts .no-data { color: var(--unsure) }
.call { border-top: 1px solid var(--line); padding: .5rem 0; margin: 0 }
.call > div { padding: .5rem 0 }
.desk span { display: inline-block; max-width: 20rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom }
.turns li { padding: .125rem 0 }
.turns li:target { outline: 2px solid var(--assistant) }
@media (max-width: 40rem) {
  .call .desk { display: none }
}
@media print {
  :root { --soft: #eee; --caller: #666; --assistant: #444; --tool: #999; --problem: #000; --good: #000; --unsure: #000 }
  .call { break-inside: avoid }
  .desk span { display: inline; white-space: normal }
  .problems::before { content: "· " }
}
`
