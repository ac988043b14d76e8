import { reasonOf } from '../lib/error.ts'
import { networkErrorCode, networkErrorReason } from '../lib/net/network-error.ts'
import type { ApiHint } from './api.ts'

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

const isItRunning: ApiHint = 'check-service'
const checkNetwork = 'check the network connection'

const hints: Readonly<Record<string, string>> = {
  ECONNREFUSED: isItRunning,
  ETIMEDOUT: isItRunning,
  UND_ERR_CONNECT_TIMEOUT: isItRunning,
  ENOTFOUND: 'check-base-url' satisfies ApiHint,
  EAI_AGAIN: checkNetwork,
  EHOSTUNREACH: checkNetwork,
  ENETUNREACH: checkNetwork,
  ENETDOWN: checkNetwork,
}

/** Names an error of Node or undici. A refused tunnel and an untrusted certificate do not get better by repetition. */
export function networkReason(error: unknown): NetworkReason {
  const code = networkErrorCode(error)
  const known = networkErrorReason(code)
  if (code === 'UND_ERR_HEADERS_OVERFLOW' && known !== undefined) return lasting(known)
  if (known !== undefined) return passing(known, hints[code ?? ''])
  const message = reasonOf(error)
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
