import { errorCode } from './failures.ts'

/** Why no answer came, in words. */
export interface NetworkReason {
  readonly reason: string
  readonly hint?: string
  /** Whether trying again can help. */
  readonly passing: boolean
}

const passing = (reason: string, hint?: string): NetworkReason => ({
  reason,
  passing: true,
  ...(hint === undefined ? {} : { hint }),
})
const lasting = (reason: string, hint?: string): NetworkReason => ({
  ...passing(reason, hint),
  passing: false,
})

const isItRunning = 'is the base URL right, and the service running? callwright profile show'

const reasons: Readonly<Record<string, NetworkReason>> = {
  ECONNREFUSED: passing('connection refused', isItRunning),
  ENOTFOUND: passing('no such host', 'check the base URL: callwright profile show'),
  EAI_AGAIN: passing('the host name could not be resolved', 'check the network connection'),
  EHOSTUNREACH: passing('the host cannot be reached', 'check the network connection'),
  ENETUNREACH: passing('the network cannot be reached', 'check the network connection'),
  ENETDOWN: passing('the network is down', 'check the network connection'),
  ETIMEDOUT: passing('no connection in time', isItRunning),
  UND_ERR_CONNECT_TIMEOUT: passing('no connection in time', isItRunning),
  ECONNRESET: passing('the connection was reset'),
  EPIPE: passing('the connection was closed'),
  UND_ERR_SOCKET: passing('the connection was closed before the answer was complete'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: passing('the answer is shorter than it says'),
  UND_ERR_HEADERS_OVERFLOW: lasting('the headers of the answer are too long'),
}

/** Names an error of Node or undici. A refused tunnel and an untrusted certificate do not get better by repetition. */
export function networkReason(error: unknown): NetworkReason {
  const code = errorCode(error)
  const known = code === undefined ? undefined : reasons[code]
  if (known !== undefined) return known
  const message = error instanceof Error ? error.message : String(error)
  const refusedTunnel = /^Proxy response \((\d+)\)/.exec(message)
  if (refusedTunnel !== null) return lasting(`the proxy refused the connection (${refusedTunnel[1]})`)
  if (error instanceof Error && error.name === 'HTTPParserError') return lasting('the answer is not HTTP')
  if (isCertificate(code)) {
    return lasting(
      `the certificate of the service is not trusted (${code})`,
      'for a certificate authority of your own, set NODE_EXTRA_CA_CERTS to its file',
    )
  }
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL') === true) {
    return lasting('the service does not speak TLS here', 'is it an http address?')
  }
  return passing(code === undefined ? message : `${message} (${code})`)
}

function isCertificate(code: string | undefined): boolean {
  return code !== undefined && /CERT|^ERR_TLS|^UNABLE_TO_|^CRL_|^HOSTNAME_MISMATCH/.test(code)
}
