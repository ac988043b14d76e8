import { CallyardError } from '../../../lib/error.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { parseBaseUrl } from '../../../service/api/index.ts'
import { loadConf, loadStore, type Profile } from '../../../service/profile/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { yesFlag } from '../../shell/flags/flag.ts'
import { apiKeyText } from '../../shell/render/api-key.ts'
import { assertTerminal } from '../approve/assert-terminal.ts'
import { confirmLowering } from './confirm-lowering.ts'
import { encryptWithNewPassphrase, readKey } from './read-key.ts'

export const profileAddCommand = defineCommand({
  description: 'Save a base URL and an API key as a profile',
  examples: [
    'callyard profile add work',
    'pass show voice/key | callyard profile add ci --base-url https://api.example.com --api-key-stdin',
  ],
  topics: ['environment', 'files'],
  effect: 'changes',
  flags: command =>
    command
      .argument('<name>', 'Name of the profile')
      .option('--api-key-stdin', 'Read the API key from stdin')
      .option('--vocabulary <file>', 'YAML or JSON file that maps placeholders')
      .addOption(yesFlag('Replace an existing profile without confirmation')),
  async result(builders) {
    const { z, required } = builders
    const { profileSchema } = await import('./list.ts')
    const replaced = required(z.boolean(), 'True if a profile of this name existed')
    return { document: z.extend(profileSchema(builders), { replaced }) }
  },
  async run({ apiKeyStdin, vocabulary: file, yes = false }, context, [name]) {
    const { checkName, readProfiles } = await loadStore()
    checkName(name)
    const { profiles } = await readProfiles(context.env)
    const existing = Object.hasOwn(profiles, name) ? profiles[name] : undefined
    if (existing !== undefined && !yes) await askToReplace(name, context)

    if (existing !== undefined && context.options.baseUrl !== existing.baseUrl)
      await confirmLowering(existing, context)

    const isEncrypted = existing !== undefined && typeof existing.apiKey !== 'string'
    if (isEncrypted) assertTerminal('encrypt', context)

    const { readVocabulary } = await import('./read-vocabulary.ts')
    const fileVocabulary = file === undefined ? undefined : await readVocabulary(file, context)
    const baseUrl = await readBaseUrl(context)
    const key = await readKey(apiKeyStdin === true, context)
    const apiKey = isEncrypted
      ? await encryptWithNewPassphrase(key, { baseUrl, limits: existing?.limits }, context)
      : key
    const vocabulary = fileVocabulary ?? (existing?.baseUrl === baseUrl ? existing.vocabulary : undefined)
    const profile: Profile = { baseUrl, apiKey, ...(vocabulary === undefined ? {} : { vocabulary }) }
    const { saveProfile } = await loadConf()
    const { before, current, warnings } = await saveProfile(context.env, name, profile)

    for (const warning of warnings) context.output.warn(warning)
    const inUse = current === name
    const replaced = before !== undefined
    context.output.result({ name, ...profile, apiKey: apiKeyText(apiKey), inUse, replaced }, () => {
      const saved = text`${replaced ? 'Replaced' : 'Saved'} profile ${bold(name)} for ${baseUrl}`
      return inUse ? text`${saved}; it is in use` : saved
    })
    if (!inUse) context.output.note(text`To use it: ${bold(`callyard profile use ${name}`)}`)
  },
})

async function askToReplace(name: string, { prompts }: Context): Promise<void> {
  if (!prompts.available) {
    throw new CallyardError('usage', `profile ${name} already exists`, {
      hint: 'to replace it, pass --yes',
    })
  }
  if (await prompts.confirm({ message: `Replace profile ${name}?`, flag: '--yes' })) return
  throw new CallyardError('cancelled', `cancelled; profile ${name} is unchanged`)
}

/** The base URL as it is kept: normalized, without a slash at its end. */
async function readBaseUrl({ options, prompts }: Context): Promise<string> {
  const urlText =
    options.baseUrl ??
    (await prompts.text({
      message: 'Base URL of the service',
      flag: '--base-url',
      validate: answer => flawOf(() => parseBaseUrl(answer)) ?? true,
    }))
  return parseBaseUrl(urlText.trim()).href.replace(/\/+$/, '')
}

function flawOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof CallyardError)
      return [error.message, error.hint].filter(part => part !== undefined).join('; ')
    throw error
  }
}
