import { CallyardError } from '../../../lib/error.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, yesFlag } from '../../shell/flags/flag.ts'
import { agreeToSnapshot } from './agree-to-records.ts'
import { dataHints } from './flags.ts'
import { openSandboxRecords, type RecordsAccess } from './records.ts'
import { describeContent, readSnapshotFile, shownName } from './snapshot-file.ts'

export const sandboxImportCommand = defineCommand({
  description: 'Replace the records of a sandbox with those in a file',
  examples: [
    'callyard sandbox import desk.snapshot.json',
    'callyard sandbox import desk.snapshot.json --yes',
  ],
  topics: ['sandbox-records'],
  effect: 'changes',
  flags: command =>
    command
      .argument('<file>', 'Snapshot to read (- for stdin)')
      .addOption(new Flag('--data <file>', 'Records file of a stopped sandbox').helpsWith(dataHints()))
      .addOption(yesFlag('Replace existing records without confirmation')),
  result: ({ z, required }) => ({
    document: z.object({
      file: required(z.string(), 'Snapshot; - for stdin or stdout'),
      into: required(z.string(), 'Sandbox or file of records'),
      entries: required(z.int(), 'Number of records'),
    }),
  }),
  /**
   * `sandbox import`: replaces the records with those of a snapshot, after confirmation if there are any.
   * @throws CallyardError `invalid` if it is not a snapshot; nothing changes then
   */
  async run({ data, yes = false }, context, [file]) {
    const snapshot = await readSnapshotFile(file, context)
    await agreeToSnapshot(file, snapshot, context)
    const records = await openSandboxRecords({ data, mayCreate: true }, context)
    try {
      if (!yes) await agreeToReplace(records, context)
      await records.restore(snapshot, file)
      const now = await records.snapshot()
      context.output.result({ file, into: records.from, entries: now.entries.length }, () => {
        return text`Read ${bold(shownName(file))} into ${records.from}: ${describeContent(now.entries)}`
      })
    } finally {
      await records.close()
    }
  },
})

async function agreeToReplace(records: RecordsAccess, { prompts }: Context): Promise<void> {
  const existing = await records.snapshot()
  if (existing.entries.length === 0) return
  const content = describeContent(existing.entries)
  if (!prompts.available) {
    throw new CallyardError('usage', `${records.from} holds ${content}`, {
      hint: 'pass --yes to replace them',
    })
  }
  const message = `Replace ${content} of ${records.from}?`
  if (await prompts.confirm({ message, flag: '--yes' })) return
  throw new CallyardError('cancelled', 'cancelled; nothing was replaced')
}
