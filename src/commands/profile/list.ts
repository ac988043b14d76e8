import { maskKey } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { bold, dim, join, type Text, text } from '../../lib/text/text.ts'
import { readProfiles } from '../../profile/index.ts'

/** `profile list`: keys are masked. */
export async function listProfiles(context: Context): Promise<void> {
  const { current, profiles, warnings } = await readProfiles(context.env)
  for (const warning of warnings) context.output.warn(warning)
  const rows = Object.entries(profiles)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { baseUrl, apiKey, vocabulary }]) => ({
      name,
      inUse: name === current,
      baseUrl,
      apiKey: maskKey(apiKey),
      ...(vocabulary === undefined ? {} : { vocabulary }),
    }))
  context.output.result({ profiles: rows }, () => (rows.length === 0 ? dim('no profiles yet') : table(rows)))
  if (rows.length === 0)
    context.output.note('Add one: callwright profile add <name>; or: callwright sandbox start')
  const chosen = context.env.CALLWRIGHT_PROFILE
  if (chosen !== undefined && chosen !== '' && chosen !== current) {
    context.output.note(`CALLWRIGHT_PROFILE selects ${chosen} for this shell`)
  }
}

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
