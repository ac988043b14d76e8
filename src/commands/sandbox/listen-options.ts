import { apiKeyProblem } from '../../api/index.ts'
import type { Environment } from '../../lib/environment.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isLoopbackName } from '../../lib/net/address.ts'
import { count } from '../../lib/text/count.ts'
import type { StartOptions } from './start.ts'

type ListenFlags = Pick<StartOptions, 'host' | 'port' | 'allowRemote' | 'publicUrl' | 'control'>

/** Where the service listens, and the secrets that open it where they are given. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  /** Undefined: one is made up, or is that of the journal. */
  readonly apiKey?: string | undefined
  /** Undefined: one is made up; false: there is no control API. */
  readonly controlToken: string | false | undefined
}

const keyVariable = 'CALLWRIGHT_API_KEY'
const tokenVariable = 'CALLWRIGHT_SANDBOX_TOKEN'

/** The control token of the environment; undefined for a new one, false for no control API. */
export function tokenOf(
  { control }: Pick<ListenFlags, 'control'>,
  env: Environment,
): string | false | undefined {
  return control ? env[tokenVariable] || undefined : false
}

/**
 * On loopback the key is made up: that of the environment may be a service's. Where other machines reach it
 * (docs/decisions/0046), both come from the environment, as a container has them; without a token there is no control API.
 * @throws CallwrightError `usage` for an address beyond this machine without --allow-remote, for a secret that can be guessed
 */
export function listenOptions(
  { host, port, allowRemote = false, publicUrl, control }: ListenFlags,
  env: Environment,
): ListenAddress {
  const place = { host, port, publicUrl: publicUrl?.replace(/\/+$/, '') }
  if (!allowRemote) {
    if (isLoopbackName(host) && !host.endsWith('.localhost'))
      return { ...place, apiKey: undefined, controlToken: tokenOf({ control }, env) }
    const message = `${host} is not loopback: other machines may reach the sandbox there`
    const hint = 'leave --host out, or give --allow-remote if that is meant'
    throw new CallwrightError('usage', message, { hint })
  }
  return {
    ...place,
    apiKey: secretOf(keyVariable, env),
    controlToken: (control && secretOf(tokenVariable, env)) || false,
  }
}

const minSecretLength = 16

function secretOf(name: string, env: Environment): string | undefined {
  const secret = env[name]
  if (secret === undefined || secret === '') return undefined
  const problem = apiKeyProblem(secret)
  if (problem !== undefined) throw new CallwrightError('usage', `the value of ${name} ${problem}`)
  if (secret.length >= minSecretLength) return secret
  throw new CallwrightError(
    'usage',
    `${name} has ${count(secret.length, 'character')}; a sandbox that other machines reach needs at least ${minSecretLength}`,
    { hint: `make one up: ${name}=$(openssl rand -hex 16)` },
  )
}
