import type { Command } from '@commander-js/extra-typings'
import { resultsDocument, resultsOf, resultsOfLog } from '../../../calls/batch/status/index.ts'
import { count } from '../../../lib/text/count.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { forceFlag, type OptionsOf } from '../../shell/flags/flag.ts'
import { outFilesIn, outFlag } from '../../shell/flags/out-flag.ts'
import { assertNoInputs } from '../../shell/out-file.ts'
import { writeDocument } from '../document-format.ts'
import { queueNeeds, withKnownBatchFlags } from './flags.ts'
import { loadBatch } from './load-batch.ts'
import { withQueue } from './open-queue.ts'

export const batchExportCommand = defineCommand({
  description: 'Write what became of each person of a batch as CSV',
  summary: 'Write the results of a batch as CSV',
  examples: ['callyard batch export reminders --out reminders.results.csv'],
  topics: ['batches'],
  effect: 'none',
  flags: withFlags,
  needs: { out: ['force'], ...queueNeeds },
  async result({ z, required }) {
    const { personResultSchema } = await import('../../../calls/batch/status/index.ts')
    return {
      document: z.union([
        z.object({ results: z.array(personResultSchema) }),
        z.object({ file: required(z.string(), 'With --out: the file that was written'), people: z.int() }),
      ]),
    }
  },
  run: exportResults,
})

function withFlags(command: Command) {
  return withKnownBatchFlags(command)
    .addOption(outFlag('Write a new file (.csv)', ['csv']))
    .addOption(forceFlag('Overwrite the file of --out'))
}

async function exportResults(
  options: OptionsOf<typeof withFlags>,
  context: Context,
  [batchArg]: [string],
): Promise<void> {
  const results =
    options.queue === undefined
      ? await readResults(batchArg, options, context)
      : await withQueue(batchArg, options, context, async ({ journal }) => resultsOfLog(journal.state))
  const { out, force = false } = options
  if (out === undefined) return context.output.result({ results }, () => resultsDocument(results))
  const { file } = out
  await writeDocument(file, resultsDocument(results), { format: 'csv', force }, context)
  context.output.result(
    { file, people: results.length },
    () => text`Wrote ${bold(file)}: ${count(results.length, 'person', 'people')}`,
  )
}

async function readResults(batchArg: string, options: OptionsOf<typeof withFlags>, context: Context) {
  const { opened, planned } = await loadBatch(batchArg, options, context, { isReport: true })
  const inputs = [opened.path, ...planned.lists.map(({ table }) => table.file)]
  await assertNoInputs(outFilesIn(options.out), inputs, context)
  return resultsOf(opened, planned)
}
