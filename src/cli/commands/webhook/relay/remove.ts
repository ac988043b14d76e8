import type { Command } from '@commander-js/extra-typings'
import { bold, text } from '../../../../lib/text/text.ts'
import { loadReaderNames } from '../../../../relay/index.ts'
import { defineCommand } from '../../../shell/cli-command.ts'
import { namesOptions, withNamesFlags } from './names-flags.ts'

export const relayPositionsRemoveCommand = defineCommand({
  description: 'Remove the positions of a name that is not used any more',
  examples: ['callyard webhook relay positions remove ada --nats nats://127.0.0.1:4222'],
  topics: ['relay'],
  effect: 'changes',
  flags: (command: Command) => withNamesFlags(command.argument('<name>', 'Name of webhook tail --as')),
  result: ({ z }) => ({ document: z.object({ name: z.string(), removed: z.literal(true) }) }),
  async run(flags, context, [name]) {
    const { removeReaderName } = await loadReaderNames()
    await removeReaderName(namesOptions(flags, context), name)
    context.output.result({ name, removed: true }, () => text`Removed the positions of ${bold(name)}`)
  },
})
