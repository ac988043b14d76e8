import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { bold, text } from '../../lib/text/text.ts'
import { findProfile, readProfiles, removeProfile } from '../../profile/index.ts'

export interface RemoveProfileOptions {
  readonly name: string
  readonly yes?: boolean
}

/** `profile remove`: the key is gone with it, so it asks. */
export async function removeNamedProfile(
  { name, yes }: RemoveProfileOptions,
  context: Context,
): Promise<void> {
  const { env, output, prompts } = context
  const { profiles, current } = await readProfiles(env)
  findProfile(profiles, name)
  if (yes !== true) {
    const sure = await prompts.confirm({
      message: `Remove profile ${name} and its key?`,
      flag: '--yes',
      default: false,
    })
    if (!sure) throw new CallwrightError('cancelled', `cancelled; profile ${name} is as it was`)
  }
  const { warnings } = await removeProfile(env, name)
  for (const warning of warnings) output.warn(warning)
  output.result({ name, removed: true }, () => text`Removed profile ${bold(name)}`)
  if (current !== name) return
  const rest = Object.keys(profiles).filter(other => other !== name)
  output.note(
    rest.length === 0
      ? 'No profile is left; add one: callwright profile add <name>'
      : `No profile is in use now; choose one: ${rest.map(other => `callwright profile use ${other}`).join(', ')}`,
  )
}
