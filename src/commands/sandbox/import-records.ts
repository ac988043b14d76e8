import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { bold, text } from '../../lib/text/text.ts'
import { openHeldRecords, type RecordsAccess } from './held-records.ts'
import type { ImportOptions } from './import.ts'
import { contentOf, readSnapshotFile, shownName } from './snapshot-file.ts'

/**
 * `sandbox import`: the records of a snapshot in the place of those that are there. A person is asked where there are some.
 * @throws CallwrightError `invalid` for what is no snapshot; then nothing changed
 */
export async function importRecords(
  { file, data, force = false }: ImportOptions,
  context: Context,
): Promise<void> {
  const { output } = context
  const snapshot = await readSnapshotFile(file, context)
  const records = await openHeldRecords({ data, mayCreate: true }, context)
  try {
    if (!force) await agreeToReplace(records, context)
    await records.restore(snapshot, file)
    const now = await records.snapshot()
    output.result({ file, into: records.from, entries: now.entries.length }, () => {
      return text`Read ${bold(shownName(file))} into ${records.from}: ${contentOf(now)}`
    })
  } finally {
    await records.close()
  }
}

async function agreeToReplace(records: RecordsAccess, { prompts }: Context): Promise<void> {
  const there = await records.snapshot()
  if (there.entries.length === 0) return
  const content = contentOf(there)
  if (!prompts.available) {
    throw new CallwrightError('usage', `${records.from} holds ${content}`, {
      hint: '--force replaces them; callwright sandbox export keeps them',
    })
  }
  const message = `Replace ${content} of ${records.from}?`
  if (await prompts.confirm({ message, flag: '--force', default: false })) return
  throw new CallwrightError('cancelled', 'cancelled; nothing was replaced')
}
