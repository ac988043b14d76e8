import type { Context } from '../../cli/context.ts'
import { bold, text } from '../../lib/text/text.ts'
import type { ExportOptions } from './export.ts'
import { openHeldRecords } from './held-records.ts'
import { assertWritable, contentOf, snapshotText, writeSnapshotFile } from './snapshot-file.ts'

/** `sandbox export`: the records as a snapshot, without a key. */
export async function exportRecords(
  { file, data, force = false }: ExportOptions,
  context: Context,
): Promise<void> {
  const { output } = context
  if (file !== '-') await assertWritable(file, { force }, context)
  const records = await openHeldRecords({ data, mayCreate: false }, context)
  try {
    const snapshot = await records.snapshot()
    if (file === '-') return output.raw(snapshotText(snapshot))
    await writeSnapshotFile(file, snapshot, { force }, context)
    const content = contentOf(snapshot)
    output.result({ file, from: records.from, entries: snapshot.entries.length }, () => {
      return text`Wrote ${bold(file)}: ${content} of ${records.from}`
    })
  } finally {
    await records.close()
  }
}
