import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { loadRecorder, type Recorder, type RecorderEvent } from '../../webhook/index.ts'

export interface RecordOptions {
  readonly record?: string | undefined
  /** Bytes. */
  readonly rotate?: number | undefined
}

/**
 * The recorder that `--record` asks for. What it has to say is told at once, also with --quiet.
 * @throws CliError `conflict` or `usage`, as openRecorder does.
 */
export async function openRecording(
  { record, rotate }: RecordOptions,
  secretHeader: string | undefined,
  context: Pick<Context, 'clock' | 'output' | 'resolve'>,
): Promise<Recorder | undefined> {
  if (record === undefined) {
    if (rotate === undefined) return undefined
    throw new CallwrightError('usage', '--rotate is for a recording', { hint: 'give its file with --record' })
  }
  const { openRecorder } = await loadRecorder()
  return openRecorder({
    path: context.resolve(record),
    rotate,
    secretHeader,
    clock: context.clock,
    onEvent: event => context.output.warn(...eventText(event, record)),
  })
}

function eventText(event: RecorderEvent, file: string): [string, string?] {
  switch (event.kind) {
    case 'torn':
      return [
        `the last line of ${file} was torn by an earlier end; recording goes on below it`,
        'webhook replay skips that line',
      ]
    case 'readable-by-others':
      return [
        `${file} can be read by others (mode ${event.mode.toString(8).padStart(4, '0')})`,
        `what callers say is recorded there; chmod 600 ${file}`,
      ]
    case 'removed':
      return [`${file} was removed while it was recorded into; a new one is begun`]
    case 'not-rotated':
      return [`${file} cannot be put aside and grows on: ${event.reason}`]
    case 'failing':
      return [
        `not recorded since ${event.since}: ${event.reason}`,
        'what arrives is still shown and kept in memory for as long as there is room; recording goes on once the file can be written',
      ]
    case 'resumed':
      return [
        event.missing === 0
          ? `recording into ${file} goes on; nothing is missing`
          : `recording into ${file} goes on; ${event.missing} events are missing`,
      ]
  }
}
