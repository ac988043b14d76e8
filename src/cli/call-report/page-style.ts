/** Style of a report. Its colors have a contrast of at least 4.5 to 1. */
export const pageStyle = `
:root { --soft: #f3f3f7; --good: #1a7f37; --problem: #b3261e; --unsure: #7a5200; --tool: #8a3ea8 }
@media (prefers-color-scheme: dark) {
  :root { --soft: #1e1e23; --good: #5fd07f; --problem: #ff8a80; --unsure: #f0c060; --tool: #d79bf0 }
}
@media not print { main { max-width: 64rem } }
.faint, .figure, .time, figcaption { color: var(--faint); font-size: .875rem }
p.faint { margin: .25rem 0 }
ul, ol { list-style: none; padding: 0; margin: .5rem 0 }
code { font-size: .875rem }
details { margin: .5rem 0 }
summary { cursor: pointer }
.verdicts .holds, .problems { color: var(--problem) }
.verdicts .passes { color: var(--good) }
.verdicts .no-data { color: var(--unsure) }
.bars li { display: grid; grid-template-columns: minmax(6rem, 12rem) 1fr 7rem; gap: 0 .75rem; align-items: center; padding: .125rem 0 }
.bars .figure { text-align: right; font-variant-numeric: tabular-nums }
.bar { display: block }
.track { fill: var(--soft) }
svg .value { fill: var(--assistant) }
.whisker, .marker { stroke: var(--text); stroke-width: 1.5 }
.marker { stroke-dasharray: 3 2 }
.axis { stroke: var(--faint) }
.spread text { fill: var(--faint); font-size: 11px; font-variant-numeric: tabular-nums }
.spreads { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: 1rem }
figure { margin: 0 }
.spread { display: block; width: 100% }
.wide { overflow-wrap: normal }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { border-bottom: 1px solid var(--line); padding: .25rem 1rem .25rem 0; text-align: left; vertical-align: top; white-space: nowrap; font-weight: normal }
tbody th { white-space: normal; min-width: 8rem }
.list li { margin: .5rem 0 }
.call { border-top: 1px solid var(--line); padding: .5rem 0; margin: 0 }
.call > div { padding: .5rem 0 }
.turns li { padding: .125rem 0 }
.turns li:target { outline: 2px solid var(--assistant) }
@media (max-width: 40rem) {
  .bars li { grid-template-columns: 1fr auto }
  .bars .bar { grid-column: 1 / -1; grid-row: 2 }
  .wide thead, .call .desk, td:empty { display: none }
  .wide tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; border-bottom: 1px solid var(--line); padding: .25rem 0 }
  .wide th, .wide td { border: 0; padding: 0 }
  .wide th { flex: 1 0 100% }
  td:not([data-head=""])::before { content: attr(data-head) " "; color: var(--faint) }
}
@media print {
  :root { --soft: #eee; --caller: #666; --assistant: #444; --tool: #999; --problem: #000; --good: #000; --unsure: #000 }
  svg { print-color-adjust: exact }
  figure, .bars li, .list li, tr, .call { break-inside: avoid }
  details:not([open]):not(.call) { display: none }
}
`
