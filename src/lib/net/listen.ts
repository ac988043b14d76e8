import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Connections that may wait to be accepted, as far as the system allows; Node's 511 are full with a burst of a thousand calls, and what
 * comes then is reset after a while.
 */
const maxBacklog = 4096

interface ListenOptions {
  readonly host: string
  readonly port: number
  /** If true, neither the server nor its connections keep the process alive. */
  readonly unref?: boolean | undefined
}

/** Listens and returns the port: the requested one, or a free one for 0. @throws the error that `cannotListen` creates */
export async function listen(
  server: Server,
  { host, port, unref }: ListenOptions,
  cannotListen: (error: unknown) => Error,
): Promise<number> {
  try {
    server.listen({ host, port, backlog: maxBacklog })
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen(error)
  }
  if (unref === true) server.unref().on('connection', (socket: Socket) => socket.unref())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
