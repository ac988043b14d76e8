import { projectFileName } from '../../files/source/index.ts'
import { chosenTarget } from '../../project/apply/index.ts'
import { requireConnection, type SettingOrigin } from '../../service/profile/index.ts'
import type { Context } from '../shell/context.ts'

/** A project can be planned without a base URL, and not be worked on. @throws CallyardError `usage` that says so */
export async function requireBaseUrl(context: Context): Promise<void> {
  const settings = await context.settings()
  if (settings.baseUrl.value === undefined) requireConnection(settings)
}

/** Describes the source of a target's base URL; empty for the profile with the target's name. */
export async function originOfBaseUrl(target: string, { settings }: Context): Promise<string> {
  const { baseUrl, profile } = await settings()
  const origins: Readonly<Record<SettingOrigin, string>> = {
    flag: 'from --base-url',
    environment: 'from CALLYARD_BASE_URL',
    'project file': `from ${projectFileName}`,
    profile: profile.value === target ? '' : `from profile ${profile.value}`,
    none: '',
  }
  return origins[baseUrl.from]
}

/** The name of the target for a report, which has one even where that name is the error. */
export async function targetName(target: string | undefined, context: Context): Promise<string> {
  return chosenTarget({ target }, context).then(
    ({ name }) => name,
    () => target ?? context.options.profile ?? 'default',
  )
}
