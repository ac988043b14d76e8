import type { Command } from '@commander-js/extra-typings'
import { count } from '../../../../lib/text/count.ts'
import { bold, dim, join, type Text, text } from '../../../../lib/text/text.ts'
import { loadReaderNames, type ReaderName } from '../../../../relay/index.ts'
import { defineCommand } from '../../../shell/cli-command.ts'
import { namesOptions, withNamesFlags } from './names-flags.ts'

export const relayPositionsListCommand = defineCommand({
  description: 'List the names that read the events of a relay',
  examples: ['callyard webhook relay positions list --nats nats://127.0.0.1:4222'],
  topics: ['relay'],
  effect: 'none',
  flags: (command: Command) => withNamesFlags(command),
  result: async ({ z }) => ({
    document: z.object({
      names: z.array((await import('../../../../relay/relay-event-schemas.ts')).readerNameSchema),
    }),
  }),
  async run(flags, context) {
    const { output } = context
    const { listReaderNames } = await loadReaderNames()
    const names = await listReaderNames(namesOptions(flags, context))
    output.result({ names }, () => (names.length === 0 ? dim('no names yet') : table(names)))
  },
})

function table(names: readonly ReaderName[]): Text {
  const width = Math.max(...names.map(({ name }) => name.length))
  const rows = names.map(({ name, tails, behind, savedAt }) => {
    const use = tails === 0 ? 'not in use' : `read by ${count(tails, 'tail')}`
    const rest = behind === 0 ? 'up to date' : `up to ${count(behind, 'event')} behind`
    return text`${bold(name.padEnd(width))}  ${use}, ${rest}, saved ${savedAt.slice(0, 19)}Z`
  })
  return join(rows)
}
