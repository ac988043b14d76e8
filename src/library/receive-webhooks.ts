import { createDeliveryReader } from '../events/conversation/index.ts'
import { startReceiver } from '../events/receive/index.ts'
import { type Clock, startTimer } from '../lib/clock.ts'
import { count } from '../lib/text/count.ts'
import { checkOptions, toPublicError } from './errors.ts'
import { nextOptionsSchema, receiveOptionsSchema, webhookFieldsSchema } from './option-schemas.ts'
import { createProcessHold } from './process-hold.ts'
import {
  CallyardError,
  type ReceivedEvent,
  type WebhookFilter,
  type WebhookReceiver,
} from './public-types.ts'
import type { ReceiveOptions } from './resources.ts'

const megabyte = 1024 ** 2
const defaultTimeoutMs = 5000

type Matches = (event: ReceivedEvent) => boolean

/** See `receiveWebhooks` of the entry. */
export async function openWebhookReceiver(
  options: ReceiveOptions = {},
  clock: Clock,
): Promise<WebhookReceiver> {
  checkOptions(receiveOptionsSchema(), options, 'receiveWebhooks')
  const { port = 0, path = '/', maxBodyBytes = 10 * megabyte, maxWaitingBytes = 64 * megabyte } = options
  const buffer: { readonly event: ReceivedEvent; readonly bytes: number }[] = []
  let keptBytes = 0
  /** Each takes an event that it waits for, or the end without one: undefined. */
  const waiting = new Set<(event: ReceivedEvent | undefined) => boolean>()
  let closing: Promise<void> | undefined
  const processHold = createProcessHold()

  const read = createDeliveryReader(maxBodyBytes)
  const receiver = await startReceiver(
    { host: '127.0.0.1', port, path, maxBodyBytes, clock, unref: true },
    {
      accept(delivery) {
        const body = read(delivery)
        if ('status' in body) return { kind: 'malformed', rejection: body }
        const { events, plain } = body
        const { headers } = delivery
        if (keptBytes + plain.length > maxWaitingBytes) return testIsBehind
        const bytes = plain.length / events.length
        return {
          kind: 'accepted',
          show() {
            for (const { type, callId, status, body } of events) {
              const event: ReceivedEvent = { type, callId, status, body, headers }
              if ([...waiting].some(onEvent => onEvent(event))) continue
              buffer.push({ event, bytes })
              keptBytes += bytes
            }
          },
        }
      },
      onRefused() {},
    },
  ).catch(async error => {
    throw await toPublicError(error)
  })

  const takeKept = (matches: Matches) => {
    const index = buffer.findIndex(({ event }) => matches(event))
    const [entry] = index === -1 ? [] : buffer.splice(index, 1)
    keptBytes -= entry?.bytes ?? 0
    return entry?.event
  }
  /** Resolves with undefined once it is closed or its time is over. Rejects with the error of a filter. */
  const wait = (matches: Matches, timeoutMs?: number) =>
    new Promise<ReceivedEvent | undefined>((resolve, reject) => {
      const onEvent = (event: ReceivedEvent | undefined) => {
        let isTaken = true
        try {
          if (event !== undefined && !matches(event)) return false
          resolve(event)
        } catch (error) {
          isTaken = false
          reject(error)
        }
        waiting.delete(onEvent)
        stopTimer()
        return isTaken
      }
      waiting.add(onEvent)
      const stopTimer =
        timeoutMs === undefined ? () => {} : startTimer(timeoutMs, () => onEvent(undefined), clock)
    })
  const close = () => {
    closing ??= processHold.during(receiver.close)
    for (const onEvent of waiting) onEvent(undefined)
    return closing
  }
  return {
    url: receiver.address,
    async next(filter = {}, options = {}) {
      const matches = toMatch(filter)
      checkOptions(nextOptionsSchema(), options, 'next')
      const { timeoutMs = defaultTimeoutMs } = options
      const bufferedEvent = takeKept(matches)
      if (bufferedEvent !== undefined) return bufferedEvent
      if (closing !== undefined) throw closedError()
      const event = await processHold.during(() => wait(matches, timeoutMs))
      if (event !== undefined) return event
      if (closing !== undefined) throw closedError()
      throw timedOut(
        filter,
        timeoutMs,
        buffer.map(entry => entry.event),
      )
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const event = takeKept(() => true) ?? (closing === undefined ? await wait(() => true) : undefined)
        if (event === undefined) return
        yield event
      }
    },
    clear() {
      buffer.length = 0
      keptBytes = 0
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const testIsBehind = { kind: 'busy', reason: 'the test reads events too slowly' } as const

function toMatch(filter: WebhookFilter | Matches): Matches {
  if (typeof filter === 'function') return filter
  const fields = typeof filter === 'string' ? { type: filter } : filter
  checkOptions(webhookFieldsSchema(), fields, 'next')
  const { type, call, status } = fields
  return event =>
    (type === undefined || event.type === type) &&
    (call === undefined || event.callId === call) &&
    (status === undefined || event.status === status)
}

function closedError(): CallyardError {
  return new CallyardError('closed', 'the webhook receiver is closed')
}

function timedOut(
  filter: WebhookFilter | Matches,
  timeoutMs: number,
  bufferedEvents: readonly ReceivedEvent[],
): CallyardError {
  const condition =
    typeof filter === 'function' ? 'that the filter takes' : `that matches ${JSON.stringify(filter)}`
  const recent = bufferedEvents
    .slice(-maxShown)
    .map(({ type, status }) => [type, status].filter(Boolean).join(' '))
  const waits =
    bufferedEvents.length === 0
      ? 'no event waits'
      : `${count(bufferedEvents.length, 'other event')} wait: ${recent.join(', ')}`
  return new CallyardError('timeout', `no event arrived within ${timeoutMs} ms ${condition}; ${waits}`)
}

const maxShown = 8
