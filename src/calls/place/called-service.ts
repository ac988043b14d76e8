import { lazy } from '../../lib/lazy.ts'
import { isLoopback } from '../../lib/net/address.ts'
import { sandboxTeam } from '../../service/api/index.ts'
import { requireConnection } from '../../service/profile/index.ts'
import type { CallDeps } from './deps.ts'

export type CalledService = Awaited<ReturnType<typeof calledService>>

/**
 * The service that places a call, named by its profile or base URL. `isSandbox` asks the service itself, once: a loopback port may
 * lead to a real service.
 * @throws CallyardError as requireConnection does
 */
export async function calledService(deps: CallDeps) {
  const settings = await deps.settings()
  const { baseUrl } = requireConnection(settings)
  const { profile, baseUrl: setting } = settings
  const byProfile = setting.from === 'profile' ? profile.value : undefined
  return {
    name: byProfile ?? baseUrl,
    baseUrl,
    isSandbox: lazy(async () => (await sandboxTeam(baseUrl, deps)) !== undefined),
  }
}

/** True if the base URL is set and leads to this machine. A sandbox does, and only the service itself can tell whether it is one. */
export async function isOnThisMachine({ settings }: CallDeps): Promise<boolean> {
  const { value } = (await settings()).baseUrl
  return value !== undefined && URL.canParse(value) && isLoopback(new URL(value))
}
