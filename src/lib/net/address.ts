/** Whether a host name or address means this machine: localhost and what is below it, 127.0.0.0/8, ::1 with or without brackets. */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase()
  return (
    /^(?:.+\.)?localhost$/.test(name) ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name) ||
    ['::1', '[::1]'].includes(name)
  )
}

/**
 * Whether what is sent to a URL stays on this machine. Stricter than isLoopbackName: a resolver may send `x.localhost` elsewhere, and
 * a key may go where this is true.
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

/** Whether a path is this one or below it. */
export function isAtOrBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(top.endsWith('/') ? top : `${top}/`)
}

/** A host as it stands in a URL that reaches it from this machine. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
