import { assertWritable, writePrivateFile } from '../../../lib/fs/private-file.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Flag, forceFlag } from '../../shell/flags/flag.ts'
import { dataHints } from './flags.ts'
import { openSandboxRecords } from './records.ts'
import { describeContent, snapshotText } from './snapshot-file.ts'

export const sandboxExportCommand = defineCommand({
  description: 'Export the records of a sandbox to a file',
  examples: ['callyard sandbox export desk.snapshot.json', 'callyard sandbox export - | jq .entries'],
  topics: ['sandbox-records'],
  effect: 'none',
  flags: command =>
    command
      .argument('<file>', 'File to write (- for stdout)')
      .addOption(new Flag('--data <file>', 'Records file of a stopped sandbox').helpsWith(dataHints()))
      .addOption(forceFlag('Overwrite existing files')),
  result: ({ z, required }) => ({
    document: z.object({
      file: required(z.string(), 'Snapshot; - for stdin or stdout'),
      from: required(z.string(), 'Sandbox or file of records'),
      entries: required(z.int(), 'Number of records'),
    }),
  }),
  /** `sandbox export`: the records as a snapshot, without a key. */
  async run({ data, force = false }, context, [file]) {
    const { output } = context
    if (file !== '-') await assertWritable(file, { force }, context)
    const records = await openSandboxRecords({ data, mayCreate: false }, context)
    try {
      const snapshot = await records.snapshot()
      if (file === '-') return output.data(snapshotText(snapshot))
      await writePrivateFile(file, snapshotText(snapshot), { force }, context)
      output.result({ file, from: records.from, entries: snapshot.entries.length }, () => {
        return text`Wrote ${bold(file)}: ${describeContent(snapshot.entries)} of ${records.from}`
      })
    } finally {
      await records.close()
    }
  },
})
