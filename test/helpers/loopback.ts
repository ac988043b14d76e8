import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Listening {
  /** Without a slash at the end. */
  readonly origin: string
  /** Breaks off what is under way. */
  close(): Promise<void>
}

/** Lets a server of the test listen on a free port of this machine; closed when the test ends, at the latest. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
  onTestFinished(close)
  return { origin: `http://127.0.0.1:${port}`, close }
}
