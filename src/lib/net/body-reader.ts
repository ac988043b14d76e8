import type { IncomingMessage } from 'node:http'
import type { Clock } from '../clock.ts'
import { type CutReason, createOpenBodies, maxOpenBytes, type OpenBody } from './open-bodies.ts'

/** Why a body is not read to its end. */
export type BodyFailure = CutReason | 'too-large' | 'aborted'

export interface BodyHandlers {
  readonly maxBytes: number
  onBody(bytes: Buffer): void
  /** Called instead of `onBody`; the rest of the body is then unread. */
  onFailure(reason: BodyFailure): void
}

export type BodyReader = ReturnType<typeof createBodyReader>

/** Bytes read from a rejected body, so that a reset does not overtake the response. */
const maxDrainedBytes = 1024 ** 2

/** Reader of the request bodies of a listener, with one bound for all unfinished ones (`createOpenBodies`). */
export function createBodyReader({
  clock,
  maxOpenBytes: maxBytes = maxOpenBytes,
}: {
  clock: Clock
  maxOpenBytes?: number
}) {
  const openBodies = createOpenBodies<RequestBody>({ clock, maxBytes })

  const start = (request: IncomingMessage, handlers: ChunkHandlers) => {
    const readOn = () => {
      // All that has come, where a listener to `data` would get it in pieces, and later.
      const chunk: Buffer | null = request.read()
      if (chunk !== null) handlers.onChunk(chunk, body)
      if (!request.complete || body.index === -1) return
      openBodies.end(body)
      handlers.onEnd()
    }
    const onClose = () => {
      if (body.index !== -1) body.onCut('aborted')
    }
    const body: RequestBody = {
      index: -1,
      begunAt: 0,
      bytes: 0,
      heldBytes: 0,
      request,
      onCut(reason) {
        openBodies.end(body)
        request.off('readable', readOn).off('close', onClose)
        handlers.onCut(reason)
      },
    }
    openBodies.track(body)
    request.on('readable', readOn).on('close', onClose)
    // For bytes that arrived before this listener, and for an empty body, `readable` may never be emitted.
    if (request.destroyed) onClose()
    else if (request.complete) readOn()
  }
  return {
    /** Reads a body, synchronously with its last byte. */
    read(request: IncomingMessage, { maxBytes, onBody, onFailure }: BodyHandlers) {
      const chunks: Buffer[] = []
      let size = 0
      start(request, {
        onChunk(chunk, body) {
          chunks.push(chunk)
          size += chunk.length
          if (size > maxBytes) body.onCut('too-large')
          else openBodies.add(body, chunk.length)
        },
        onEnd: () => onBody(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)),
        onCut: onFailure,
      })
    },
    /** Reads on after a response that came early, and discards what comes. A sender that does not end soon is disconnected. */
    drain(request: IncomingMessage, onEnd: () => void) {
      let size = 0
      start(request, {
        onChunk(chunk, body) {
          size += chunk.length
          if (size > maxDrainedBytes) body.onCut('too-large')
        },
        onEnd,
        onCut: () => void request.destroy(),
      })
    },
    /** Requests whose bodies have not ended. */
    requests: (): readonly IncomingMessage[] => openBodies.all.map(({ request }) => request),
    /** Disconnects slow senders no more. */
    close: openBodies.close,
  }
}

interface RequestBody extends OpenBody {
  readonly request: IncomingMessage
  onCut(reason: BodyFailure): void
}

interface ChunkHandlers {
  onChunk(chunk: Buffer, body: RequestBody): void
  onEnd(): void
  onCut(reason: BodyFailure): void
}
