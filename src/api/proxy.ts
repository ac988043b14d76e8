import type { Environment } from '../lib/environment.ts'
import { CallwrightError } from '../lib/error.ts'
import { isLoopback } from '../lib/net/address.ts'

export interface Proxy {
  /** The variable that names it. */
  readonly variable: string
  readonly url: string
  /** Hosts that are reached directly, as NO_PROXY lists them. */
  readonly except: string
}

/**
 * The proxy of the environment for a base URL: HTTPS_PROXY, else HTTP_PROXY; lower case wins, as everywhere. This machine
 * is never reached through one: its key would leave the machine in clear. Throws a usage error for a proxy that is not a
 * URL.
 */
export function chooseProxy(base: URL, env: Environment): Proxy | undefined {
  if (isLoopback(base)) return undefined
  const variable = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find(name => isSet(env[name]))
  const found = variable === undefined ? undefined : env[variable]
  if (variable === undefined || found === undefined) return undefined
  const url = found.includes('://') ? found : `http://${found}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CallwrightError('usage', `the proxy in ${variable} is not an http or https URL`, {
      hint: `for example ${variable}=http://proxy.example.com:3128`,
    })
  }
  return { variable, url, except: [env.no_proxy, env.NO_PROXY].find(isSet) ?? '' }
}

/** What to know when no connection stands; without the user name and password of the proxy. */
export function proxyHint({ variable, url }: Proxy): string {
  return `${variable} is set: requests go through ${new URL(url).host}, unless NO_PROXY lists the host`
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
