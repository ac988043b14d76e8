import { type Command, InvalidArgumentError } from 'commander'
import type { Moment } from '../../webhook/replay/select-events.ts'
import { parseDuration } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'
import { collectHeader } from './header-option.ts'
import { parseReceiver } from './receiver-option.ts'

/** Adds `webhook replay` to its group. */
export function addReplayCommand(webhook: Command, run: Runner): void {
  webhook
    .command('replay')
    .description('send the events of a recording to a server again, or print them as tail does')
    .argument('<file>', 'recording that webhook tail --record made')
    .option('--to <url>', 'address of the server; without it the transcript is printed', parseReceiver)
    .option(
      '--speed <factor>',
      'times as fast as recorded, or max (default: 1 with --to, else max)',
      parseSpeed,
    )
    .option('--call <id>', 'only the events of this call')
    .option('--type <type>', 'only events of this type, such as status-update')
    .option('--from <time>', 'only what arrived then or later', parseMoment)
    .option('--until <time>', 'only what arrived then or earlier', parseMoment)
    .option('--header <header>', "send this header too: 'name: value' (repeatable)", collectHeader)
    .addHelpText(
      'after',
      `
A time is one as 2026-03-01T10:00:00Z, or how long after the first recorded event: 90s, 2m.

What --rotate put aside is read too: of calls.ndjson first calls.1.ndjson, calls.2.ndjson and so on (the highest
number is the newest), then calls.ndjson itself; calls.1.ndjson alone is that file. A line that is no event, or
was torn by a kill, is told and skipped.

With --to each body is POSTed byte by byte as it came, with its content type; no other recorded header is, since
they belong to that connection and the secrets among them were not kept: give those with --header. The events of a
call go out in order, each after the answer to the one before, and calls side by side, at the distances at which
they arrived divided by --speed; max waits for answers alone. No redirect is followed. Only a refused connection is
tried again (after 0.5, 1 and 2 s). --timeout is for one attempt, 30s unless given. The result counts what was sent
(answered 2xx) and what failed; with --json it is { target, sent, failed, skippedLines, failures: [{ number, at,
callId, type, status or reason, milliseconds, body }] } with at most 1000 failures.

Exit code: 0 when every answer is 2xx, 8 when some are; when none is, 6 if a server failed (5xx, 408) or did not
answer, else 5.

Examples:
  $ callwright webhook replay calls.ndjson
  $ callwright webhook replay calls.ndjson --call CC-1 --speed 10
  $ callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook --speed max --header 'x-token: s3cret'
  $ callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook --type status-update --from 2m`,
    )
    .action((file, { to, ...options }, command) =>
      run(command, async context => {
        if (to === undefined) {
          const { printRecording } = await import('./print-recording.ts')
          return printRecording(file, options, context)
        }
        const { replay } = await import('./replay.ts')
        return replay(file, { ...options, to }, context)
      }),
    )
}

/** How many times as fast; Infinity for max. */
function parseSpeed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const speed = Number(text)
  if (text.trim() === '' || !(speed >= 0.01 && speed <= 1000)) {
    throw new InvalidArgumentError('Give a factor from 0.01 to 1000, such as 1 or 10, or max.')
  }
  return speed
}

function parseMoment(text: string): Moment {
  if (/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d))?$/i.test(text)) {
    const at = Date.parse(text)
    if (!Number.isNaN(at)) return { at }
  }
  try {
    return { after: parseDuration(text) }
  } catch {
    throw new InvalidArgumentError(
      'Give a time such as 2026-03-01T10:00:00Z, or one from the start of the recording such as 90s or 2m.',
    )
  }
}
