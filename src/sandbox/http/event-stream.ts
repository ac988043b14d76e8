import type { World } from '../world.ts'

/** Bytes that wait for a reader; of one that leaves more unread the stream ends, and it comes back when it reads again. */
const maxUnreadBytes = 1024 * 1024

/** What happens in a world as server-sent events, until the reader leaves or the world is closed. */
export function eventStream(world: World): Response {
  const encoder = new TextEncoder()
  let unsubscribe = () => {}
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (frame: string) => controller.enqueue(encoder.encode(frame))
        // At once: a client waits for the head of the answer.
        write('retry: 1000\n\n')
        unsubscribe = world.subscribe(({ kind, ...data }) => {
          write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)
          if (kind !== 'closed' && (controller.desiredSize ?? 0) > 0) return
          unsubscribe()
          controller.close()
        })
      },
      cancel: () => unsubscribe(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxUnreadBytes }),
  )
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  })
}
