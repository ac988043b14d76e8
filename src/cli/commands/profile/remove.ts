import { CallyardError } from '../../../lib/error.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { loadConf, loadStore } from '../../../service/profile/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Operand, yesFlag } from '../../shell/flags/flag.ts'
import { confirmLowering } from './confirm-lowering.ts'

/** The key is gone with it, so it asks. */
export const profileRemoveCommand = defineCommand({
  description: 'Remove a profile and its API key',
  examples: ['callyard profile remove work', 'callyard profile remove work --yes'],
  effect: 'changes',
  flags: command =>
    command
      .addArgument(new Operand('<name>', 'Name of the profile').completes('profile'))
      .addOption(yesFlag()),
  result: ({ z, required }) => ({
    document: z.object({ name: required(z.string(), 'Name of the profile'), removed: z.literal(true) }),
  }),
  async run({ yes }, context, [name]) {
    const { env, output, prompts } = context
    const store = await loadStore()
    const { profiles, current } = await store.readProfiles(env)
    await confirmLowering(store.findProfile(profiles, name), context)
    if (yes !== true) {
      const sure = await prompts.confirm({
        message: `Remove profile ${name} and its key?`,
        flag: '--yes',
      })
      if (!sure) throw new CallyardError('cancelled', `cancelled; profile ${name} is unchanged`)
    }
    const { warnings } = await (await loadConf()).removeProfile(env, name)
    for (const warning of warnings) output.warn(warning)
    output.result({ name, removed: true }, () => text`Removed profile ${bold(name)}`)
    if (current !== name) return
    const rest = Object.keys(profiles).filter(other => other !== name)
    output.note(
      rest.length === 0
        ? 'No profiles left. To add one: callyard profile add <name>'
        : `No profile is selected. To choose one: ${rest.map(other => `callyard profile use ${other}`).join(', ')}`,
    )
  },
})
