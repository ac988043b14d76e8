import type { Environment } from '../context.ts'
import { CliError } from '../errors.ts'
import { isLoopback } from './base-url.ts'

export interface Proxy {
  readonly url: string
  /** Hosts that are reached directly, as NO_PROXY lists them. */
  readonly except: string
}

/**
 * The proxy of the environment for a base URL. This machine is never reached through one: its key would leave the
 * machine in clear. Throws a usage error for a proxy that is not a URL.
 */
export function chooseProxy(base: URL, env: Environment): Proxy | undefined {
  if (isLoopback(base)) return undefined
  const name = base.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const found = read(env, name) ?? read(env, 'HTTP_PROXY')
  if (found === undefined) return undefined
  const text = found.includes('://') ? found : `http://${found}`
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new CliError('usage', `the proxy in ${name} is not an http or https URL`, {
      hint: `for example ${name}=http://proxy.example.com:3128`,
    })
  }
  return { url: text, except: read(env, 'NO_PROXY') ?? '' }
}

/** Host and port of a proxy, without its user name and password. */
export function proxyHost({ url }: Proxy): string {
  return new URL(url).host
}

/** Lower case wins, as everywhere. */
function read(env: Environment, name: string): string | undefined {
  return [env[name.toLowerCase()], env[name]].find(value => value !== undefined && value !== '')
}
