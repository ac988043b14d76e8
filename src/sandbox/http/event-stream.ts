import { Problem } from '../records/problem.ts'
import type { World } from '../world.ts'

/** Bytes that wait for a reader; of one that leaves more unread the stream ends, and it comes back when it reads again. */
const maxUnreadBytes = 1024 * 1024

/** Of all worlds together: each may hold its bytes. */
const maxStreams = 100

/**
 * What happens in a world as server-sent events, until the reader leaves or the world is closed.
 * @throws Problem 429, when the function that it returns is called
 */
export function createWorldStreams(): (world: World) => Response {
  let open = 0
  return world => {
    if (open === maxStreams)
      throw new Problem(429, `${maxStreams} streams of events are open`, { hint: 'close one of them' })
    open += 1
    return eventStream(world, () => {
      open -= 1
    })
  }
}

/** `onEnd` is called once. */
function eventStream(world: World, onEnd: () => void): Response {
  const encoder = new TextEncoder()
  let end = () => {}
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (frame: string) => controller.enqueue(encoder.encode(frame))
        // At once: a client waits for the head of the answer.
        write('retry: 1000\n\n')
        const unsubscribe = world.subscribe(({ kind, ...data }) => {
          write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)
          if (kind !== 'closed' && (controller.desiredSize ?? 0) > 0) return
          end()
          controller.close()
        })
        end = () => {
          end = () => {}
          unsubscribe()
          onEnd()
        }
      },
      cancel: () => end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  )
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  })
}
