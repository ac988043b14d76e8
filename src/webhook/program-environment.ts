import type { Environment } from '../lib/environment.ts'

/** Matches the names of callwright's secrets, such as CALLWRIGHT_API_KEY and CALLWRIGHT_SANDBOX_TOKEN. Windows ignores case in names. */
const secretName = /^CALLWRIGHT_(?:.*_)?(?:KEY|TOKEN|SECRET|PASSWORD)$/i

/** The environment for a program of the user, such as a tunnel, which needs no secrets of ours. */
export function programEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secretName.test(name)))
}
