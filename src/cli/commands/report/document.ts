import type { CallFacts, CallsReport, Figures } from '../../../calls/report/index.ts'
import type { ViewOptions } from '../../shell/call-report/view.ts'

interface DocumentOptions extends Pick<ViewOptions, 'comparedWith' | 'timeZone'> {
  readonly sources: readonly { readonly kind: string; readonly name: string }[]
  /** Milliseconds since the epoch. */
  readonly since: number | undefined
  commandFor(call: CallFacts): string | undefined
}

/** Words, calls and questions of a list. */
const maxListed = 100

/** Returns a report as `--json` prints it. */
export function reportDocument(report: CallsReport, options: DocumentOptions) {
  const { calls, total, baseline, by, groups, changes, verdicts, slowest, problems } = report
  const { sources, comparedWith, timeZone, since, commandFor } = options
  const times = calls.map(({ at }) => at)
  const at = (pick: (one: number, other: number) => number) =>
    times.length === 0 ? null : new Date(times.reduce((one, other) => pick(one, other))).toISOString()
  const commandOf = (call: CallFacts) => commandFor(call) ?? null
  return {
    version: 1 as const,
    sources: sources.map(({ kind, name }) => ({ kind, name })),
    since: since === undefined ? null : new Date(since).toISOString(),
    timeZone,
    times: 'messages' as const,
    firstAt: at(Math.min),
    lastAt: at(Math.max),
    ...toFigures(total),
    by: by ?? null,
    groups: groups.map(({ name, figures }) => ({ name, ...toFigures(figures) })),
    baseline: baseline === undefined ? null : { sources: comparedWith, ...toFigures(baseline) },
    changes: changes ?? null,
    conditions: verdicts.map(({ condition, group, value, limit, holds }) => ({
      condition: condition.text,
      ...(group === undefined ? {} : { group }),
      value: value ?? null,
      limit: limit ?? null,
      holds,
    })),
    slowest: slowest.slice(0, maxListed).flatMap(call => {
      const { slowest: reply } = call
      return reply === null ? [] : [{ call: call.call, ...reply, command: commandOf(call) }]
    }),
    problems: problems.slice(0, maxListed).map(({ call, problems: found }) => ({
      call: call.call,
      problems: found,
      command: commandOf(call),
    })),
    unanswered: report.unanswered.slice(0, maxListed).map(toQuestion),
    repeated: report.repeated.slice(0, maxListed).map(toQuestion),
  }
}

function toFigures({ calls, metrics }: Figures) {
  return {
    calls,
    metrics: Object.fromEntries(
      Array.from(metrics, ([name, figure]) => {
        if (figure.kind === 'words') return [name, { ...figure, words: figure.words.slice(0, maxListed) }]
        if (figure.kind === 'share') return [name, figure]
        const { sorted: _, ...rest } = figure
        return [name, rest]
      }),
    ),
  }
}

function toQuestion({ question, count, calls }: CallsReport['unanswered'][number]) {
  return { question, count, calls: calls.slice(0, maxListed) }
}
