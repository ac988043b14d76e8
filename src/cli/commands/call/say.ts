import { type Command, Option } from '@commander-js/extra-typings'
import { sendCallCommand } from '../../../calls/place/index.ts'
import { shortId } from '../../../lib/text/did-you-mean.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { controlResult, requestedCallId } from './logged-calls.ts'

export const callSayCommand = defineCommand({
  description: 'Say a text in a live call',
  examples: ['callyard call say CC-7d3f2c1e "One moment, I am transferring you."'],
  topics: ['call-log'],
  effect: 'calls',
  flags: withFlags,
  result: controlResult,
  async run({ role }, context, [callArg, words]) {
    const id = await requestedCallId(callArg, {}, context)
    await sendCallCommand(context.api(), id, { type: 'say', role, text: words }, context)
    context.output.result({ id, done: 'said' }, () => text`Said in call ${bold(shortId(id))}`)
  },
})

function withFlags(command: Command) {
  return command
    .argument('<id>', 'Id of the call, or a unique prefix of a logged one')
    .argument('<text>', 'What is said')
    .addOption(
      new Option('--role <role>', 'Who says it')
        .choices(['assistant', 'user'] as const)
        .default('assistant' as const),
    )
}
