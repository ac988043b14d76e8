import type { CallFacts } from '../../../calls/report/index.ts'
import { formatPercent, formatValue } from '../../../calls/report/index.ts'
import { h, type VNode } from '../../../lib/text/virtual-node.ts'
import { shareBar, shareWords, spreadChart } from './charts.ts'
import { formatInterval } from './values.ts'
import type { ListItem, ReportSection, ShareRow, SpreadRow } from './view.ts'

/** Draws words as the link to a call; undefined if there is none. */
type LinkTo = (call: CallFacts, words: string) => VNode | undefined

/** Draws a section of a report: charts with a table behind each, a table, or a list. Styled by `loadSectionsStyle`. */
export function drawSection(section: ReportSection, linkTo: LinkTo): VNode {
  const { title } = section
  return h('section', { class: 'figures' }, h('h2', {}, title), ...contentOf(section, linkTo))
}

export async function loadSectionsStyle(): Promise<string> {
  return (await import('./sections.css?text')).default
}

function contentOf(section: ReportSection, linkTo: LinkTo): VNode[] {
  const { kind, title } = section
  if (kind === 'shares') return drawShares(title, section.rows)
  if (kind === 'spreads') return drawSpreads(title, section.rows)
  if (kind === 'list') return drawList(section.items, section.more, linkTo)
  return [
    ...(section.rows.length === 0 ? [] : [drawTable(title, section.heads, section.rows)]),
    ...(section.note === undefined ? [] : [faint(section.note)]),
  ]
}

function drawShares(title: string, rows: readonly ShareRow[]): VNode[] {
  const bars = rows.map(row =>
    h(
      'li',
      {},
      h('span', { dir: 'auto' }, row.label),
      shareBar(row),
      h('span', { class: 'figure' }, shareWords(row)),
    ),
  )
  const cells = rows.map(({ label, count, of, share, interval }) => [
    ...[label, String(count), String(of)],
    ...[formatPercent(share), interval],
  ])
  return [
    h('ul', { class: 'shares' }, ...bars),
    behind(drawTable(title, ['', 'count', 'of', 'share', '95% CI'], cells)),
  ]
}

const spreadHeads = ['', 'n', 'min', 'p50', '95% CI', 'p90', 'p95', '95% CI', 'max']

function drawSpreads(title: string, rows: readonly SpreadRow[]): VNode[] {
  const charts = rows.map(({ label, figure }) =>
    h('figure', {}, spreadChart(label, figure), h('figcaption', { dir: 'auto' }, label)),
  )
  const cells = rows.map(({ label, figure }) => {
    const { unit, count, min, p50, p90, p95, max, intervals } = figure
    const value = (number: number) => formatValue(number, unit)
    return [
      ...[label, String(count), value(min), value(p50), formatInterval(intervals.p50, unit, count)],
      ...[value(p90), value(p95), formatInterval(intervals.p95, unit, count), value(max)],
    ]
  })
  return [h('div', { class: 'spreads' }, ...charts), behind(drawTable(title, spreadHeads, cells))]
}

function behind(table: VNode): VNode {
  return h('details', {}, h('summary', {}, 'Table'), table)
}

function drawTable(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): VNode {
  const head = (words: string) => (words === '' ? h('td', {}) : h('th', { scope: 'col' }, words))
  const row = ([first = '', ...cells]: readonly string[]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row', dir: 'auto' }, first),
      ...cells.map((cell, index) => h('td', { dir: 'auto', 'data-head': heads[index + 1] ?? '' }, cell)),
    )
  return h(
    'div',
    { class: 'wide' },
    h(
      'table',
      { 'aria-label': title },
      h('thead', {}, h('tr', {}, ...heads.map(head))),
      h('tbody', {}, ...rows.map(row)),
    ),
  )
}

function drawList(items: readonly ListItem[], more: number, linkTo: LinkTo): VNode[] {
  const lead = ({ lead: words, call }: ListItem) => (call && linkTo(call, words)) ?? words
  const listItems = items.map(item =>
    h(
      'li',
      {},
      ...[h('strong', {}, lead(item)), ' ', h('span', { dir: 'auto' }, item.text)],
      ...(item.command === undefined ? [] : [h('code', {}, item.command)]),
    ),
  )
  return [h('ul', { class: 'list' }, ...listItems), ...(more === 0 ? [] : [faint(`… and ${more} more`)])]
}

function faint(words: string): VNode {
  return h('p', { class: 'faint' }, words)
}
