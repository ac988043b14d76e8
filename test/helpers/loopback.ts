import type { Server } from 'node:http'
import { onTestFinished } from 'vitest'
import { holdPortForServer } from './ports.ts'

export interface Listening {
  /** Without a slash at the end. */
  readonly origin: string
  /** Aborts requests in progress. The port refuses connections until the test ends. */
  close(): Promise<void>
}

/** Lets a server of the test listen on a free port of this machine; closed when the test ends, at the latest. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  const { port, release } = await holdPortForServer()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  onTestFinished(async () => {
    await close()
    await release()
  })
  return { origin: `http://127.0.0.1:${port}`, close }
}
