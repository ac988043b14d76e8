import { open, unlink } from 'node:fs/promises'
import { CliError } from '../../errors.ts'
import type { ChatEvent } from '../../output/chat.ts'
import { escapeForTerminal, toJsonLine } from '../../output/escape.ts'

/** A file that holds what was said, at every moment as much as was said until then. */
export interface Transcript {
  /** What comes next; written in order, later. Never throws: see close. */
  write(event: ChatEvent, assistantName: string): void
  /**
   * Resolves when all is written. A file in which nothing was written is removed.
   * @throws CliError `partial` when the file lacks something
   */
  close(): Promise<void>
}

export const noTranscript: Transcript = { write() {}, async close() {} }

/** What it needs of a FileHandle. */
interface File {
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>
  truncate(length: number): Promise<void>
  close(): Promise<void>
}

/**
 * Makes the file, mode 0600, before anything is said into it. Its name tells what it will hold: `.json` a list of events,
 * `.ndjson` one event per line, any other text.
 * @throws CliError `usage` when it is there already or cannot be made
 */
export async function openTranscript(path: string): Promise<Transcript> {
  try {
    const file = await open(path, 'wx', 0o600)
    return createTranscript(path, file, () => unlink(path))
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new CliError(
      'usage',
      exists
        ? `${path} exists already`
        : `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: exists ? 'give --save another name, or remove the file first' : 'give --save another name',
        cause: error,
      },
    )
  }
}

/** The same on an open, empty file. */
export function createTranscript(path: string, file: File, remove: () => Promise<void>): Transcript {
  const format = formatOf(path)
  /** Bytes, without the end, which the next piece overwrites. */
  let length = 0
  let flaw: unknown
  let writing: Promise<void> = Promise.resolve()

  const put = async (text: string) => {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, length + done)
      done += bytesWritten
    }
  }
  const append = async (text: string) => {
    if (flaw !== undefined) return
    const piece = `${length === 0 ? format.begin : format.between}${text}`
    try {
      await put(`${piece}${format.end}`)
      length += Buffer.byteLength(piece)
    } catch (error) {
      flaw = error
      // Half a piece must not stay.
      await file.truncate(length).catch(() => undefined)
      await put(format.end).catch(() => undefined)
    }
  }
  return {
    write(event, assistantName) {
      const text = format.piece(event, assistantName)
      if (text !== undefined) writing = writing.then(() => append(text))
    },
    async close() {
      await writing
      await file.close()
      if (flaw !== undefined) throw incomplete(path, flaw)
      if (length === 0) await remove()
    },
  }
}

interface Format {
  readonly begin: string
  readonly between: string
  readonly end: string
  /** Undefined for what the file does not hold. */
  piece(event: ChatEvent, assistantName: string): string | undefined
}

const formats = {
  '.json': { begin: '[\n', between: ',\n', end: '\n]\n', piece: toJsonLine },
  '.ndjson': { begin: '', between: '\n', end: '\n', piece: toJsonLine },
  '': { begin: '', between: '\n', end: '\n', piece: textOf },
} as const satisfies Record<string, Format>

function formatOf(path: string): Format {
  const name = path.toLowerCase()
  if (name.endsWith('.ndjson')) return formats['.ndjson']
  return name.endsWith('.json') ? formats['.json'] : formats['']
}

/** `role: text`, and for each call a line at its beginning and its end. */
function textOf(event: ChatEvent, assistantName: string): string | undefined {
  if (event.kind === 'message') {
    const text = escapeForTerminal(event.text, { keep: '\n' }).replaceAll('\n', '\n  ')
    return `${event.role}: ${text}${event.interrupted === true ? ' (cut short)' : ''}`
  }
  if (event.kind !== 'status') return undefined
  const { createdAt, endAt, callEndTriggerBy, status } = event.record
  const facts =
    event.status === 'queued'
      ? [event.callId, assistantName, createdAt]
      : event.status === 'finished'
        ? [status, `ended by ${callEndTriggerBy}`, endAt]
        : undefined
  return facts === undefined ? undefined : `# ${escapeForTerminal(facts.join(' · '))}`
}

function incomplete(path: string, flaw: unknown): CliError {
  const reason = flaw instanceof Error ? flaw.message : String(flaw)
  return new CliError('partial', `the transcript in ${path} is not complete: ${reason}`, {
    hint: 'the call was held; free some space on the disk before the next one',
    cause: flaw,
  })
}
