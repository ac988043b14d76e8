import { configFile } from '../../../lib/fs/user-folders.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { loadConf, loadEncryption, loadStore } from '../../../service/profile/index.ts'
import { askPassphrase } from '../../shell/ask-passphrase.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Operand } from '../../shell/flags/flag.ts'
import { confirmLowering } from './confirm-lowering.ts'

export const profileUnprotectCommand = defineCommand({
  description: 'Remove the approval requirement and the limits, and decrypt the API key',
  summary: 'Remove the protection of a profile',
  examples: ['callyard profile unprotect work'],
  topics: ['agents'],
  effect: 'changes',
  flags: command => command.addArgument(new Operand('<name>', 'Name of the profile').completes('profile')),
  result: async builders => (await import('./protect.ts')).rulesResult(builders),
  async run(_options, context, [name]) {
    const { env, output, prompts } = context
    const store = await loadStore()
    const before = store.findProfile((await store.readProfiles(env)).profiles, name)
    await confirmLowering(before, context)
    const { approval: _, limits: __, apiKey, ...rest } = before
    const { lockedKeyOf } = await loadEncryption()
    const locked = lockedKeyOf(name, before)
    const after = {
      ...rest,
      apiKey: locked === undefined ? apiKey : (await askPassphrase(locked, prompts)).apiKey,
    }
    const { replaceProfile } = await loadConf()
    for (const warning of (await replaceProfile(env, name, { before, after })).warnings) output.warn(warning)
    output.result(
      { name, approval: null, limits: null },
      () =>
        text`Removed the protection of ${bold(name)}. Its API key is stored unencrypted in ${configFile(env)}`,
    )
  },
})
