import { maskKey } from '../api/index.ts'
import { defineCommand, defineGroup } from '../cli/cli-command.ts'
import { withWords } from '../cli/messages/with-words.ts'
import { CallwrightError } from '../lib/error.ts'
import { bold, dim, join, type Text, text } from '../lib/text/text.ts'
import {
  configFile,
  loadStore,
  type ResolvedSettings,
  resolveSettings,
  type SettingOrigin,
} from '../profile/index.ts'

const list = defineCommand({
  description: 'List all profiles; * marks the one in use',
  examples: ['callwright profile list', 'callwright profile list --json'],
  flags: command => command,
  async run(_options, { env, output }) {
    const { readProfiles } = await loadStore()
    const { current, profiles, warnings } = await readProfiles(env)
    for (const warning of warnings) output.warn(warning)
    const rows = Object.entries(profiles)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { baseUrl, apiKey, vocabulary }]) => ({
        name,
        inUse: name === current,
        baseUrl,
        apiKey: maskKey(apiKey),
        ...(vocabulary === undefined ? {} : { vocabulary }),
      }))
    output.result({ profiles: rows }, () => (rows.length === 0 ? dim('no profiles yet') : table(rows)))
    if (rows.length === 0) output.note('Add one: callwright profile add <name>; or: callwright sandbox start')
    const chosen = env.CALLWRIGHT_PROFILE
    if (chosen && chosen !== current) {
      output.note(`CALLWRIGHT_PROFILE selects ${chosen} for this shell`)
    }
  },
})

interface Row {
  readonly name: string
  readonly inUse: boolean
  readonly baseUrl: string
  readonly apiKey: string
}

function table(rows: readonly Row[]): Text {
  const width = (cell: (row: Row) => string) => Math.max(...rows.map(row => cell(row).length))
  const [names, urls] = [width(({ name }) => name), width(({ baseUrl }) => baseUrl)]
  return join(
    rows.map(
      ({ name, inUse, baseUrl, apiKey }) =>
        text`${inUse ? '*' : ' '} ${inUse ? bold(name.padEnd(names)) : name.padEnd(names)}  ${baseUrl.padEnd(urls)}  ${dim(apiKey)}`,
    ),
    '\n',
  )
}

/** What a command would use here and now, and where each setting comes from. */
const show = defineCommand({
  description: 'Show where requests go, and where each setting comes from',
  examples: ['callwright profile show', 'callwright profile show work --json'],
  topics: ['environment'],
  flags: command => command.argument('[name]', 'Name of the profile (default: the one in use)'),
  async run(_options, { env, files, options, output }, [name]) {
    const settings = await resolveSettings({
      ...files,
      options: name === undefined ? options : { ...options, profile: name },
    })
    if (settings.unknownProfile !== undefined) throw settings.unknownProfile
    const { profile, baseUrl, apiKey, vocabulary, missing, project } = settings
    for (const warning of settings.warnings) output.warn(warning)
    const masked = { ...apiKey, value: apiKey.value === undefined ? null : maskKey(apiKey.value) }
    const words = Object.entries(vocabulary.value)

    output.result(
      {
        profile: { ...profile, value: profile.value ?? null },
        baseUrl: { ...baseUrl, value: baseUrl.value ?? null },
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
        return join(
          [
            line('Profile', profile.value, source('profile', profile.from)),
            line('Base URL', baseUrl.value, source('baseUrl', baseUrl.from)),
            line('API key', masked.value, source('apiKey', masked.from)),
            line(
              'Vocabulary',
              words.length === 0
                ? null
                : words.map(([placeholder, word]) => `${placeholder} = ${word}`).join(', '),
              source('vocabulary', vocabulary.from),
            ),
            line('Kept in', configFile(env), ''),
          ],
          '\n',
        )
      },
    )
    if (missing !== undefined) {
      const { message, hint } = await withWords(missing)
      output.warn(message, hint)
    }
  },
})

const variables = {
  profile: { flag: '--profile', environment: 'CALLWRIGHT_PROFILE', profile: 'the profile in use' },
  baseUrl: { flag: '--base-url', environment: 'CALLWRIGHT_BASE_URL', profile: 'the profile' },
  apiKey: { flag: '', environment: 'CALLWRIGHT_API_KEY', profile: 'the profile' },
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

const use = defineCommand({
  description: 'Use a profile from now on',
  examples: ['callwright profile use work', 'callwright profile use sandbox'],
  flags: command => command.argument('<name>', 'Name of the profile'),
  async run(_options, { env, output }, [name]) {
    const { selectProfile } = await loadStore()
    const { warnings } = await selectProfile(env, name)
    for (const warning of warnings) output.warn(warning)
    output.result({ name, inUse: true }, () => text`Profile ${bold(name)} is in use`)
    const chosen = env.CALLWRIGHT_PROFILE
    if (chosen && chosen !== name) {
      output.warn(`CALLWRIGHT_PROFILE still selects ${chosen} for this shell`)
    }
  },
})

/** The key is gone with it, so it asks. */
const remove = defineCommand({
  description: 'Remove a profile and its key from this machine',
  examples: ['callwright profile remove work', 'callwright profile remove work --yes'],
  flags: command => command.argument('<name>', 'Name of the profile').option('--yes', 'Do not ask'),
  async run({ yes }, { env, output, prompts }, [name]) {
    const store = await loadStore()
    const { profiles, current } = await store.readProfiles(env)
    store.findProfile(profiles, name)
    if (yes !== true) {
      const sure = await prompts.confirm({
        message: `Remove profile ${name} and its key?`,
        flag: '--yes',
      })
      if (!sure) throw new CallwrightError('cancelled', `cancelled; profile ${name} is as it was`)
    }
    const { warnings } = await store.removeProfile(env, name)
    for (const warning of warnings) output.warn(warning)
    output.result({ name, removed: true }, () => text`Removed profile ${bold(name)}`)
    if (current !== name) return
    const rest = Object.keys(profiles).filter(other => other !== name)
    output.note(
      rest.length === 0
        ? 'No profile is left; add one: callwright profile add <name>'
        : `No profile is in use now; choose one: ${rest.map(other => `callwright profile use ${other}`).join(', ')}`,
    )
  },
})

export const profileCommand = defineGroup({
  description: 'Save base URLs and API keys under names',
  examples: ['callwright profile add work', 'callwright profile use work'],
  verbs: {
    add: async (...to) => (await import('./profile/add.ts')).profileAddCommand(...to),
    list,
    show,
    use,
    remove,
  },
})
