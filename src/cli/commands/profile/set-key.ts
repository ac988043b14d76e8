import { bold, text } from '../../../lib/text/text.ts'
import { loadConf, loadStore } from '../../../service/profile/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Operand } from '../../shell/flags/flag.ts'
import { apiKeySchema, apiKeyText } from '../../shell/render/api-key.ts'
import { assertTerminal } from '../approve/assert-terminal.ts'
import { encryptWithNewPassphrase, readKey } from './read-key.ts'

export const profileSetKeyCommand = defineCommand({
  description: 'Replace the API key of a profile, and its passphrase if the key is encrypted',
  summary: 'Replace the API key of a profile',
  examples: [
    'callyard profile set-key work',
    'pass show voice/key | callyard profile set-key ci --api-key-stdin',
  ],
  topics: ['agents', 'files'],
  effect: 'changes',
  flags: command =>
    command
      .addArgument(new Operand('<name>', 'Name of the profile').completes('profile'))
      .option('--api-key-stdin', 'Read the API key from stdin'),
  result(builders) {
    const { z, required } = builders
    return {
      document: z.object({
        name: required(z.string(), 'Name of the profile'),
        apiKey: apiKeySchema(builders),
      }),
    }
  },
  async run({ apiKeyStdin = false }, context, [name]) {
    const { env, output } = context
    const store = await loadStore()
    const before = store.findProfile((await store.readProfiles(env)).profiles, name)
    const isEncrypted = typeof before.apiKey !== 'string'
    if (isEncrypted) assertTerminal('encrypt', context)
    const key = await readKey(apiKeyStdin, context)
    const apiKey = isEncrypted ? await encryptWithNewPassphrase(key, before, context) : key
    const { replaceProfile } = await loadConf()
    const after = { ...before, apiKey }
    const { warnings } = await replaceProfile(env, name, { before, after })
    for (const warning of warnings) output.warn(warning)
    output.result({ name, apiKey: apiKeyText(apiKey) }, () => text`Replaced the API key of ${bold(name)}`)
  },
})
