import { once } from 'node:events'
import type { Server } from 'node:http'

/**
 * Connections that may wait to be accepted, as far as the system allows; Node's 511 are full with a burst of a thousand calls, and what
 * comes then is reset after a while.
 */
const maxBacklog = 4096

/**
 * Listens, and returns the port: the one that was asked for, or a free one for 0.
 * @throws what `cannotListen` makes of the system's error
 */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  cannotListen: (error: unknown) => Error,
): Promise<number> {
  try {
    server.listen({ host, port, backlog: maxBacklog })
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen(error)
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
