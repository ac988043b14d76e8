import type { Command } from '@commander-js/extra-typings'
import { pruneCallLog } from '../../../../calls/log/index.ts'
import { count } from '../../../../lib/text/count.ts'
import { text } from '../../../../lib/text/text.ts'
import { defineCommand } from '../../../shell/cli-command.ts'
import { parseAge } from '../../../shell/flags/option-parsers.ts'

export const callLogPruneCommand = defineCommand({
  description: 'Remove old calls from the call log',
  examples: ['callyard call log prune --older-than 30d'],
  topics: ['call-log'],
  effect: 'changes',
  flags: withFlags,
  result: ({ z }) => ({ document: z.object({ removed: z.int(), kept: z.int() }) }),
  async run({ olderThan }, context) {
    const { removed, kept } = await pruneCallLog(context.clock.now() - olderThan, context)
    context.output.result(
      { removed, kept },
      () => text`Removed ${count(removed, 'call')}; ${count(kept, 'call')} left`,
    )
  },
})

function withFlags(command: Command) {
  return command.requiredOption(
    '--older-than <age>',
    'Age of the calls to remove, such as 12h or 30d',
    parseAge,
  )
}
