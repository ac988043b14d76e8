import type { Verdict } from '../../../calls/report/conditions/index.ts'
import type { CallsReport, FigureChange } from '../../../calls/report/document/index.ts'
import type { CallFacts, Figure, Figures, ValuesFigure } from '../../../calls/report/index.ts'
import { callProblemTitles, formatPercent, formatValue, metricTitle } from '../../../calls/report/index.ts'
import { count } from '../../../lib/text/count.ts'
import { duration, localMinute } from '../../../lib/text/date-time.ts'
import { shortIds } from '../../../lib/text/did-you-mean.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { formatInterval } from './values.ts'

/** A report as all formats show it. Texts are untrusted. */
export interface ReportView {
  readonly title: string
  /** Sources, period and time zone. */
  readonly subtitle: string
  readonly notes: readonly string[]
  readonly verdicts: readonly ShownVerdict[]
  readonly sections: readonly ReportSection[]
}

export interface ShownVerdict {
  readonly state: 'holds' | 'passes' | 'no-data'
  readonly text: string
  readonly actual: string
}

export type ReportSection = SharesSection | SpreadsSection | TableSection | ListSection

interface SharesSection {
  readonly kind: 'shares'
  readonly title: string
  readonly rows: readonly ShareRow[]
}

export interface ShareRow {
  readonly label: string
  readonly share: number
  readonly count: number
  readonly of: number
  readonly low: number
  readonly high: number
  /** Empty for a large sample. */
  readonly interval: string
}

interface SpreadsSection {
  readonly kind: 'spreads'
  readonly title: string
  readonly rows: readonly SpreadRow[]
}

export interface SpreadRow {
  readonly label: string
  readonly figure: ValuesFigure
}

interface TableSection {
  readonly kind: 'table'
  readonly title: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Line below the table. */
  readonly note?: string
}

interface ListSection {
  readonly kind: 'list'
  readonly title: string
  readonly items: readonly ListItem[]
  /** Items that are not shown. */
  readonly more: number
}

export interface ListItem {
  readonly lead: string
  readonly text: string
  readonly command: string | undefined
  /** Call that it is about; undefined for several. */
  readonly call?: CallFacts
}

export interface ViewOptions {
  readonly sources: readonly string[]
  readonly comparedWith: readonly string[]
  readonly timeZone: string
  /** Items of a list. Of groups, five times as many are shown. */
  readonly maxItems: number
  /** Returns the command that shows a call, which may be named by a unique prefix of its id. */
  commandFor(call: CallFacts): string | undefined
}

interface ListOptions extends ViewOptions {
  shortId(call: CallFacts): string
}

/** Arranges a report. Lists begin with the worst. */
export function viewReport(report: CallsReport, reportOptions: ViewOptions): ReportView {
  const { calls, total, verdicts } = report
  const conditions = new Set(verdicts.map(({ condition }) => condition))
  const ids = shortIds(calls.map(({ call }) => call))
  const prefixOf = ({ call }: CallFacts) => ids.get(call) ?? call
  const options: ListOptions = {
    ...reportOptions,
    shortId: call => oneLine(prefixOf(call)),
    commandFor: call => reportOptions.commandFor({ ...call, call: prefixOf(call) }),
  }
  return {
    title: count(calls.length, 'call'),
    subtitle: [options.sources.join(', '), periodOf(calls), options.timeZone]
      .filter(part => part !== '')
      .join(' · '),
    notes: [timesNote, ...notesOf(report, options)],
    verdicts: [...conditions].flatMap(condition => verdictsOf(condition, verdicts, options)),
    sections: [
      wordsSection('outcome', total),
      wordsSection('ended-by', total),
      sharesSection(total),
      spreadsSection(total),
      toolsSection(total),
      ...dataSections(total),
      changesSection(report),
      groupsSection(report, options),
      slowestSection(report, options),
      problemsSection(report, options),
      questionsSection('Unanswered questions', report.unanswered, report, options),
      questionsSection('Repeated questions', report.repeated, report, options),
    ].filter(section => section !== undefined),
  }
}

const timesNote =
  'Times are based on messages, not audio. The length of a message is estimated from its text.'

function notesOf({ calls, changes }: CallsReport, { comparedWith }: ListOptions): string[] {
  const live = calls.filter(({ outcome }) => outcome === null).length
  const untold = calls.filter(({ answers, replies }) => answers === null && replies.length > 0).length
  return [
    ...(live === 0 ? [] : [`${count(live, 'call has', 'calls have')} not ended.`]),
    ...(untold === 0
      ? []
      : [
          `The events of ${count(untold, 'call')} do not tell when tools ran: replies may be “One moment, please”, and answers are unknown (callyard help metrics).`,
        ]),
    ...(changes === undefined ? [] : [`Compared with ${comparedWith.join(', ')}.`]),
  ]
}

/** Time of day on this machine. */
function periodOf(calls: readonly CallFacts[]): string {
  if (calls.length === 0) return ''
  const times = calls.map(({ at }) => at)
  const [first, last] = [
    times.reduce((least, at) => Math.min(least, at)),
    times.reduce((most, at) => Math.max(most, at)),
  ].map(localMinute)
  return first === last ? (first ?? '') : `${first} to ${last}`
}

/** Verdicts of a condition by group, the failures first. */
function verdictsOf(
  condition: Verdict['condition'],
  verdicts: readonly Verdict[],
  { maxItems }: ListOptions,
): ShownVerdict[] {
  const shownVerdicts = verdicts
    .filter(verdict => verdict.condition === condition)
    .map(showVerdict)
    .sort((one, other) => verdictStates.indexOf(one.state) - verdictStates.indexOf(other.state))
  const visibleVerdicts = shownVerdicts.slice(0, maxItems * groupsPerItem)
  const [next] = shownVerdicts.slice(visibleVerdicts.length)
  if (next === undefined) return visibleVerdicts
  return [...visibleVerdicts, { ...next, actual: moreGroups(shownVerdicts.length - visibleVerdicts.length) }]
}

const verdictStates = ['holds', 'no-data', 'passes'] as const
const groupsPerItem = 5

function moreGroups(number: number): string {
  return `… and ${count(number, 'more group')}; --json lists all`
}

function showVerdict({ condition, group, value, limit, holds }: Verdict): ShownVerdict {
  const { figure, by, unit } = condition
  const where = by === undefined ? '' : ` (${by} ${group ?? 'unknown'})`
  const actual =
    value === undefined
      ? `no data for ${figure.metric}`
      : limit === undefined
        ? 'no data in the baseline'
        : formatValue(value, unit) +
          (condition.limit.kind === 'baseline' ? `, limit ${formatValue(limit, unit)}` : '')
  const isKnown = value !== undefined && limit !== undefined
  return {
    state: !isKnown ? 'no-data' : holds ? 'holds' : 'passes',
    text: condition.text,
    actual: `${actual}${where}`,
  }
}

/** Words of a metric that are shown. */
const maxWords = 8

function wordsSection(name: string, { metrics }: Figures): ReportSection | undefined {
  const figure = metrics.get(name)
  if (figure?.kind !== 'words') return undefined
  return {
    kind: 'shares',
    title: `${metricTitle(name)}, ${count(figure.of, 'call')}`,
    rows: wordRows(figure),
  }
}

function wordRows({ words, of }: Extract<Figure, { kind: 'words' }>): ShareRow[] {
  const visibleWords = words.length > maxWords ? words.slice(0, maxWords - 1) : words
  const others = words.slice(visibleWords.length).reduce((sum, wordShare) => sum + wordShare.count, 0)
  return [
    ...visibleWords.map(({ word, ...share }) => shareRow(labelOf(word), { ...share, of })),
    ...(others === 0
      ? []
      : [
          {
            label: `${words.length - visibleWords.length} others`,
            share: others / of,
            count: others,
            of,
            low: others / of,
            high: others / of,
            interval: '',
          },
        ]),
  ]
}

/** A row without a label looks like part of the row above. */
function labelOf(word: string): string {
  return word.trim() === '' ? '(empty)' : word
}

function shareRow(label: string, figure: Omit<Extract<Figure, { kind: 'share' }>, 'kind'>): ShareRow {
  const { share, count: hits, of, low, high } = figure
  return { label, share, count: hits, of, low, high, interval: formatInterval(figure, 'share', of) }
}

function sharesSection({ metrics }: Figures): ReportSection | undefined {
  const rows = [...metrics].flatMap(([name, figure]) =>
    figure.kind === 'share' && !name.includes('.') ? [shareRow(metricTitle(name), figure)] : [],
  )
  return rows.length === 0 ? undefined : { kind: 'shares', title: 'Shares of calls', rows }
}

function spreadsSection({ metrics }: Figures): ReportSection | undefined {
  const rows = [...metrics].flatMap(([name, figure]) =>
    figure.kind === 'values' && !name.includes('.') ? [{ label: metricTitle(name), figure }] : [],
  )
  return rows.length === 0 ? undefined : { kind: 'spreads', title: 'Distributions', rows }
}

function toolsSection({ metrics }: Figures): ReportSection | undefined {
  const tools = metrics.get('tools')
  if (tools?.kind !== 'words') return undefined
  const rows = tools.words.map(({ word, count: uses }) => {
    const failed = metrics.get(`tool-failed.${word}`)
    const time = metrics.get(`tool.${word}`)
    return [
      labelOf(word),
      String(uses),
      failed?.kind === 'share' ? `${failed.count} (${formatPercent(failed.share)})` : '',
      ...(time?.kind === 'values'
        ? [time.p50, time.p95, time.max].map(ms => formatValue(ms, 'ms'))
        : ['', '', '']),
    ]
  })
  return { kind: 'table', title: 'Tools', heads: ['tool', 'calls', 'failed', 'p50', 'p95', 'max'], rows }
}

function dataSections({ metrics }: Figures): ReportSection[] {
  const data = [...metrics].filter(([name]) => name.startsWith('data.'))
  const spreads = data.flatMap(([name, figure]) =>
    figure.kind === 'values' ? [{ label: name.slice('data.'.length), figure }] : [],
  )
  return [
    ...(spreads.length === 0
      ? []
      : [{ kind: 'spreads' as const, title: 'Structured data, numbers', rows: spreads }]),
    ...data.flatMap(([name, figure]) =>
      figure.kind === 'words'
        ? [
            {
              kind: 'shares' as const,
              title: `Structured data, ${name.slice('data.'.length)}`,
              rows: wordRows(figure),
            },
          ]
        : [],
    ),
  ]
}

function changesSection({ changes }: CallsReport): ReportSection | undefined {
  if (changes === undefined) return undefined
  const visibleChanges = changes
    .filter(({ isBeyond }) => isBeyond)
    .sort((one, other) => markWords.indexOf(markOf(one)) - markWords.indexOf(markOf(other)))
  return {
    kind: 'table',
    title: 'Comparison',
    heads: ['figure', 'before', 'after', 'difference', ''],
    rows: visibleChanges.map(change => {
      const { before, after, unit, difference, metric, word, statistic } = change
      return [
        `${metricTitle(metric)} ${word ?? (statistic === 'share' ? '' : statistic)}`.trim(),
        formatValue(before.value, unit),
        formatValue(after.value, unit),
        `${signed(difference.low, unit)} to ${signed(difference.high, unit)}`,
        markOf(change),
      ]
    }),
    note: changesNote(visibleChanges.length, changes.length),
  }
}

function changesNote(visibleCount: number, total: number): string {
  if (total === 0) return 'No figure has data on both sides.'
  return visibleCount === 0
    ? `No differences beyond chance in ${count(total, 'figure')}.`
    : `${count(total - visibleCount, 'other difference is', 'other differences are')} within chance.`
}

const markWords = ['✕ worse', '✓ better', '≠ differs'] as const

function markOf({ isWorse }: FigureChange): (typeof markWords)[number] {
  return markWords[isWorse === undefined ? 2 : isWorse ? 0 : 1]
}

function signed(value: number, unit: FigureChange['unit']): string {
  return `${value < 0 ? '-' : '+'}${formatValue(Math.abs(value), unit)}`
}

function groupsSection({ by, groups }: CallsReport, { maxItems }: ListOptions): ReportSection | undefined {
  if (by === undefined) return undefined
  const visibleGroups = groups.slice(0, maxItems * groupsPerItem)
  return {
    kind: 'table',
    title: `By ${by}`,
    heads: [by, 'calls', 'duration p50', 'reply p95', 'answer p95', 'success', 'unanswered'],
    ...(visibleGroups.length < groups.length && { note: moreGroups(groups.length - visibleGroups.length) }),
    rows: visibleGroups.map(({ name, figures }) => [
      name === null ? 'unknown' : labelOf(name),
      String(figures.calls),
      percentileCell(figures, 'duration', 'p50'),
      percentileCell(figures, 'reply', 'p95'),
      percentileCell(figures, 'answer', 'p95'),
      shareCell(figures, 'success'),
      shareCell(figures, 'unanswered'),
    ]),
  }
}

function percentileCell({ metrics }: Figures, name: string, percentile: 'p50' | 'p95'): string {
  const figure = metrics.get(name)
  return figure?.kind === 'values' ? formatValue(figure[percentile], figure.unit) : ''
}

function shareCell({ metrics }: Figures, name: string): string {
  const figure = metrics.get(name)
  return figure?.kind === 'share' ? formatPercent(figure.share) : ''
}

function slowestSection({ slowest }: CallsReport, options: ListOptions): ReportSection | undefined {
  const items = slowest.slice(0, options.maxItems).flatMap(call =>
    call.slowest === null
      ? []
      : [
          {
            lead: formatValue(call.slowest.ms, 'ms'),
            text: `${call.slowest.kind === 'reply' ? 'reply ' : ''}at ${duration(call.slowest.at)} in ${options.shortId(call)}, after “${call.slowest.after}”`,
            command: options.commandFor(call),
            call,
          },
        ],
  )
  return listSection('Slowest answers', items, slowest.length)
}

function problemsSection({ problems }: CallsReport, options: ListOptions): ReportSection | undefined {
  const items = problems.slice(0, options.maxItems).map(({ call, problems: callProblems }) => ({
    lead: options.shortId(call),
    text: callProblems.map(problem => callProblemTitles[problem]).join(', '),
    command: options.commandFor(call),
    call,
  }))
  return listSection('Calls to review', items, problems.length)
}

function questionsSection(
  title: string,
  questions: CallsReport['unanswered'],
  { calls }: CallsReport,
  options: ListOptions,
): ReportSection | undefined {
  if (questions.length === 0) return undefined
  const items = questions.slice(0, options.maxItems).map(({ question, count: times, calls: [first] }) => {
    const call = calls.find(candidate => candidate.call === first)
    return { lead: `${times} ×`, text: question, command: call && options.commandFor(call) }
  })
  return listSection(title, items, questions.length)
}

function listSection(title: string, items: readonly ListItem[], total: number): ReportSection | undefined {
  return items.length === 0 ? undefined : { kind: 'list', title, items, more: total - items.length }
}
