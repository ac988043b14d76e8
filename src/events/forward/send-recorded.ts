import { setMaxListeners } from 'node:events'
import type { Clock } from '../../lib/clock.ts'
import { createKeyedQueue } from '../../lib/queue.ts'
import { recordedBytes, type SelectedEvent } from '../recordings/index.ts'
import { envelopeOf } from './envelope.ts'
import { contentHeaders, type EventOutcome, type PostEventOptions, postEvent } from './post-event.ts'

export interface SendRecordedOptions extends Omit<PostEventOptions, 'body' | 'contentType' | 'envelope'> {
  /** False to send only the body with its content type; default: the headers and the query pass too. */
  readonly passHeaders?: boolean
  readonly clock: Clock
  onSent(event: SelectedEvent, answer: EventOutcome): void
}

/** Connections at a time. */
const atOnce = 64
/** Characters of bodies that wait for their turn; then no more is read. */
const maxWaitingCharacters = 32 * 1024 ** 2
/** Milliseconds before a refused connection is tried again. */
const backoff = [500, 1000, 2000]

/**
 * Sends recorded events to a receiver as they arrive: those of one call in order, each after the response to the previous one, calls in
 * parallel. Only refused connections are retried, three times, because nothing was sent; after that, no event waits until one gets
 * through.
 * @throws CallyardError `cancelled` when the signal aborts, and what the source of the events throws.
 */
export async function sendRecorded(
  events: AsyncIterable<SelectedEvent>,
  { onSent, passHeaders = true, ...options }: SendRecordedOptions,
): Promise<void> {
  const { clock, signal } = options
  // Each request that is under way listens to it.
  setMaxListeners(0, signal)
  let waiting = 0
  let isDown = false
  let failure: { readonly error: unknown } | undefined
  let wake = () => {}

  const post = ({ recorded: recordedEvent }: SelectedEvent) =>
    postEvent({
      ...options,
      ...{ body: recordedBytes(recordedEvent), ...contentHeaders(recordedEvent.headers) },
      envelope: passHeaders ? envelopeOf(recordedEvent) : undefined,
    })
  const postUntilConnected = async (event: SelectedEvent) => {
    let response = await post(event)
    for (const pause of backoff) {
      if (isDown || !isRefused(response)) break
      await clock.sleep(pause, signal)
      response = await post(event)
    }
    isDown = isRefused(response)
    return response
  }
  const queue = createKeyedQueue<SelectedEvent>(atOnce, async event => {
    try {
      if (failure === undefined) onSent(event, await postUntilConnected(event))
    } catch (error) {
      failure ??= { error }
    } finally {
      waiting -= event.recorded.body.length
      wake()
    }
  })
  try {
    for await (const event of events) {
      waiting += event.recorded.body.length
      queue.push(event.callId, event)
      while (waiting > maxWaitingCharacters) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      if (failure !== undefined) break
    }
  } finally {
    await queue.fewer(1)
  }
  if (failure !== undefined) throw failure.error
}

function isRefused(answer: EventOutcome): boolean {
  return 'failure' in answer && answer.failure.unsent
}
