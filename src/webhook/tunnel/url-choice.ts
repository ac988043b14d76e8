import { isLoopbackName } from '../../lib/net/loopback.ts'

export interface UrlChoice {
  /** Whether it changes anything: its host was not there before, or not with https. */
  add(url: string): boolean
  /** The one that is most likely the public one. */
  readonly best: string | undefined
  /** Of the hosts that are not taken, but for this machine. */
  readonly others: readonly string[]
}

/** More are no banner of a tunnel program, but something that goes on for ever. */
const maxHosts = 20

/**
 * Chooses among the URLs that a tunnel program prints: https before http, another machine before this one, and of those
 * that are alike the last, as programs greet with their own pages before they have a tunnel. A host counts with what was
 * printed of it first.
 */
export function createUrlChoice(): UrlChoice {
  const hosts = new Map<string, URL>()
  const chosen = () =>
    [...hosts.values()].reduce<URL | undefined>(
      (best, url) => (best === undefined || rank(url) >= rank(best) ? url : best),
      undefined,
    )
  return {
    add(text) {
      const url = new URL(text)
      const before = hosts.get(url.hostname)
      if (before === undefined ? hosts.size >= maxHosts : rank(before) >= rank(url)) return false
      hosts.delete(url.hostname)
      hosts.set(url.hostname, url)
      return true
    },
    get best() {
      const url = chosen()
      return url === undefined ? undefined : plainUrl(url)
    },
    get others() {
      const best = chosen()
      return [...hosts.values()].filter(url => url !== best && !isThisMachine(url)).map(plainUrl)
    },
  }
}

/** Also by the addresses that a listener on all of them has. */
export function isThisMachine({ hostname }: URL): boolean {
  return isLoopbackName(hostname) || ['0.0.0.0', '[::]'].includes(hostname)
}

/** Without query, user and slash at the end. */
export function plainUrl({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '')
}

function rank(url: URL): number {
  if (isThisMachine(url)) return 0
  return url.protocol === 'https:' ? 2 : 1
}
