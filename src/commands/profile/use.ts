import type { Context } from '../../cli/context.ts'
import { bold, text } from '../../lib/text/text.ts'
import { selectProfile } from '../../profile/index.ts'

export interface UseProfileOptions {
  readonly name: string
}

/** `profile use`. */
export async function useProfile({ name }: UseProfileOptions, { env, output }: Context): Promise<void> {
  const { warnings } = await selectProfile(env, name)
  for (const warning of warnings) output.warn(warning)
  output.result({ name, inUse: true }, () => text`Profile ${bold(name)} is in use`)
  const chosen = env.CALLWRIGHT_PROFILE
  if (chosen !== undefined && chosen !== '' && chosen !== name) {
    output.warn(`CALLWRIGHT_PROFILE still selects ${chosen} for this shell`)
  }
}
