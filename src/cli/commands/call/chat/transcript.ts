import { closeSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { CallyardError, describeFileError, getErrorCode } from '../../../../lib/error.ts'
import { toJsonLine } from '../../../../lib/text/escape.ts'
import { paint } from '../../../../lib/text/text.ts'
import { renderChatEvent } from '../../../shell/render/chat.ts'
import type { ChatEvent } from '../../../shell/render/chat-events.ts'
import type { TranscriptFile } from './flags.ts'

/** A file with the transcript so far, written continuously. */
export type Transcript = ReturnType<typeof createTranscript>

export const noTranscript: Transcript = { write() {}, close() {} }

/**
 * Creates the file with mode 0600 before the call starts: `json` is a list of events, `ndjson` one event per line, `text` the printed
 * text.
 * @throws CallyardError `usage` if it exists or cannot be created
 */
export function openTranscript(out: TranscriptFile): Transcript {
  try {
    return createTranscript(out, openFile(out.file))
  } catch (cause) {
    const exists = getErrorCode(cause) === 'EEXIST'
    const reason = exists ? 'already exists' : `cannot be written: ${describeFileError(cause)}`
    const hint = exists ? 'choose another name, or remove the file first' : 'choose another name'
    throw new CallyardError('usage', `${out.file} ${reason}`, { hint, cause })
  }
}

interface SyncFile {
  /** Returns the number of bytes written, which may be fewer. */
  write(bytes: Uint8Array, position: number): number
  truncate(length: number): void
  close(): void
  remove(): void
}

/** A new file, written without waiting: a few lines a second at most. */
function openFile(path: string): SyncFile {
  const file = openSync(path, 'wx', 0o600)
  return {
    write: (bytes, position) => writeSync(file, bytes, 0, bytes.length, position),
    truncate: length => ftruncateSync(file, length),
    close: () => closeSync(file),
    remove: () => unlinkSync(path),
  }
}

/** The same on an open, empty file. */
export function createTranscript(out: TranscriptFile, file: SyncFile) {
  const format = formatOf(out)
  /** Bytes, without the end, which the next piece overwrites. */
  let length = 0
  let failure: unknown

  const put = (text: string) => {
    const bytes = Buffer.from(text)
    for (let offset = 0; offset < bytes.length; )
      offset += file.write(bytes.subarray(offset), length + offset)
  }
  const repair = () => {
    try {
      // Half a piece must not stay.
      file.truncate(length)
      put(format.end)
    } catch {
      // Then the disk takes nothing any more; close says why.
    }
  }
  return {
    /** Appends an event. It is in the file on return, so that a kill loses nothing that was shown. Never throws; see close. */
    write(event: ChatEvent): void {
      if (failure !== undefined) return
      const piece = `${length === 0 ? format.start : format.between}${format.piece(event)}`
      try {
        put(`${piece}${format.end}`)
        length += Buffer.byteLength(piece)
      } catch (error) {
        failure = error
        repair()
      }
    },
    /**
     * A file in which nothing was written is removed.
     * @throws CallyardError `partial` when the file lacks something
     */
    close(): void {
      file.close()
      if (failure !== undefined)
        throw new CallyardError(
          'partial',
          `the transcript in ${out.file} is incomplete: ${describeFileError(failure)}`,
          {
            hint: 'the call itself succeeded; free disk space before the next one',
            cause: failure,
          },
        )
      if (length === 0) file.remove()
    },
  }
}

function formatOf({ format }: TranscriptFile) {
  if (format === 'json') return { start: '[\n', between: ',\n', end: '\n]\n', piece: toJsonLine }
  return {
    start: '',
    between: '\n',
    end: '\n',
    piece: format === 'ndjson' ? toJsonLine : textOf,
  }
}

/** Columns of a file. */
const width = 80

/** Formats an event as it is printed. */
function textOf(event: ChatEvent): string {
  return paint(renderChatEvent(event, width), { color: false })
}
