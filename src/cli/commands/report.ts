import { type Command, Option } from '@commander-js/extra-typings'
import { buildReport, type CallsReport, reportDocument } from '../../calls/report/document/index.ts'
import { type CallFacts, groupings } from '../../calls/report/index.ts'
import { loadTimelineStyle, type TranscriptFormat } from '../../events/transcript/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { assertWritable } from '../../lib/fs/private-file.ts'
import { count, listed } from '../../lib/text/count.ts'
import { localDateTime, localTimeZone } from '../../lib/text/date-time.ts'
import { bold, type Text, text } from '../../lib/text/text.ts'
import { suggest } from '../shell/advice.ts'
import type { ViewOptions } from '../shell/call-figures/view.ts'
import { defineCommand } from '../shell/cli-command.ts'
import type { Context } from '../shell/context.ts'
import { Flag, type OptionsOf } from '../shell/flags/flag.ts'
import { collect, parseSince, sinceTime } from '../shell/flags/option-parsers.ts'
import { chooseFormat, fileWidth, withDocumentFlags, writeDocument } from './document-format.ts'
import { assertNoneHolds, readConditions } from './report/conditions.ts'
import { type ReadCalls, readCalls } from './report/read-sources.ts'

export const reportCommand = defineCommand({
  description: 'Print figures and charts about calls',
  examples: [
    'callyard report calls.ndjson --out calls.html',
    'callyard report calls.ndjson --by assistant --compare last-week.ndjson',
    "callyard report --batch reminders --fail 'share(no-answer) > 0.4' --fail 'p95(reply) > 3s'",
  ],
  topics: ['metrics'],
  effect: 'none',
  flags: withFlags,
  needs: { out: ['force'] },
  result: async ({ z, required }) => ({
    document: z.union([
      (await import('../../calls/report/document/index.ts')).reportDocumentSchema,
      z.object({
        file: required(z.string(), 'With --out: the file that was written'),
        format: z.string(),
        calls: z.int(),
      }),
    ]),
  }),
  run: async (options, context, [recordings]) => report(recordings, options, context),
})

function withFlags(command: Command) {
  const filtered = command
    .argument('[recordings...]', 'Recordings made by webhook tail --record (- for stdin)')
    .option('--batch <name>', 'Report on the calls of a batch')
    .option('--log', 'Report on the calls placed from this machine')
    .option('--sandbox', 'Report on the calls of the running sandbox')
    .option(
      '--since <time>',
      'Only calls that began within this age (2h, 7d), or since a day or time',
      parseSince,
    )
    .addOption(new Option('--by <group>', 'Also show the figures of each group').choices(groupings))
    .addOption(new Flag('--compare <recording>', 'Compare with the calls of a recording').repeatable(collect))
    .addOption(
      new Flag('--fail <condition>', 'Exit with 8 if a condition holds, such as p95(reply) > 3s').repeatable(
        collect,
      ),
    )
  return withDocumentFlags(filtered)
}

type ReportOptions = OptionsOf<typeof withFlags>

async function report(
  recordings: readonly string[],
  options: ReportOptions,
  context: Context,
): Promise<void> {
  const { output } = context
  const { out, force = false, by, compare = [] } = options
  const format = chooseFormat(options, output)
  const conditions = readConditions(options.fail ?? [], { hasBaseline: compare.length > 0 })
  if (out !== undefined) await assertWritable(out.file, { force }, context)
  const since = options.since && sinceTime(options.since, context.clock.now())
  const allCalls = await readCalls(recordings, options, { withLanes: format === 'html' }, context)
  assertSomeCalls(allCalls)
  const read = withSince(allCalls, since)
  if (since !== undefined && read.calls.length === 0) throw noneSince(since, allCalls.calls)
  const baseline = compare.length === 0 ? undefined : await readCalls(compare, {}, {}, context)
  if (baseline !== undefined) assertSomeCalls(baseline)
  const result = buildReport({ calls: read.calls, baseline: baseline?.calls, by, conditions })
  const commandFor = ({ source, call }: CallFacts) => read.sources[source]?.commandFor(call)
  const renderOptions = { timeZone: localTimeZone(), commandFor }
  const document = () =>
    reportDocument(result, { ...renderOptions, sources: read.sources, comparedWith: compare, since })
  const render = (width: number) =>
    renderReport(result, format, width, {
      ...renderOptions,
      sources: [...new Set(read.sources.map(({ name }) => name))],
      comparedWith: compare,
      document,
    })
  if (out === undefined) {
    const rendered = await render(output.width)
    output.result(document(), () => rendered)
  } else {
    const { file } = out
    await writeDocument(file, await render(fileWidth), { format, force }, context)
    output.result({ file, format, calls: read.calls.length }, () => {
      return text`Wrote ${bold(file)}: ${count(read.calls.length, 'call')} as ${format}`
    })
  }
  assertNoneHolds(result.verdicts)
}

function withSince({ calls, sources }: ReadCalls, since: number | undefined): ReadCalls {
  return { sources, calls: since === undefined ? calls : calls.filter(({ at }) => at >= since) }
}

/** @throws CallyardError `invalid` without any call */
function assertSomeCalls({ calls, sources }: ReadCalls): void {
  if (calls.length > 0) return
  const names = [...new Set(sources.map(({ name }) => name))]
  throw new CallyardError('invalid', `no calls in ${listed(names)}`, {
    ...(sources.some(({ kind }) => kind === 'recording')
      ? suggest`record some: ${['webhook', 'tail', '--record', '<file>']}`
      : { hint: 'place a call first' }),
  })
}

function noneSince(since: number, calls: readonly CallFacts[]): CallyardError {
  const last = calls.reduce((latest, { at }) => Math.max(latest, at), Number.NEGATIVE_INFINITY)
  return new CallyardError('invalid', `no calls since ${localDateTime(since)}`, {
    hint: `the last call began at ${localDateTime(last)}; pass an earlier --since`,
  })
}

type RenderOptions = Omit<ViewOptions, 'maxItems'> & { document(): unknown }

/** Items of a list, on a terminal and in a file. */
const maxItems = { text: 5, markdown: 10, html: 20 } as const

async function renderReport(
  report: CallsReport,
  format: TranscriptFormat,
  width: number,
  { document, ...options }: RenderOptions,
): Promise<Text> {
  if (format === 'json') return JSON.stringify(document(), null, 2)
  if (format === 'csv')
    return (await import('../shell/call-figures/csv.ts')).reportCsv(report.calls, report.problems)
  const { viewReport } = await import('../shell/call-figures/view.ts')
  const view = viewReport(report, { ...options, maxItems: maxItems[format] })
  if (format === 'markdown') return (await import('../shell/call-figures/markdown.ts')).reportMarkdown(view)
  if (format === 'html') {
    const { reportPage } = await import('../shell/call-figures/html.ts')
    const { loadSectionsStyle } = await import('../shell/call-figures/sections.ts')
    const style = (await loadTimelineStyle()) + (await loadSectionsStyle())
    return reportPage(view, report, { style, commandFor: options.commandFor })
  }
  return (await import('../shell/call-figures/text.ts')).reportText(view, width)
}
