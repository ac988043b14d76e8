import type { CallFacts } from '../../../calls/report/index.ts'
import { type DrawnElement, drawn } from '../../../lib/text/drawn-element.ts'
import { formatPercent, formatValue } from '../../messages/figures.ts'
import { shareBar, shareWords, spreadChart } from './charts.ts'
import { formatInterval } from './values.ts'
import type { ListItem, ReportSection, ShareRow, SpreadRow } from './view.ts'

/** Returns the element that leads to a call: its tag and attributes; undefined if there is none. */
type LinkTo = (call: CallFacts) => Pick<DrawnElement, 'tag' | 'attributes'> | undefined

/** Draws a section of a report: charts with a table behind each, a table, or a list. Styled by `loadSectionsStyle`. */
export function drawSection(section: ReportSection, linkTo: LinkTo): DrawnElement {
  const { title } = section
  return drawn('section', { class: 'figures' }, drawn('h2', {}, title), ...contentOf(section, linkTo))
}

/** Loads the style of sections. */
export async function loadSectionsStyle(): Promise<string> {
  return (await import('./sections.css?text')).default
}

function contentOf(section: ReportSection, linkTo: LinkTo): DrawnElement[] {
  const { kind, title } = section
  if (kind === 'shares') return drawShares(title, section.rows)
  if (kind === 'spreads') return drawSpreads(title, section.rows)
  if (kind === 'list') return drawList(section.items, section.more, linkTo)
  return [
    ...(section.rows.length === 0 ? [] : [drawTable(title, section.heads, section.rows)]),
    ...(section.note === undefined ? [] : [faint(section.note)]),
  ]
}

function drawShares(title: string, rows: readonly ShareRow[]): DrawnElement[] {
  const bars = rows.map(row =>
    drawn(
      'li',
      {},
      drawn('span', { dir: 'auto' }, row.label),
      shareBar(row),
      drawn('span', { class: 'figure' }, shareWords(row)),
    ),
  )
  const cells = rows.map(({ label, count, of, share, interval }) => [
    ...[label, String(count), String(of)],
    ...[formatPercent(share), interval],
  ])
  return [
    drawn('ul', { class: 'shares' }, ...bars),
    behind(drawTable(title, ['', 'count', 'of', 'share', '95% CI'], cells)),
  ]
}

const spreadHeads = ['', 'n', 'min', 'p50', '95% CI', 'p90', 'p95', '95% CI', 'max']

function drawSpreads(title: string, rows: readonly SpreadRow[]): DrawnElement[] {
  const charts = rows.map(({ label, figure }) =>
    drawn('figure', {}, spreadChart(label, figure), drawn('figcaption', { dir: 'auto' }, label)),
  )
  const cells = rows.map(({ label, figure }) => {
    const { unit, count, min, p50, p90, p95, max, intervals } = figure
    const value = (number: number) => formatValue(number, unit)
    return [
      ...[label, String(count), value(min), value(p50), formatInterval(intervals.p50, unit, count)],
      ...[value(p90), value(p95), formatInterval(intervals.p95, unit, count), value(max)],
    ]
  })
  return [drawn('div', { class: 'spreads' }, ...charts), behind(drawTable(title, spreadHeads, cells))]
}

function behind(table: DrawnElement): DrawnElement {
  return drawn('details', {}, drawn('summary', {}, 'Table'), table)
}

function drawTable(
  title: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): DrawnElement {
  const head = (words: string) => (words === '' ? drawn('td', {}) : drawn('th', { scope: 'col' }, words))
  const row = ([first = '', ...cells]: readonly string[]) =>
    drawn(
      'tr',
      {},
      drawn('th', { scope: 'row', dir: 'auto' }, first),
      ...cells.map((cell, index) => drawn('td', { dir: 'auto', 'data-head': heads[index + 1] ?? '' }, cell)),
    )
  return drawn(
    'div',
    { class: 'wide' },
    drawn(
      'table',
      { 'aria-label': title },
      drawn('thead', {}, drawn('tr', {}, ...heads.map(head))),
      drawn('tbody', {}, ...rows.map(row)),
    ),
  )
}

function drawList(items: readonly ListItem[], more: number, linkTo: LinkTo): DrawnElement[] {
  const lead = ({ lead: words, call }: ListItem) => {
    const link = call && linkTo(call)
    return link === undefined ? words : drawn(link.tag, link.attributes, words)
  }
  const shown = items.map(item =>
    drawn(
      'li',
      {},
      ...[drawn('strong', {}, lead(item)), ' ', drawn('span', { dir: 'auto' }, item.text)],
      ...(item.command === undefined ? [] : [drawn('code', {}, item.command)]),
    ),
  )
  return [drawn('ul', { class: 'list' }, ...shown), ...(more === 0 ? [] : [faint(`… and ${more} more`)])]
}

function faint(words: string): DrawnElement {
  return drawn('p', { class: 'faint' }, words)
}
