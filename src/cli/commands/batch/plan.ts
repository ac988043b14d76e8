import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import {
  type BatchPlanDocument,
  batchPlanDocument,
  type OpenBatch,
  openBatch,
  planBatch,
  sendersOf,
} from '../../../calls/batch/index.ts'
import { assertResults } from '../../../calls/batch/status/index.ts'
import { isOnThisMachine } from '../../../calls/place/index.ts'
import { settingsNeedingOutcomes } from '../../../files/formats/batch.ts'
import { InvalidInput } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count, countsText } from '../../../lib/text/count.ts'
import { roughDuration } from '../../../lib/text/date-time.ts'
import { toJsonDocument } from '../../../lib/text/escape.ts'
import { hang, plain } from '../../../lib/text/layout.ts'
import { type TableColumn, table } from '../../../lib/text/table.ts'
import { bold, dim, join, type Text, text, whole } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { printWarnings, showWarnings } from '../warnings.ts'
import { settingsOf, withBatchFlags } from './flags.ts'
import { warningsAt } from './warnings.ts'

export const batchPlanCommand = defineCommand({
  description: 'Check every row of a list, and print who would be called when',
  summary: 'Check a list without calling anybody',
  examples: [
    'callyard batch plan batches/reminders.yaml',
    'callyard batch plan contacts.csv --from +12025550100 --assistant front-desk',
  ],
  topics: ['batches'],
  effect: 'none',
  flags: withFlags,
  result: async () => ({ document: (await import('../../../calls/batch/plan-schema.ts')).batchPlanSchema }),
  run: async (options, context, [batch]) => plan(batch, options, context),
})

function withFlags(command: Command) {
  return withBatchFlags(command).option('--exit-code', 'Exit with 7 if people would be called')
}

/** `batch plan`: sends nothing and writes nothing. */
async function plan(batchArg: string, options: OptionsOf<typeof withFlags>, context: Context): Promise<void> {
  const { output, clock } = context
  const opened = await openBatch(
    batchArg,
    settingsOf(options, context),
    { ...options, checksProgram: true },
    context,
  )
  showWarnings(opened.warnings, context)
  if (opened.assistant !== undefined) printWarnings(opened.assistant.diagnostics, context)
  const planned = planBatch({ ...opened, now: clock.now() })
  const problems = [...opened.problems, ...planned.problems]
  if (problems.length > 0) throw new InvalidInput(problems, 'nobody can be called')
  const { results } = opened.batch
  if (results !== undefined) await assertResults(resolve(opened.baseFolder, results))
  // Whether it is a sandbox is only known after asking it, which `run` does.
  const warnings = warningsAt(planned.warnings, { isSandbox: await isOnThisMachine(context) })
  const findings = context.withFindingHints([...warnings, ...planned.findings.diagnostics])
  if (!output.json) output.findings(findings, { max: maxPrinted, counts: planned.findings.counts })
  output.annotate(findings)
  const document = batchPlanDocument(opened, planned, findings)
  output.result(document, () => planText(document, opened, clock.now(), output.width))
  const { invalid } = planned.skipped
  if (invalid > 0) {
    throw new CallyardError('partial', `${count(invalid, 'row')} of ${planned.rows} cannot be called`, {
      hint: `correct the rows in the list${planned.people.length > 0 ? '; the others can be called' : ''}`,
      details: { invalid },
    })
  }
  if (options.exitCode === true && planned.people.length > 0)
    throw new CallyardError('pending', `${count(planned.people.length, 'person', 'people')} would be called`)
}

/** Findings of a code that are printed; --json has more. */
const maxPrinted = 5

function planText(
  document: BatchPlanDocument,
  { batch, assistant, file }: OpenBatch,
  now: number,
  width: number,
): Text {
  const { people, rows, skipped, calls, leastSeconds, until, lists, zones, example } = document
  const { called, callbacks, minutes } = document
  const needed = settingsNeedingOutcomes(batch)
  const senders = sendersOf(batch)
  const callsText =
    calls.first === calls.most ? `${calls.first}` : `${calls.first} to ${calls.most}, with all attempts`
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['batch', `${document.batch} (${file})`],
    ['assistant', assistant?.label ?? 'the default assistant of the number'],
    ['from', senders.map(({ number }) => number).join(', ')],
    ['rows', `${rows} in ${lists.map(list => list.file).join(', ')}`],
    ['columns', lists.map(columnsText).join('; ')],
    [
      'skipped',
      countsText([
        [skipped.invalid, 'invalid'],
        [skipped.duplicate, 'duplicate'],
        [skipped.doNotCall, 'not to be called'],
      ]) || undefined,
    ],
    ['people', called === 0 ? `${people} to call` : `${people}, of whom ${called} were called`],
    ['calls', callsText],
    ['minutes', minutesText(minutes)],
    ['check', batch.check],
    ['callbacks', callbacksText(callbacks, now)],
    ['events', needed.length === 0 ? undefined : `run needs --follow or --events, for ${needed.join(', ')}`],
    [
      'time',
      leastSeconds === null ? undefined : `at least ${roughDuration(leastSeconds.first)} at ${batch.rate}`,
    ],
    [
      'until',
      until === null ? undefined : `${batch.until}, in ${roughDuration((Date.parse(until) - now) / 1000)}`,
    ],
  ]
  const lines = facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [hang(text`${dim(name.padEnd(nameWidth))}  `, nameWidth + 2, value, width, plain)],
  )
  const isWindowed = batch.window !== undefined && zones.length > 0
  return join(
    [
      join(lines),
      ...(isWindowed ? [table(zones, zoneColumns(zones, now), width)] : []),
      ...(example === null
        ? [dim('Nobody would be called.')]
        : [
            text`${bold(`First request: ${example.method} ${example.path}`)}\n${whole(toJsonDocument(example.body))}`,
          ]),
    ],
    '\n\n',
  )
}

const nameWidth = 'assistant'.length

function minutesText({ expected, most }: BatchPlanDocument['minutes']): string | undefined {
  const parts = [
    ...(expected === null ? [] : [`about ${expected}, as the calls so far`]),
    ...(most === null ? [] : [`at most ${most}`]),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

function callbacksText(callbacks: BatchPlanDocument['callbacks'], now: number): string | undefined {
  const [first] = callbacks
  if (first === undefined) return undefined
  const wait = Math.max(0, Date.parse(first.at) - now) / 1000
  return `${count(callbacks.length, 'person', 'people')} asked to be called back, the first in ${roughDuration(wait)}`
}

function columnsText({
  to,
  name,
  timezone,
  id,
  consent,
  doNotCall,
  variables,
}: BatchPlanDocument['lists'][number]): string {
  const uses = [
    ['to', to.join(', ')],
    ['name', name],
    ['timezone', timezone],
    ['id', id],
    ['consent', consent.join(', ') || null],
    ['do not call', doNotCall.join(', ') || null],
    ['variables', variables.join(', ') || null],
  ] as const
  return uses
    .flatMap(([use, column]) => (column === null ? [] : [use === column ? use : `${use}: ${column}`]))
    .join(', ')
}

type Zone = BatchPlanDocument['zones'][number]

function zoneColumns(zones: readonly Zone[], now: number): TableColumn<Zone>[] {
  return [
    { heading: 'time zone', cell: ({ zone }) => zone, min: 12, cut: 'beginning' },
    { heading: 'people', cell: ({ people }) => String(people), min: 6, align: 'right' },
    {
      heading: 'opens, by its clock',
      cell: ({ opensAt, zone }) => (Date.parse(opensAt) <= now ? 'now' : formatTime(opensAt, zone)),
      min: 16,
    },
    ...(zones.every(({ openSeconds }) => openSeconds === null)
      ? []
      : [
          {
            heading: 'open before the end',
            cell: ({ openSeconds }: Zone) => (openSeconds === null ? '' : roughDuration(openSeconds)),
            min: 8,
            leaveOut: 1,
          },
        ]),
  ]
}

/** `2026-01-02 09:30` in a time zone; Swedish writes it so. */
function formatTime(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(
    Date.parse(at),
  )
}
