import type { Timekeeper } from '../../lib/clock.ts'

/** A connection that the server has kept open this long after a response is reused. */
const trustedAfterMs = 100

/**
 * Decides which requests share connections. Some servers close a connection right after a response without saying so, and a POST
 * that is sent then has an unknown outcome. So a connection is reused only once one has stayed open, idle, for a moment and through a
 * whole exchange on another. After the server has closed one, each request gets its own connection.
 */
export function createConnections({ now }: Timekeeper) {
  let state: 'untested' | 'kept' | 'closed' = 'untested'
  /** When the connection that is watched became idle. */
  let idleSince: number | undefined
  let isWatched = false
  return {
    /** Begins an exchange, shared or on a connection of its own; call `done` at its end. */
    open() {
      if (state === 'untested' && idleSince !== undefined && isWatched && now() - idleSince >= trustedAfterMs)
        state = 'kept'
      const isShared = state === 'kept' || (state === 'untested' && idleSince === undefined)
      const watchedSince = idleSince
      return {
        isShared,
        done() {
          if (isShared) idleSince ??= now()
          else isWatched ||= watchedSince !== undefined && watchedSince === idleSince
        },
      }
    },
    /** A shared connection was closed as announced, or by this side: watch the next one. */
    onClose() {
      idleSince = undefined
      isWatched = false
    },
    /** The server closed a shared connection without a word. */
    onUnexpectedClose() {
      state = 'closed'
    },
  }
}
