import { parseBaseUrl } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import { isLoopback } from '../../lib/net/address.ts'
import { requireConnection } from '../../profile/index.ts'

/** The service that a call is placed at, as a person knows it. */
export interface NamedService {
  /** The profile that names it; else its base URL. */
  readonly name: string
  readonly baseUrl: string
  /** On this machine: a sandbox, where no phone rings. */
  readonly isLocal: boolean
}

/** @throws CliError as requireConnection does */
export async function namedService(context: Pick<Context, 'settings'>): Promise<NamedService> {
  const settings = await context.settings()
  const { baseUrl } = requireConnection(settings)
  const { profile, baseUrl: setting } = settings
  const byProfile = setting.from === 'profile' ? profile.value : undefined
  const url = parseBaseUrl(baseUrl)
  return { name: byProfile ?? baseUrl, baseUrl, isLocal: isLoopback(url) }
}
