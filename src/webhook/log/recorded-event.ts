import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import { webhookError } from '../errors.ts'

/** A line of a recording: one accepted event, as it came. */
export const recordedEventSchema = z.object({
  kind: z.literal('recorded'),
  version: z.literal(1),
  /** When it arrived, ISO 8601 with milliseconds. */
  at: z.iso.datetime(),
  /** Names in lower case; values of secrets are `****`. */
  headers: z.record(z.string(), z.string()),
  /** The bytes of the body, which are UTF-8, exactly. */
  body: z.string(),
})

export type RecordedEvent = z.infer<typeof recordedEventSchema>

/** A line that is none, which is skipped: the last one of a recording that was killed, or garbage. */
export interface SkippedLine {
  readonly kind: 'skipped'
  readonly file: string
  /** From 1. */
  readonly line: number
  /** Whether it is the last line and has no end: it was being written when the process died. */
  readonly torn: boolean
}

/** What reading a recording gives, in the order of the file. */
export type RecordingItem = RecordedEvent | SkippedLine

/** How every line of a recording begins. */
const beginning = '{"kind":"recorded",'

/**
 * What a terminal could act upon, beside what JSON escapes: DEL, C1 and bidi controls, line separators. Escaped like
 * the rest, so that a recording may be printed as it is.
 */
const hostile = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** One event as it stands in the file, with its newline. */
export function toRecordedLine({ at, headers, body }: Omit<RecordedEvent, 'kind' | 'version'>): string {
  const json = JSON.stringify({ kind: 'recorded', version: 1, at, headers, body } satisfies RecordedEvent)
  return `${json.replace(hostile, unicodeEscape)}\n`
}

/**
 * The event of a line, without its newline; undefined for a line that is none.
 * @throws CallwrightError `usage` for a line of a later version.
 */
export function parseLine(bytes: Buffer): RecordedEvent | undefined {
  if (!isUtf8(bytes)) return undefined
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
  const parsed = recordedEventSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const { success: isRecord, data } = anyVersion.safeParse(value)
  if (!isRecord || data.version === 1) return undefined
  throw webhookError('usage', 'recording-too-new', { version: data.version })
}

/** Whether these bytes begin as a line of a recording does, as far as they go. */
export function beginsLikeRecorded(bytes: Buffer): boolean {
  const start = bytes.subarray(0, beginning.length).toString('latin1')
  return beginning.startsWith(start)
}

const anyVersion = z.object({ kind: z.literal('recorded'), version: z.number() })

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

const concealed = '****'

/** Names of headers that carry a secret, or look as if they do: one too many costs nothing, one too few leaks it. */
const secretName =
  /auth|cookie|key|token|secret|passw|credential|session|jwt|hmac|csrf|xsrf|signature|(?:^|[-_])(?:sig|sign)(?:$|[-_])/

/** An address, whose user, password and query may be secret. */
const address = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/)\S*$/i

/**
 * The headers of a request as they may be kept: names in lower case, values of secrets `****`; an address without user,
 * password and query.
 */
export function redactHeaders(
  headers: IncomingHttpHeaders,
  secretHeader: string | undefined,
): Record<string, string> {
  const wanted = secretHeader?.toLowerCase()
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = Array.isArray(value) ? value.join(', ') : value
      const secret = name === wanted || secretName.test(name) || /^(?:bearer|basic|digest)\s/i.test(text)
      return [[name, secret ? concealed : withoutSecrets(text)]]
    }),
  )
}

function withoutSecrets(value: string): string {
  if (!address.test(value)) return value
  return value.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*$/, match => `${match[0]}${concealed}`)
}
