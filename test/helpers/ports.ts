import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

const host = '127.0.0.1'

/** Server of the connections whose own ports are reserved. It does not keep the process alive. */
let anchor: Promise<number> | undefined

/**
 * Reserves a loopback port until this process ends: the local port of an open connection. Nothing listens there, so connections are refused,
 * and the system gives it to nobody else who asks for a free port.
 */
export async function refusingPort(): Promise<number> {
  return (await holdPort()).port
}

/** URL of a loopback host that refuses connections. */
export async function refusingOrigin(): Promise<string> {
  return `http://${host}:${await refusingPort()}`
}

/** Reserves a port for a server of the test, until this process ends: see `holdPortForServer`. */
export async function reservePort(): Promise<number> {
  return (await holdPortForServer()).port
}

/**
 * Reserves a loopback port on which a server of the test can listen, now or later, and which nobody else gets after it was closed. Only
 * Linux lets it listen on a reserved port; elsewhere the port is merely free now.
 */
export async function holdPortForServer() {
  const held = await holdPort()
  if (process.platform !== 'linux') await held.release()
  return held
}

async function holdPort() {
  anchor ??= openAnchor()
  // With a local address, the port is bound before the connection, and can be shared with a listener.
  const connection = connect({ host, port: await anchor, localAddress: host })
  connection.on('error', () => {}).unref()
  await once(connection, 'connect')
  return {
    port: connection.localPort ?? 0,
    async release() {
      if (connection.closed) return
      const closed = once(connection, 'close')
      connection.resetAndDestroy()
      await closed
    },
  }
}

async function openAnchor(): Promise<number> {
  const server = createServer(socket => socket.on('error', () => {}).unref()).unref()
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
