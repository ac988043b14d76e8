import { bold, text } from '../../../lib/text/text.ts'
import { loadConf } from '../../../service/profile/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Operand } from '../../shell/flags/flag.ts'

export const profileUseCommand = defineCommand({
  description: 'Switch to a profile',
  examples: ['callyard profile use work', 'callyard profile use sandbox'],
  effect: 'changes',
  flags: command => command.addArgument(new Operand('<name>', 'Name of the profile').completes('profile')),
  result: ({ z, required }) => ({
    document: z.object({ name: required(z.string(), 'Name of the profile'), inUse: z.literal(true) }),
  }),
  async run(_options, { env, output }, [name]) {
    const { selectProfile } = await loadConf()
    const { warnings } = await selectProfile(env, name)
    for (const warning of warnings) output.warn(warning)
    output.result({ name, inUse: true }, () => text`Switched to profile ${bold(name)}`)
    const profileVariable = env.CALLYARD_PROFILE
    if (profileVariable && profileVariable !== name) {
      output.warn(`CALLYARD_PROFILE still selects ${profileVariable} for this shell`)
    }
  },
})
