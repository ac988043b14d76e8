import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ErrorKind } from '../../../lib/error.ts'
import { isObject } from '../../../lib/json.ts'
import { toJsonLine } from '../../../lib/text/escape.ts'
import type { CapturedRun } from '../../shell/context.ts'
import { kindOfExitCode } from '../../shell/exit-codes.ts'
import type { ResultStore } from './result-store.ts'

/** Parts of a result. Everything but `data` is written by callyard alone, and a client may follow it. */
export interface McpOutcome {
  /** First line: what the tool did, in words of this program. */
  readonly summary: string
  /** Calls of tools that make sense next. */
  readonly next?: readonly string[]
  /** Command or source of the data. */
  readonly source: string
  /** Text of files, callers, models and services. Undefined if there is none. */
  readonly data?: unknown
  readonly isError?: boolean
}

/** Bytes of a result; longer ones continue under a handle. */
export const maxResultBytes = 2048

/** Room for the note about the rest. */
const noteBytes = 120

/**
 * Formats a result. Data is one line of JSON between tags, in which `<` is escaped: no text from outside can end it early, and nothing
 * from outside appears anywhere else.
 */
export async function toToolResult(outcome: McpOutcome, store: ResultStore): Promise<CallToolResult> {
  const { summary, next = [], source, data, isError = false } = outcome
  const head = [summary, ...next.map(call => `next: ${call}`)].join('\n')
  const text =
    data === undefined
      ? head
      : `${head}\n${await framed(source, toData(data), bytesLeft(head, source), store)}`
  return { content: [{ type: 'text', text }], ...(isError && { isError }) }
}

/** JSON in one line without `<`. */
export function toData(value: unknown): string {
  return toJsonLine(value).replaceAll('<', '\\u003c')
}

function bytesLeft(head: string, source: string): number {
  return maxResultBytes - Buffer.byteLength(`${head}\n${tags(source).join('')}\n\n`) - noteBytes
}

async function framed(source: string, data: string, maxBytes: number, store: ResultStore): Promise<string> {
  if (Buffer.byteLength(data) <= maxBytes) return frame(source, data)
  return formatPart(source, await store.add(source, data), store, maxBytes)
}

/** Formats the part of a stored result that begins at an offset. */
export async function formatStored(handle: string, store: ResultStore): Promise<CallToolResult | undefined> {
  const storedResult = await store.read(handle)
  if (storedResult === undefined) return undefined
  const summary = 'Part of a longer result.'
  const text = `${summary}\n${await formatPart(storedResult.source, handle, store, bytesLeft(summary, storedResult.source))}`
  return { content: [{ type: 'text', text }] }
}

async function formatPart(
  source: string,
  handle: string,
  store: ResultStore,
  maxBytes: number,
): Promise<string> {
  const { data, offset, withOffset } = (await store.read(handle)) ?? {
    data: '',
    offset: 0,
    withOffset: () => '',
  }
  const part = beginningOf(data.slice(offset), maxBytes)
  const end = offset + part.length
  const rest = data.length - end
  const note = rest === 0 ? '' : `\ncontinues: docs {"more":"${withOffset(end)}"} (${rest} more characters)`
  return `${frame(source, part)}${note}`
}

/** The longest beginning of a text within a number of bytes; no character is cut. */
function beginningOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString()
}

function frame(source: string, data: string): string {
  const [open, close] = tags(source)
  return `${open}\n${data}\n${close}`
}

/** `source` is written by this program. */
function tags(source: string): readonly [string, string] {
  return [`<data source="${source}">`, '</data>']
}

/** Summary of each way a command can fail. The message itself may quote files and services, so it is data. */
const failures: Readonly<Record<ErrorKind, string>> = {
  bug: 'Failed: a bug in callyard.',
  usage: 'Failed: the arguments or the state of this machine do not allow it.',
  invalid: 'Failed: files have errors.',
  unauthorized: 'Failed: no key, a rejected key, or approval by a person is required.',
  refused: 'Failed: the service refused the request.',
  unreachable: 'Failed: the service cannot be reached, or its response cannot be read.',
  pending: 'Changes are pending.',
  partial: 'Only a part succeeded.',
  conflict: 'Failed: a conflict, or an unknown outcome.',
  'not-started': 'Failed: a program could not be started.',
  cancelled: 'Cancelled.',
}

/** Outcome of a command that was run. */
export function outcomeOfRun(source: string, { exitCode, result, stdout, stderr }: CapturedRun): McpOutcome {
  const kind = kindOfExitCode(exitCode)
  const isFailure = isObject(result) && result.kind === 'error'
  const notes = stderr.trim()
  const resultData = isFailure
    ? { error: result.error }
    : { result: result ?? (stdout === '' ? undefined : stdout) }
  return {
    summary: `${kind === undefined ? 'Done.' : failures[kind]} (exit code ${exitCode})`,
    source,
    data: { ...resultData, ...(notes !== '' && !isFailure && { notes }) },
    isError: kind !== undefined,
  }
}
