import { isAscii, isUtf8 } from 'node:buffer'
import { readdirSync, renameSync, statSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { basename, dirname, extname, join } from 'node:path'
import * as z from 'zod/mini'
import { decodeUtf8 } from '../../files/text/index.ts'
import { CallyardError, describeFileError, getErrorReason } from '../../lib/error.ts'
import { type Disk, type LineFile, openLineFile } from '../../lib/fs/line-file.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { eventsIn, type ReadEvent } from '../conversation/index.ts'
import { cannotRecord } from './errors.ts'

const version = 1

/** A line of a recording: one accepted event, as it came. */
export const recordedEventSchema = z.object({
  kind: z.literal('recorded'),
  version: z.literal(version),
  /** When it arrived, ISO 8601 with milliseconds. */
  at: z.iso.datetime(),
  /** Names in lower case; values of secrets are `****`. */
  headers: z.record(z.string(), z.string()),
  /** Query of the request; values of secrets are `****`. */
  query: z.optional(z.string()),
  /** Exact bytes of the body: text if UTF-8, else base64. */
  body: z.string(),
  encoding: z.optional(z.literal('base64')),
})

export type RecordedEvent = z.infer<typeof recordedEventSchema>

interface RecordedBody {
  readonly body: string
  readonly encoding?: 'base64' | undefined
}

/** Encodes a request body for a line. UTF-16 may be valid UTF-8 with zero bytes, which is unreadable in a line. */
export function recordBody(bytes: Buffer): RecordedBody {
  const isText = isAscii(bytes) || isUtf8(bytes)
  if (isText && !bytes.includes(0)) return { body: bytes.toString('utf8') }
  return { body: bytes.toString('base64'), encoding: 'base64' }
}

/** Original bytes of the body. */
export function recordedBytes({ body, encoding }: RecordedBody): Buffer {
  return Buffer.from(body, encoding ?? 'utf8')
}

/** Events of a recorded body; may be empty. */
export function recordedEvents(
  recordedEvent: RecordedBody & { readonly headers: Readonly<Record<string, string>> },
): readonly ReadEvent[] {
  const body = recordedEvent.encoding === undefined ? recordedEvent.body : recordedBytes(recordedEvent)
  return eventsIn(body, recordedEvent.headers, { maxBytes: maxRecordedBytes })
}

/** Limit for decompressing a recorded body. With --max-body, a tail accepts nothing larger than a line. */
const maxRecordedBytes = 256 * 1024 ** 2

/** An invalid line, which is skipped: garbage, or the last line of a killed recording. */
export interface SkippedLine {
  readonly kind: 'skipped'
  readonly file: string
  /** From 1. */
  readonly line: number
  /** True if it is an unterminated last line, which was being written when the process died. */
  readonly torn: boolean
}

export type RecordingItem = RecordedEvent | SkippedLine

/** Start of every recorded line. */
const beginning = '{"kind":"recorded",'

/**
 * Characters that a terminal could act on and JSON does not escape: DEL, C1 and bidi controls, line separators. Escaped, so that a
 * recording can be printed safely.
 */
const hostile = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Returns the line of an event, with its newline. */
export function toRecordedLine({ encoding, ...event }: Omit<RecordedEvent, 'kind' | 'version'>): string {
  const { at, headers, query, body } = event
  const line: RecordedEvent = {
    ...{ kind: 'recorded', version, at, headers },
    ...(query !== undefined && { query }),
    ...(encoding !== undefined && { encoding }),
    body,
  }
  const json = JSON.stringify(line)
  return `${json.replace(hostile, unicodeEscape)}\n`
}

/**
 * Returns the event of a line without its newline; undefined for an invalid line.
 * @throws CallyardError `usage` for a line of another version, with the file and the number of the line if they are given.
 */
export function parseLine(bytes: Buffer, file?: string, line?: number): RecordedEvent | undefined {
  const text = decodeUtf8(bytes)
  const value = text === undefined ? undefined : parseJson(text.replace(/^\uFEFF/, ''))
  if (isWrittenHere(value)) return value
  const parsed = recordedEventSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const { success: isRecord, data } = anyVersion.safeParse(value)
  if (!isRecord || data.version === version) return undefined
  throw recordingTooNew(data.version, file, line)
}

/** True for a line as `toRecordedLine` writes it, which is nearly every one: the schema takes several times as long. */
function isWrittenHere(value: unknown): value is RecordedEvent {
  if (!isObject(value) || value.kind !== 'recorded' || value.version !== version) return false
  const { at, headers, query, body } = value
  if (query !== undefined && typeof query !== 'string') return false
  if (typeof body !== 'string' || typeof at !== 'string' || !isObject(headers)) return false
  if (!isIsoTime(at)) return false
  for (const name in value) if (!lineFields.has(name)) return false
  for (const name in headers) if (typeof headers[name] !== 'string') return false
  return true
}

/** True for a time as toISOString writes it. */
function isIsoTime(text: string): boolean {
  if (!isoTime.test(text)) return false
  const minute = text.slice(0, 16)
  if (minute === lastMinute) return true
  const time = Date.parse(text)
  if (Number.isNaN(time) || new Date(time).toISOString() !== text) return false
  lastMinute = minute
  return true
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/
/** Minute of the last time, which the next one nearly always has: checking it costs as much as parsing a short line. */
let lastMinute = ''

const lineFields = new Set(['kind', 'version', 'at', 'headers', 'query', 'body'])

/** True if the bytes could be the start of a recording line. */
export function beginsLikeRecorded(bytes: Buffer): boolean {
  const isMarked = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  const first = isMarked ? byteOrderMark.length : 0
  const start = bytes.subarray(first, first + beginning.length).toString('latin1')
  return beginning.startsWith(start)
}

/** Some editors begin a file with it. */
const byteOrderMark = Buffer.from('\uFEFF')

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
function redactHeaders(
  headers: IncomingHttpHeaders,
  secretHeader: string | undefined,
): Record<string, string> {
  const secretHeaderName = secretHeader?.toLowerCase()
  const redacted: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value === undefined) continue
    const text = Array.isArray(value) ? value.join(', ') : value
    const secret = name === secretHeaderName || isSecretName(name) || /^(?:bearer|basic|digest)\s/i.test(text)
    redacted[name] = secret ? concealed : withoutSecrets(text)
  }
  return redacted
}

export interface Secrecy {
  /** Name of the header that the listener checks; it is always masked. */
  readonly secretHeader?: string | undefined
  /** True to mask nothing else. */
  readonly keepSecrets?: boolean | undefined
}

/** Returns the headers and the query of a request as they may be kept. */
export function redactRequest(
  { headers, query }: { readonly headers: IncomingHttpHeaders; readonly query?: string | undefined },
  { secretHeader, keepSecrets = false }: Secrecy,
): { headers: Record<string, string>; query?: string } {
  if (!keepSecrets) {
    const redactedQuery = query === undefined ? {} : { query: redactQuery(query) }
    return { headers: redactHeaders(headers, secretHeader), ...redactedQuery }
  }
  const whole = Object.entries(headers).flatMap(([name, value]) => {
    const text = name === secretHeader?.toLowerCase() ? concealed : value
    return text === undefined ? [] : [[name, Array.isArray(text) ? text.join(', ') : text] as const]
  })
  return { headers: Object.fromEntries(whole), ...(query !== undefined && { query }) }
}

/** A part without a name may be a secret itself. */
function redactQuery(query: string): string {
  return query
    .split('&')
    .map(part => {
      const [name = ''] = part.split('=', 1)
      if (name === part) return concealed
      return isSecretName(name.toLowerCase()) ? `${name}=${concealed}` : part
    })
    .join('&')
}

/** Names of headers are few, and each request has them all. */
const knownNames = new Map<string, boolean>()
const maxKnownNames = 1000

function isSecretName(name: string): boolean {
  const cachedResult = knownNames.get(name)
  if (cachedResult !== undefined) return cachedResult
  if (knownNames.size >= maxKnownNames) knownNames.clear()
  const isSecret = secretName.test(name)
  knownNames.set(name, isSecret)
  return isSecret
}

function withoutSecrets(value: string): string {
  if (!address.test(value)) return value
  return value.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*$/, match => `${match[0]}${concealed}`)
}

export type RecordingFileEvent =
  /** The last line was unterminated when the file was opened; the next write terminates it. */
  | { readonly kind: 'torn' }
  | { readonly kind: 'readable-by-others'; readonly mode: number }
  /** It was removed; a new one is begun. */
  | { readonly kind: 'removed' }
  /** It could not be put aside and grows on. */
  | { readonly kind: 'not-rotated'; readonly reason: string }

export interface RecordingFileOptions {
  /** Absolute. */
  readonly path: string
  /** Bytes that a file may have before it is put aside as `<name>.1.ndjson`, `<name>.2.ndjson`…; default: unbounded. */
  readonly rotate?: number | undefined
  readonly disk?: Disk | undefined
  onEvent(news: RecordingFileEvent): void
}

/**
 * Opens a recording for appending; a new file has mode 0600.
 * @throws CallyardError `usage` when it cannot be opened, is not a regular file, or is not a recording.
 */
export function openRecordingFile({ path, rotate, disk, onEvent }: RecordingFileOptions) {
  let file = openToAppend(path, disk)
  let rotates = true
  if ((file.mode & 0o044) !== 0) onEvent({ kind: 'readable-by-others', mode: file.mode })
  if (file.torn) onEvent({ kind: 'torn' })

  const reopen = () => {
    const next = openToAppend(path, disk)
    file.close()
    file = next
  }
  const putAside = () => {
    try {
      // The path may refer to another file by now, or to none after an interrupted rotation.
      if (statSync(path, { throwIfNoEntry: false })?.ino === file.inode) renameSync(path, nextRotated(path))
      reopen()
      rotates = true
    } catch (error) {
      if (rotates) onEvent({ kind: 'not-rotated', reason: getErrorReason(error) })
      rotates = false
    }
  }
  return {
    /**
     * Appends a whole line at once, or nothing.
     * @throws errors of the system; the next line is still separate then.
     */
    append(line: Buffer): void {
      // Removed, with its folder perhaps: what is written to it now is gone when it is closed.
      if (!file.exists()) {
        reopen()
        onEvent({ kind: 'removed' })
      } else if (rotate !== undefined) {
        const size = file.size()
        if (size > 0 && size + line.length > rotate) putAside()
      }
      file.append(line)
    },
    close: () => file.close(),
  }
}

function openToAppend(path: string, disk: Disk | undefined): LineFile {
  let file: LineFile | undefined
  try {
    // Opening a pipe without a reader would wait for ever.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
      throw new Error('it is not a regular file')
    file = openLineFile(path, disk)
    const size = file.size()
    if (size > 0 && !beginsLikeRecorded(file.read(0, 64))) throw new Error('it is not a recording')
    return file
  } catch (error) {
    file?.close()
    throw cannotRecord(path, describeFileError(error), error)
  }
}

export interface RotatedFile {
  readonly path: string
  readonly number: number
}

/**
 * Returns the files that `--rotate` closed, oldest first. `calls.ndjson` becomes `calls.1.ndjson`, the next one `calls.2.ndjson`: closed
 * files keep their name, and the highest number is the newest. One that was compressed since ends in `.gz`; if both exist, the
 * compressed one may be incomplete, and is not returned.
 * @throws errors of the system for a folder that cannot be listed.
 */
export function rotatedFiles(path: string): RotatedFile[] {
  const { stem, extension } = partsOf(path)
  const byNumber = new Map<number, string>()
  // A name comes before the same name with `.gz`.
  for (const name of readdirSync(dirname(path)).sort()) {
    const uncompressed = withoutGz(name)
    if (!uncompressed.startsWith(`${stem}.`) || !uncompressed.endsWith(extension)) continue
    const between = uncompressed.slice(stem.length + 1, uncompressed.length - extension.length)
    // At most nine digits, so that a date in a name is not a file number.
    if (!/^[1-9]\d{0,8}$/.test(between)) continue
    const number = Number(between)
    if (!byNumber.has(number)) byNumber.set(number, name)
  }
  return Array.from(byNumber, ([number, name]) => ({ path: join(dirname(path), name), number })).sort(
    (one, other) => one.number - other.number,
  )
}

/** The name under which a recording is put aside next; no file has it. */
function nextRotated(path: string): string {
  const { stem, extension } = partsOf(path)
  const newest = rotatedFiles(path).at(-1)?.number ?? 0
  return join(dirname(path), `${stem}.${newest + 1}${extension}`)
}

function partsOf(path: string) {
  const uncompressed = withoutGz(path)
  const extension = extname(uncompressed)
  return { stem: basename(uncompressed, extension), extension }
}

function withoutGz(name: string): string {
  return name.replace(/\.gz$/i, '')
}

function recordingTooNew(
  fileVersion: number,
  file: string | undefined,
  line: number | undefined,
): CallyardError {
  const location = file === undefined ? '' : `${file}:${line}: `
  return new CallyardError(
    'invalid',
    `${location}unsupported recording version ${fileVersion} (supported: ${version})`,
    {
      code: 'recording-too-new',
      hint: 'it was written by a newer callyard; upgrade callyard, or record again',
      details: { version: fileVersion, supported: version, file, line },
    },
  )
}
