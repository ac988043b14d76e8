import { formatPercent, formatValue } from '../../../calls/report/index.ts'
import { inMarkdown, markdownTable } from '../../../lib/text/markup.ts'
import { drawBar, drawSparkline, formatInterval, histogram } from './values.ts'
import type { ReportSection, ReportView } from './view.ts'

/** Formats a report as Markdown for pull requests and job summaries. External text never becomes markup. */
export function reportMarkdown({ title, subtitle, notes, verdicts, sections }: ReportView): string {
  return [
    `# ${inMarkdown(title)}`,
    inMarkdown(subtitle),
    ...notes.map(inMarkdown),
    ...(verdicts.length === 0
      ? []
      : [
          markdownTable(
            ['', 'condition', 'found'],
            verdicts.map(({ state, text, actual }) => [verdictMarks[state], text, actual]),
          ),
        ]),
    ...sections.flatMap(section => [`## ${inMarkdown(section.title)}`, sectionMarkdown(section)]),
  ].join('\n\n')
}

const verdictMarks = { holds: '❌', passes: '✅', 'no-data': '❔' } as const
const bins = 12
const barColumns = 16

function sectionMarkdown(section: ReportSection): string {
  switch (section.kind) {
    case 'shares':
      return markdownTable(
        ['', '', 'count', 'share', '95% CI'],
        section.rows.map(({ label, share, count, interval }) => [
          label,
          drawBar(share, barColumns),
          String(count),
          formatPercent(share),
          interval,
        ]),
      )
    case 'spreads':
      return markdownTable(
        ['', 'n', 'p50', 'p90', 'p95', '95% CI', 'max', 'spread'],
        section.rows.map(({ label, figure }) => [
          label,
          String(figure.count),
          ...(['p50', 'p90', 'p95'] as const).map(name => formatValue(figure[name], figure.unit)),
          formatInterval(figure.intervals.p95, figure.unit, figure.count),
          formatValue(figure.max, figure.unit),
          drawSparkline(histogram(figure.sorted, bins).bins),
        ]),
      )
    case 'table':
      return [
        ...(section.rows.length === 0 ? [] : [markdownTable(section.heads, section.rows)]),
        ...(section.note === undefined ? [] : [inMarkdown(section.note)]),
      ].join('\n\n')
    case 'list':
      return [
        ...section.items.map(
          ({ lead, text, command }) =>
            `- **${inMarkdown(lead)}** ${inMarkdown(text)}${command === undefined ? '' : `\\\n  ${asCode(command)}`}`,
        ),
        ...(section.more === 0 ? [] : [`- … and ${section.more} more`]),
      ].join('\n')
  }
}

/** Formats a command as code, or as escaped text if it contains a backtick. */
function asCode(command: string): string {
  return /^[\x20-\x5f\x61-\x7e]+$/.test(command) ? `\`${command}\`` : inMarkdown(command)
}
