import { bold, dim, join, type Text, text } from '../../../lib/text/text.ts'
import { loadStore } from '../../../service/profile/index.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import { apiKeySchema, apiKeyText } from '../../shell/render/api-key.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'

export const profileListCommand = defineCommand({
  description: 'List profiles (* marks the current one)',
  examples: ['callyard profile list', 'callyard profile list --json'],
  effect: 'none',
  flags: command => command,
  result: builders => ({
    document: builders.z.object({ profiles: builders.z.array(profileSchema(builders)) }),
  }),
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
        apiKey: apiKeyText(apiKey),
        vocabulary,
      }))
    output.result({ profiles: rows }, () => (rows.length === 0 ? dim('no profiles yet') : table(rows)))
    if (rows.length === 0) output.note('Add one: callyard profile add <name>; or: callyard sandbox start')
    const profileVariable = env.CALLYARD_PROFILE
    if (profileVariable && profileVariable !== current) {
      output.note(`CALLYARD_PROFILE selects ${profileVariable} for this shell`)
    }
  },
})

/** Schema of a profile, as `profile list` and `profile add` print it. */
export function profileSchema(builders: SchemaBuilders) {
  const { z, optional, required } = builders
  return z.object({
    name: required(z.string(), 'Name of the profile'),
    inUse: z.boolean(),
    baseUrl: z.string(),
    apiKey: apiKeySchema(builders),
    vocabulary: optional(z.record(z.string(), z.string()), 'Words of the deployment by placeholder'),
  })
}

type Row = Readonly<Record<'name' | 'baseUrl' | 'apiKey', string> & { inUse: boolean }>

function table(rows: readonly Row[]): Text {
  const width = (cell: (row: Row) => string) => Math.max(...rows.map(row => cell(row).length))
  const [names, urls] = [width(({ name }) => name), width(({ baseUrl }) => baseUrl)]
  return join(
    rows.map(
      ({ name, inUse, baseUrl, apiKey }) =>
        text`${inUse ? '*' : ' '} ${inUse ? bold(name.padEnd(names)) : name.padEnd(names)}  ${baseUrl.padEnd(urls)}  ${dim(apiKey)}`,
    ),
  )
}
