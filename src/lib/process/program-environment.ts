import type { Environment } from '../environment.ts'

/** Matches the names of callyard's secrets, such as CALLYARD_API_KEY and CALLYARD_SANDBOX_TOKEN. Windows ignores case in names. */
const secretName = /^CALLYARD_(?:.*_)?(?:KEY|TOKEN|SECRET|PASSWORD)$/i

/** The environment for a program of the user, such as a tunnel, which needs no secrets of ours. */
export function programEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secretName.test(name)))
}
