/** True if a host name or address is this machine: localhost and its subdomains, 127.0.0.0/8, and ::1 with or without brackets. */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase()
  return (
    /^(?:.+\.)?localhost$/.test(name) ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name) ||
    ['::1', '[::1]'].includes(name)
  )
}

/**
 * True if requests to a URL stay on this machine. Stricter than isLoopbackName, because a resolver may map `x.localhost` to another
 * machine, and keys may be sent if this is true.
 */
export function isLoopback({ hostname }: URL): boolean {
  return !hostname.endsWith('.localhost') && isLoopbackName(hostname)
}

/** A host that RFC 2606 keeps for examples: no server is ever there. */
export function isExampleHost(hostname: string): boolean {
  return /(^|\.)(example|invalid|example\.(com|net|org))$/.test(hostname)
}

/** An address without what may be secret: user, password, query and fragment. */
export function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}

/** The address with user name and password masked. */
export function withoutLogin(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/*)[^/?#]*@/i, '$1****@')
}

/** True if a path equals this one or is below it. */
export function isAtOrBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(top.endsWith('/') ? top : `${top}/`)
}

/** Returns a host in the form for URLs used on this machine. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
