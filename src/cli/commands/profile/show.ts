import type { ZodMiniType } from 'zod/mini'
import { configFile } from '../../../lib/fs/user-folders.ts'
import { withoutLogin } from '../../../lib/net/address.ts'
import { bold, dim, join, text } from '../../../lib/text/text.ts'
import { type ResolvedSettings, resolveSettings, type SettingOrigin } from '../../../service/profile/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { Operand } from '../../shell/flags/flag.ts'
import { apiKeySchema, apiKeyText } from '../../shell/render/api-key.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'

/** Shows the settings that a command would use here, with their sources. */
export const profileShowCommand = defineCommand({
  description: 'Show the settings in effect and their sources',
  examples: ['callyard profile show', 'callyard profile show work --json'],
  topics: ['environment'],
  effect: 'none',
  flags: command =>
    command.addArgument(
      new Operand('[name]', 'Name of the profile (default: the current one)').completes('profile'),
    ),
  result: showResult,
  async run(_options, context, [name]) {
    const { env, files, options, output } = context
    const settings = await resolveSettings({
      ...files,
      options: name === undefined ? options : { ...options, profile: name },
    })
    if (settings.unknownProfile !== undefined) throw settings.unknownProfile
    const { profile, baseUrl, apiKey, lockedKey, vocabulary, missing, project } = settings
    for (const warning of settings.warnings) output.warn(warning)
    const key = apiKey.value ?? lockedKey?.encrypted
    const masked = { ...apiKey, value: key === undefined ? null : apiKeyText(key) }
    const words = Object.entries(vocabulary.value).map(([placeholder, word]) => `${placeholder} = ${word}`)

    output.result(
      {
        profile: { ...profile, value: profile.value ?? null },
        baseUrl: { ...baseUrl, value: baseUrl.value === undefined ? null : withoutLogin(baseUrl.value) },
        apiKey: masked,
        vocabulary,
        configFile: configFile(env),
        projectFile: project?.file ?? null,
      },
      () => {
        const line = (title: string, value: string | null | undefined, from: string) =>
          text`${bold(title.padEnd(10))}  ${value ?? 'none'}${from === '' ? '' : dim(` (${from})`)}`
        const source = (setting: keyof typeof variables, from: SettingOrigin) =>
          sourceName(setting, from, settings)
        return join([
          line('Profile', profile.value, source('profile', profile.from)),
          line('Base URL', baseUrl.value && withoutLogin(baseUrl.value), source('baseUrl', baseUrl.from)),
          line('API key', masked.value, source('apiKey', masked.from)),
          line('Vocabulary', words.join(', ') || null, source('vocabulary', vocabulary.from)),
          line('Kept in', configFile(env), ''),
        ])
      },
    )
    if (missing !== undefined) {
      const { message, hint } = context.withHints(missing)
      output.warn(message, hint)
    }
  },
})

function showResult(builders: SchemaBuilders) {
  const { z, required } = builders
  const setting = <Value extends ZodMiniType>(value: Value) =>
    z.object({
      value,
      from: required(z.string(), 'Origin of the value: flag, environment, profile, project file or none'),
    })
  return {
    document: z.object({
      profile: setting(z.nullable(z.string())),
      baseUrl: setting(z.nullable(z.string())),
      apiKey: setting(z.nullable(apiKeySchema(builders))),
      vocabulary: setting(z.record(z.string(), z.string())),
      configFile: z.string(),
      projectFile: required(z.nullable(z.string()), 'The callyard.yaml that was found'),
    }),
  }
}

const variables = {
  profile: { flag: '--profile', environment: 'CALLYARD_PROFILE', profile: 'the profile in use' },
  baseUrl: { flag: '--base-url', environment: 'CALLYARD_BASE_URL', profile: 'the profile' },
  apiKey: { flag: '', environment: 'CALLYARD_API_KEY', profile: 'the profile' },
  vocabulary: { flag: '', environment: '', profile: 'the profile' },
} as const

function sourceName(
  setting: keyof typeof variables,
  from: SettingOrigin,
  { project }: ResolvedSettings,
): string {
  if (from === 'none') return ''
  return from === 'project file' ? (project?.file ?? from) : variables[setting][from]
}
