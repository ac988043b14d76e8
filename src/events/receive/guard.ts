import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Rejection, tooLarge } from '../conversation/index.ts'

export interface RequiredHeader {
  readonly name: string
  readonly value: string
}

export interface GuardOptions {
  readonly host: string
  readonly path: string
  /** Allowed host names of requests other than loopback and `host`, such as a tunnel's. */
  readonly allowHosts?: readonly string[] | undefined
  readonly requireHeader?: RequiredHeader | undefined
  readonly maxBodyBytes: number
}

/**
 * A browser page must not be able to feed a listener on loopback: it sends an `Origin`, and a name rebound to 127.0.0.1
 * arrives as an unknown `Host`.
 */
export function createGuard(options: GuardOptions) {
  const hosts = new Set([
    'localhost',
    '127.0.0.1',
    '[::1]',
    ...[options.host, ...(options.allowHosts ?? [])].map(hostName),
  ])
  const expected = options.requireHeader && {
    name: options.requireHeader.name.toLowerCase(),
    digest: sha256(options.requireHeader.value),
  }

  /** Why a request is not let in, by its head alone. */
  const check = ({ headers, method, url = '' }: IncomingMessage): Rejection | undefined => {
    if (!hosts.has(headers.host ?? '') && !hosts.has(hostName(headers.host ?? ''))) {
      return { status: 403, message: `Host ${headers.host ?? '(none)'} is not allowed` }
    }
    if (headers.origin !== undefined)
      return { status: 403, message: 'requests from web pages are not allowed' }
    if (url !== options.path && url.split('?', 1)[0] !== options.path) {
      return { status: 404, message: `events go to ${options.path}` }
    }
    if (method !== 'POST') {
      return { status: 405, message: 'events are sent with POST', headers: { allow: 'POST' } }
    }
    if (expected !== undefined) {
      const headerValue = headers[expected.name]
      if (typeof headerValue !== 'string' || !timingSafeEqual(sha256(headerValue), expected.digest)) {
        return { status: 401, message: `header ${expected.name} is missing or wrong` }
      }
    }
    return Number(headers['content-length'] ?? 0) > options.maxBodyBytes
      ? tooLarge(options.maxBodyBytes)
      : undefined
  }
  /** Lets in what is addressed to this host too. */
  const allowHost = (name: string): void => void hosts.add(hostName(name))
  return { check, allowHost }
}

/** A Host without its port, as names compare: lower case, IPv6 in brackets. */
function hostName(host: string): string {
  const name = host.toLowerCase()
  if (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/.test(name)) return `[${name}]`
  return name.replace(/:\d*$/, '')
}

/** Digests are of one length, so comparing them tells nothing about the secret's. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
