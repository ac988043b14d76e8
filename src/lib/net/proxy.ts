import { BlockList, isIP } from 'node:net'
import type { Environment } from '../environment.ts'
import { CallyardError } from '../error.ts'
import { isLoopback } from './address.ts'

export interface Proxy {
  /** Environment variable that sets it. */
  readonly variable: string
  readonly url: string
}

/**
 * Proxy from the environment for a URL: HTTPS_PROXY, else HTTP_PROXY; only HTTP_PROXY for plain http. Lower-case names win. Loopback
 * is never proxied, because its key would leave the machine unencrypted.
 * @throws CallyardError `usage` for a proxy that is not a URL
 */
export function chooseProxy(base: URL, env: Environment): Proxy | undefined {
  if (isLoopback(base)) return undefined
  const secure = base.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : []
  const variable = [...secure, 'http_proxy', 'HTTP_PROXY'].find(name => isSet(env[name]))
  const proxyText = variable === undefined ? undefined : env[variable]
  if (variable === undefined || proxyText === undefined) return undefined
  const url = proxyText.includes('://') ? proxyText : `http://${proxyText}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CallyardError('usage', `the proxy in ${variable} is not an http or https URL`, {
      hint: `for example ${variable}=http://proxy.example.com:3128`,
    })
  }
  return isExcepted(base, [env.no_proxy, env.NO_PROXY].find(isSet) ?? '') ? undefined : { variable, url }
}

/**
 * True if NO_PROXY lists a host: by name, parent domain or `*`, each with an optional port, or by address or address block
 * (`2001:db8::1`, `10.0.0.0/8`).
 */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  const address = hostname.replace(/^\[|\]$/g, '')
  return list.split(/[,\s]+/).some(entry => {
    if (holdsAddress(entry, address)) return true
    const [, name = '', only = ownPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    return entry === '*' || (name !== '' && only === ownPort && `.${hostname}`.endsWith(`.${name}`))
  })
}

function holdsAddress(entry: string, address: string): boolean {
  const [, first = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const isLong = isIP(first) === 6
  const most = isLong ? 128 : 32
  const length = Number(prefix ?? most)
  if (isIP(first) === 0 || isIP(address) === 0 || length > most) return false
  const block = new BlockList()
  block.addSubnet(first, length, isLong ? 'ipv6' : 'ipv4')
  return block.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Hint for a failed connection, without the user name and password of the proxy. */
export function proxyHint({ variable, url }: Proxy): string {
  return `${variable} is set: requests go through ${new URL(url).host}, unless NO_PROXY lists the host`
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
