import type { Clock } from '../clock.ts'

/** Why a body is not waited for any longer. */
export type CutReason = 'slow' | 'crowded'

/** The body of a request, as long as it has not wholly come. */
export interface OpenBody {
  /** Which of the open ones it is; -1 for one that is not open. The rest counts since `track`. */
  index: number
  begunAt: number
  bytes: number
  /** Memory that the body takes. */
  heldBytes: number
  /** Called once at most, and not after `end`; the body is then counted no more. */
  onCut(reason: CutReason): void
}

export const maxOpenBytes = 64 * 1024 ** 2
/** After this time a body must have come at `minBytesPerSecond` or more, on average. */
const bodyGraceMs = 10_000
const minBytesPerSecond = 16 * 1024
/** Overhead of a chunk: a body that arrives byte by byte is held in as many chunks. */
const chunkOverheadBytes = 512
const checkIntervalMs = 1000

/**
 * One bound for the unfinished bodies of all connections of a listener. When they hold more than `maxBytes`, the ones that have
 * held most memory for the longest time (bytes × milliseconds) are cut, so that honest senders get through: their bodies are small
 * or come fast. Bodies slower than `minBytesPerSecond` are cut after `bodyGraceMs`.
 */
export function createOpenBodies<Body extends OpenBody = OpenBody>({
  clock,
  maxBytes = maxOpenBytes,
}: {
  clock: Clock
  maxBytes?: number
}) {
  // Not a Set, because an almost empty one allocates a new table with each removal.
  const open: Body[] = []
  const closing = new AbortController()
  let heldBytes = 0
  let isWatching = false

  /** The body has wholly come, or is not wanted. */
  const end = (body: Body) => {
    const { index } = body
    if (index === -1) return
    heldBytes -= body.heldBytes
    body.index = -1
    const last = open.pop()
    if (last === undefined || last === body) return
    open[index] = last
    last.index = index
  }
  const cut = (body: Body, reason: CutReason) => {
    end(body)
    body.onCut(reason)
  }
  const makeRoom = () => {
    const now = clock.now()
    const weightOf = (body: Body) => body.heldBytes * (now - body.begunAt + 1)
    while (heldBytes > maxBytes) {
      const heaviest = open.reduce((most, body) => (weightOf(body) > weightOf(most) ? body : most))
      cut(heaviest, 'crowded')
    }
  }
  const watch = async () => {
    isWatching = true
    while (open.length > 0 && !closing.signal.aborted) {
      await clock.sleep(checkIntervalMs, closing.signal).catch(() => undefined)
      const now = clock.now()
      for (const body of [...open]) if (isSlow(body, now)) cut(body, 'slow')
    }
    isWatching = false
  }
  return {
    /** Counts a body from now on, and from nothing. */
    track(body: Body) {
      body.begunAt = clock.now()
      body.bytes = 0
      body.heldBytes = 0
      body.index = open.push(body) - 1
      if (!isWatching) void watch()
    },
    /** Counts a chunk that is kept. May cut bodies, this one too. */
    add(body: Body, bytes: number) {
      if (body.index === -1) return
      body.bytes += bytes
      body.heldBytes += bytes + chunkOverheadBytes
      heldBytes += bytes + chunkOverheadBytes
      if (heldBytes > maxBytes) makeRoom()
    },
    end,
    all: open as readonly Body[],
    /** Cuts slow bodies no more. */
    close: () => closing.abort(),
  }
}

function isSlow({ begunAt, bytes }: OpenBody, now: number): boolean {
  const elapsedMs = now - begunAt
  return elapsedMs >= bodyGraceMs && bytes < (elapsedMs / 1000) * minBytesPerSecond
}
