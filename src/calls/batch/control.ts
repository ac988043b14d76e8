import { statSync, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError, fileError, getErrorCode } from '../../lib/error.ts'
import { whileLocked } from '../../lib/fs/file-lock.ts'
import { appendOnce, toLines } from '../../lib/fs/log.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import { parseJson } from '../../lib/json.ts'
import { type BatchRequest, requestSchema } from './state.ts'

/** A request, and the byte of the control file at which it ends. */
export interface ControlRequest {
  readonly offset: number
  readonly request: BatchRequest
}

const controlName = 'control.ndjson'

/**
 * Adds a request to the control file of a batch, which a run in another process reads: the journal belongs to that process. The request
 * is on the disk when this resolves.
 * @throws CallyardError `usage` if it cannot be written
 */
export async function requestChange(
  folder: string,
  request: BatchRequest,
  { clock }: { readonly clock: Clock },
): Promise<void> {
  const path = join(folder, controlName)
  const cannotLock = (cause: unknown) => fileError(`${path} cannot be written`, cause)
  const inUse = () =>
    new CallyardError('conflict', `another callyard is writing ${path}`, { hint: 'try again' })
  try {
    await makeFolder(folder, 0o700)
    await whileLocked(path, { clock, inUse, cannotLock }, lock => appendOnce(path, toLines([request]), lock))
  } catch (error) {
    throw error instanceof CallyardError ? error : cannotLock(error)
  }
}

/**
 * Reads the requests after a byte of the control file. An incomplete last line, which is being written, is left for later.
 * @throws CallyardError `usage` if the file cannot be read
 */
export async function readRequests(folder: string, offset: number): Promise<readonly ControlRequest[]> {
  const path = join(folder, controlName)
  try {
    // Synchronous: a run looks before each of its steps, and a promise takes longer than the step.
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (size <= offset) return []
    return toRequests((await readFile(path)).subarray(offset), offset)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return []
    throw fileError(`${path} cannot be read`, error)
  }
}

/**
 * Calls back when a request may have been added. Returns a function that stops it. Where the system cannot watch a folder, a run finds
 * requests when its next wait ends, within a minute.
 */
export function watchRequests(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, (_, name) => {
      if (name === controlName) onChange()
    })
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    return () => undefined
  }
}

function toRequests(bytes: Buffer, offset: number): ControlRequest[] {
  const requests: ControlRequest[] = []
  let start = 0
  for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, start)) {
    const { success, data } = requestSchema.safeParse(parseJson(bytes.subarray(start, end).toString()))
    start = end + 1
    if (success) requests.push({ offset: offset + start, request: data })
  }
  return requests
}

const lineEnd = 10
