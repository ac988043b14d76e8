import { decompress } from '../../../files/text/index.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { createBodyReader, readWhole } from './body-reader.ts'
import { type BodyForm, type BodyHeaders, decodeText } from './decode-body.ts'
import { withExactNumbers } from './event-values.ts'
import { getEventMessage, hasLargeNumber, parseEvent, type ReadEvent, readEvent } from './read-event.ts'

/** A body with events: its original bytes, and its headers in lower case. */
export interface ReceivedDelivery extends DeliveryHead {
  readonly body: Buffer
  /** When it arrived, ISO 8601; default: now. */
  readonly at?: string
}

export interface DeliveryHead {
  readonly headers: BodyHeaders & Readonly<Record<string, string | string[] | undefined>>
  /** Query of its URL without the question mark. */
  readonly query?: string | undefined
}

/** The response to a delivery that is not accepted. */
export interface Rejection {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface ReadBody {
  /** At least one event, in the order of the body. */
  readonly events: readonly ReadEvent[]
  /** Empty for a single JSON object in UTF-8. */
  readonly forms: readonly BodyForm[]
  /** The body as UTF-8, decompressed. */
  readonly plain: Buffer
}

interface ReadBodyOptions {
  /** Also applies after decompression. */
  readonly maxBytes: number
  /** Reads a JSON object in UTF-8; default: without using earlier bodies. */
  readonly read?: (body: Buffer) => ReadEvent | string
}

/** Default bound of a body, before and after decompression. */
export const defaultMaxBodyBytes = 10 * 1024 ** 2

/**
 * Returns a function that reads the bodies of one source in their order. It remembers bodies within bounds: of a conversation that
 * grows, each update is read only where it is new.
 */
export function createDeliveryReader(maxBytes = defaultMaxBodyBytes) {
  const { read } = createBodyReader()
  return ({ body, headers }: ReceivedDelivery) => readWebhookBody(body, headers, { maxBytes, read })
}

/** Reads a body in any form that deployments send (decision 0003). A JSON object in UTF-8 has no extra cost. */
export function readWebhookBody(
  body: Buffer,
  headers: BodyHeaders,
  { maxBytes, read = readWhole }: ReadBodyOptions,
): ReadBody | Rejection {
  if (headers['content-encoding'] === undefined) {
    const event = read(body)
    if (typeof event !== 'string') return { events: [event], forms: noForms, plain: body }
  }
  const decompressed = decompress(body, headers['content-encoding'], maxBytes)
  if (decompressed.kind === 'too-large') return tooLarge(maxBytes)
  const { kind, bytes } = decompressed
  const outer: readonly BodyForm[] = kind === 'compressed' ? ['compressed'] : noForms
  if (kind === 'compressed') {
    const event = read(bytes)
    if (typeof event !== 'string') return { events: [event], forms: outer, plain: bytes }
  }
  let problem = 'the body is not JSON'
  for (const { text, forms } of decodeText(bytes, headers['content-type'])) {
    const plain = Buffer.from(text)
    const result = eventsInText(plain, text, read)
    if (typeof result === 'string') problem = result
    else
      return result.events.length > maxEvents
        ? { status: 413, message: `the body has more than ${maxEvents} events` }
        : { ...result, forms: [...outer, ...forms, ...result.forms] }
  }
  if (kind !== 'unknown') return { status: 400, message: problem }
  return {
    status: 415,
    message: decompressed.problem,
    headers: { 'accept-encoding': 'gzip, deflate, br' },
  }
}

/** Events of a body that was kept; none if it cannot be read. */
export function eventsIn(
  body: Buffer | string,
  headers: BodyHeaders,
  { maxBytes }: ReadBodyOptions,
): readonly ReadEvent[] {
  if (typeof body === 'string' && headers['content-encoding'] === undefined) {
    const event = parseEvent(body)
    if (typeof event !== 'string') return [event]
  }
  const result = readWebhookBody(Buffer.from(body), headers, { maxBytes })
  return 'status' in result ? [] : result.events
}

export function tooLarge(maxBodyBytes: number): Rejection {
  return { status: 413, message: `the body is larger than ${maxBodyBytes} bytes` }
}

const noForms: readonly BodyForm[] = []

/** Longer arrays would take much longer to read than to send. */
const maxEvents = 10_000

/** Events of a text, or the reason why there are none. */
function eventsInText(
  plain: Buffer,
  text: string,
  read: (body: Buffer) => ReadEvent | string,
): ReadBody | string {
  const event = read(plain)
  if (typeof event !== 'string') return { events: [event], forms: noForms, plain }
  const list = parseList(text)
  if (list.length > 0) return { events: list, forms: ['list'], plain }
  for (const value of formValues(text)) {
    const inner = parseEvent(value)
    const events = typeof inner === 'string' ? parseList(value) : [inner]
    if (events.length > 0) return { events, forms: ['form'], plain }
  }
  return event
}

/** Objects of a JSON array; empty for anything else. */
function parseList(text: string): ReadEvent[] {
  if (!/^\s*\[/.test(text)) return []
  const items = objectsIn(parseJson(text))
  if (!items.some(item => hasLargeNumber(getEventMessage(item)))) return items.map(readEvent)
  const exact = objectsIn(parseJson(withExactNumbers(text)))
  return items.map((body, index) => ({ ...readEvent(exact[index] ?? body), body }))
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject).slice(0, maxEvents + 1) : []
}

/** Form values that may be JSON, `payload` first (application/x-www-form-urlencoded). */
function formValues(text: string): string[] {
  if (!/^\s*[\w.~%[\]-]{1,200}=/.test(text)) return []
  const fields = text
    .split('&', maxFields)
    .flatMap(field => [...new URLSearchParams(field.trim())])
    .filter(([, value]) => /^\s*[[{]/.test(value))
  const isPayload = ([name]: [string, string]) => name === 'payload'
  return [...fields.filter(isPayload), ...fields.filter(field => !isPayload(field))].map(([, value]) => value)
}

/** Bounds the work: a body may have millions of fields. */
const maxFields = 100
