import type { Command } from '@commander-js/extra-typings'
import { type BatchState, type Person, readBatchState, statusOf } from '../../../batch/index.ts'
import { defineCommand } from '../../../cli/cli-command.ts'
import type { Context } from '../../../cli/context.ts'
import type { OptionsOf } from '../../../cli/flags/flag.ts'
import { writePrivateFile } from '../../../lib/fs/private-file.ts'
import { count } from '../../../lib/text/count.ts'
import { csvDocument } from '../../../lib/text/csv.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { withBatchFlags } from './flags.ts'
import { openKnownBatch } from './progress.ts'

export const callBatchExportCommand = defineCommand({
  description: 'Write what became of each person of a batch as CSV',
  summary: 'Write the results of a batch as CSV',
  examples: ['callwright call batch export reminders --out reminders.results.csv'],
  topics: ['batches'],
  flags: withFlags,
  needs: { out: ['force'] },
  result: async () => (await import('../results.ts')).callBatchExportResult,
  run: exportResults,
})

function withFlags(command: Command) {
  return withBatchFlags(command)
    .option('--out <file>', 'Write to a new file (mode 0600)')
    .option('--force', 'Overwrite the file of --out')
}

async function exportResults(
  options: OptionsOf<typeof withFlags>,
  context: Context,
  [asked]: [string],
): Promise<void> {
  const { opened, planned } = await openKnownBatch(asked, options, context)
  const state = await readBatchState(opened.stateFolder)
  const results = planned.people.map(person => resultOf(person, state))
  const { out, force = false } = options
  const document = csvDocument([
    columns,
    ...results.map(result => columns.map(column => result[column] ?? '')),
  ])
  if (out === undefined) return context.output.result({ results }, () => document)
  // Byte order mark: without it Excel reads Windows-1252.
  await writePrivateFile(out, `\ufeff${document}\n`, { force }, context)
  context.output.result(
    { file: out, people: results.length },
    () => text`Wrote ${bold(out)}: ${count(results.length, 'person', 'people')}`,
  )
}

const columns = ['id', 'number', 'status', 'at', 'call', 'from', 'reason', 'consent', 'list', 'line'] as const

function resultOf(
  person: Person,
  state: BatchState,
): Readonly<Record<(typeof columns)[number], string | null>> {
  const { id, numbers, list, row } = person
  const attempts = state.attempts.get(id) ?? []
  const last = attempts.at(-1)
  const { table, map } = list
  const consent = map.consent === undefined ? null : (table.rows[row]?.cells[map.consent] ?? null)
  const line = table.positionOf(row)?.line
  return {
    id,
    number: last?.number ?? numbers[0] ?? null,
    status: statusOf(person, state),
    at: last?.at ?? null,
    call: last?.call ?? null,
    from: last?.from ?? null,
    reason: last?.reason ?? null,
    consent,
    list: table.file,
    line: line === undefined ? null : String(line),
  }
}
