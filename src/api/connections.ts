import type { Agent } from 'node:http'
import type { AgentOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../lib/clock.ts'

/** Longest idle time of a connection that is reused: servers close one after five seconds or more. */
export const maxIdleMs = 3000
/** A connection that the server has kept open this long after a response is reused. */
const trustedAfterMs = 100

/**
 * Decides which requests share a connection. Some servers close a connection right after a response without saying so, and a POST
 * that is sent then has an unknown outcome. So a connection is reused only once one has stayed open, idle, for a moment and through a
 * whole exchange on another. After the server has closed one, each request gets its own connection.
 */
export function createConnections(
  createAgent: (options: AgentOptions) => Agent,
  { now }: Pick<Clock, 'now'>,
) {
  const shared = createAgent({ keepAlive: true, timeout: maxIdleMs })
  const single = createAgent({ keepAlive: false })
  let state: 'untested' | 'kept' | 'closed' = 'untested'
  let idle: Socket | undefined
  let idleSince = 0
  let isWatched = false
  const idleSockets = new Set<Duplex>()
  const listened = new WeakSet<Socket>()
  const reuse = shared.reuseSocket.bind(shared)
  shared.reuseSocket = (socket, request) => {
    idleSockets.delete(socket)
    reuse(socket, request)
  }
  shared.on('free', (socket: Socket) => {
    idleSockets.add(socket)
    if (!listened.has(socket)) {
      listened.add(socket)
      // Idle for `maxIdleMs`: the agent closes it. Only `close` is emitted for an idle socket on every version of Node.
      socket.on('timeout', () => idleSockets.delete(socket))
      socket.once('close', () => {
        if (idleSockets.delete(socket)) state = 'closed'
      })
    }
    if (state !== 'untested' || idle !== undefined) return
    idle = socket
    idleSince = now()
    // Closed on this side, after `maxIdleMs`: watch the next one.
    socket.once('close', () => {
      idle = undefined
      isWatched = false
    })
  })
  return {
    /** Returns the agent for one exchange; call `done` at its end. */
    open(): { readonly agent: Agent; done(): void } {
      if (state === 'untested' && isWatched && now() - idleSince >= trustedAfterMs) state = 'kept'
      if (state === 'kept' || (state === 'untested' && idle === undefined))
        return { agent: shared, done() {} }
      const watched = idle
      return {
        agent: single,
        done() {
          isWatched ||= watched !== undefined && watched === idle
        },
      }
    },
    destroy() {
      shared.destroy()
      single.destroy()
    },
  }
}
