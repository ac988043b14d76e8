import type { Command } from '@commander-js/extra-typings'
import { sendCallCommand } from '../../../calls/place/index.ts'
import { shortId } from '../../../lib/text/did-you-mean.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { controlResult, requestedCallId } from './logged-calls.ts'

export const callHangupCommand = defineCommand({
  description: 'End a live call',
  examples: ['callyard call hangup CC-7d3f2c1e', 'callyard call hangup --last'],
  topics: ['call-log'],
  effect: 'calls',
  flags: withFlags,
  result: controlResult,
  async run(options, context, [callArg]) {
    const id = await requestedCallId(callArg, options, context)
    await sendCallCommand(context.api(), id, { type: 'hangup' }, context)
    context.output.result({ id, done: 'hung-up' }, () => text`Hung up call ${bold(shortId(id))}`)
  },
})

function withFlags(command: Command) {
  return command
    .argument('[id]', 'Id of the call, or a unique prefix of a logged one')
    .option('--last', 'The latest call of the log')
}
