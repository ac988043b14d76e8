import { once } from 'node:events'
import { Agent, type AgentOptions } from 'node:https'
import { connect as connectPlainly, isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { basicLogin } from './http.ts'

interface TunnelOptions {
  readonly connectTimeoutMs: number
  /** The error of a proxy that does not answer in this time. */
  connectTimeout(): Error
  /** Ends tunnels that do not stand yet: the agent does not know them. */
  readonly signal: AbortSignal
}

/** Connections over TLS, each through a tunnel that an HTTP proxy is asked for (RFC 9110, 9.3.6). */
export function createTunnelAgent(proxy: URL, settings: AgentOptions, options: TunnelOptions): Agent {
  const agent = new Agent(settings)
  agent.createConnection = (target, callback) => {
    const host = target.host ?? ''
    openTunnel(proxy, `${host.includes(':') ? `[${host}]` : host}:${target.port}`, options)
      .then(async tunnel => {
        // With the host: an address has no `servername`, and the certificate must not be checked for the proxy's name.
        const socket = connectSecurely({
          ...target,
          host,
          port: Number(target.port),
          path: undefined,
          socket: tunnel,
        })
        const end = () => socket.destroy(options.connectTimeout())
        socket.setTimeout(options.connectTimeoutMs, end)
        await once(socket, 'secureConnect', options).catch(error => {
          socket.destroy()
          throw error
        })
        socket.off('timeout', end)
        return socket.setTimeout(0)
      })
      .then(
        socket => callback?.(null, socket),
        // Beside an error the stream is not looked at.
        error => callback?.(error, new Duplex()),
      )
    return undefined
  }
  return agent
}

async function openTunnel(
  proxy: URL,
  target: string,
  { connectTimeoutMs, connectTimeout, signal }: TunnelOptions,
): Promise<Socket> {
  const { protocol, hostname, port } = proxy
  const isSecure = protocol === 'https:'
  const authorization = basicLogin(proxy)
  const login = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`
  const host = hostname.replace(/^\[|\]$/g, '')
  const address = { host, port: Number(port || (isSecure ? 443 : 80)), timeout: connectTimeoutMs }
  // Node sends no name of its own accord, and refuses an address as one.
  const servername = isIP(host) === 0 ? host : ''
  const socket = isSecure ? connectSecurely({ ...address, servername }) : connectPlainly(address)
  const end = () => socket.destroy(connectTimeout())
  socket.once('timeout', end)
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal })
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${login}\r\n`)
    const status = await readStatus(socket, signal)
    if (status !== 200) throw new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`)
    socket.off('timeout', end)
    return socket.setTimeout(0)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

const maxHeaderBytes = 16 * 1024

/** The status of the answer, behind any `100 Continue`; what follows its header stays in the socket. */
async function readStatus(socket: Socket, signal: AbortSignal): Promise<number> {
  let held = Buffer.alloc(0)
  const ended = new Promise(resolve => socket.once('end', resolve))
  while (held.length <= maxHeaderBytes && !socket.readableEnded) {
    const end = held.indexOf('\r\n\r\n')
    if (end === -1) {
      const chunk: unknown = socket.read()
      if (Buffer.isBuffer(chunk)) held = Buffer.concat([held, chunk])
      else await Promise.race([once(socket, 'readable', { signal }), ended])
      continue
    }
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(held.toString('latin1', 0, end))?.[1])
    held = held.subarray(end + 4)
    if (status >= 100 && status < 200) continue
    if (held.length > 0) socket.unshift(held)
    return status
  }
  throw new Error('the proxy does not answer as HTTP')
}
