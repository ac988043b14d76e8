import { type Command, InvalidArgumentError } from 'commander'
import { CliError } from '../../errors.ts'
import type { Moment } from '../../webhook/replay/select-events.ts'
import { parseDuration } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'
import { collectId, type FilterOptions, withKindOptions } from './filter-options.ts'
import { collectHeader } from './header-option.ts'
import { type LookOptions, lookHelp, withLookOptions } from './look-options.ts'
import { parseReceiver } from './receiver-option.ts'

/** Adds `webhook replay` to its group. */
export function addReplayCommand(webhook: Command, run: Runner): void {
  const replay = webhook
    .command('replay')
    .description('send the events of a recording to a server again, or print them as tail does')
    .argument('<file>', 'recording that webhook tail --record made')
    .option('--to <url>', 'address of the server; without it the transcript is printed', parseReceiver)
    .option(
      '--speed <factor>',
      'times as fast as recorded, or max (default: 1 with --to, else max)',
      parseSpeed,
    )
    .option('--call <id>', 'only the events of this call (repeatable)', collectId)
    .option('--type <type>', 'only events of this type, as status-update (repeatable)', collectId)
    .option('--from <time>', 'only what arrived then or later', parseMoment)
    .option('--until <time>', 'only what arrived then or earlier', parseMoment)
    .option('--header <header>', "send this header too: 'name: value' (repeatable)", collectHeader)
  withLookOptions(withKindOptions(replay))
    .addHelpText('after', help)
    .action((file, { to, role, status, compact, timestamps, ...options }, command) =>
      run(command, async context => {
        const look = { role, status, compact, timestamps }
        if (to === undefined) {
          const { printRecording } = await import('./print-recording.ts')
          return printRecording(file, { ...options, ...look }, context)
        }
        assertPlain(look)
        const { replay } = await import('./replay.ts')
        return replay(file, { ...options, to }, context)
      }),
    )
}

const help = `
A time is one as 2026-03-01T10:00:00Z, or how long after the first recorded
event: 90s, 2m. --call - is for the events that name no call.

What --rotate put aside is read too: of calls.ndjson first calls.1.ndjson,
calls.2.ndjson and so on (the highest number is the newest), then calls.ndjson
itself; calls.1.ndjson alone is that file. A line that is no event, or was
torn by a kill, is told and skipped.

Without --to, --role and --status choose what is printed of the events: they
narrow different kinds, so that together they print the messages of that role
and the changes to that status, with the analysis. The summary counts all.
${lookHelp}

With --to each body is POSTed byte by byte as it came, with its content type.
No other recorded header is: they belong to that connection, and the secrets
among them were not kept; give those with --header. The events of a call go
out in order, each after the answer to the one before, and calls side by side,
as far apart as they arrived, divided by --speed; max waits for answers alone.
No redirect is followed. Only a refused connection is tried again (after 0.5,
1 and 2 s). --timeout is for one attempt, 30s unless given.

The result counts what was sent (answered 2xx) and what failed. With --json it
is { target, sent, failed, skippedLines, failures: [{ number, at, callId,
type, status or reason, milliseconds, body }] }, with at most 1000 failures.

Exit code: 0 when every answer is 2xx, 8 when some are; when none is, 6 if a
server failed (5xx, 408) or did not answer, else 5.

Examples:
  $ callwright webhook replay calls.ndjson
  $ callwright webhook replay calls.ndjson --call CC-1 --timestamps relative
  $ callwright webhook replay calls.ndjson --speed 10 --role user --compact
  $ callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook \\
      --speed max --header 'x-token: s3cret'
  $ callwright webhook replay calls.ndjson --to http://127.0.0.1:3000/hook \\
      --type status-update --from 2m`

/** @throws CliError `usage` for a flag about printing where nothing is printed */
function assertPlain({ role, status, compact, timestamps }: PrintFlags): void {
  const given = [
    role !== undefined && '--role',
    status !== undefined && '--status',
    compact === true && '--compact',
    timestamps !== undefined && timestamps !== 'none' && '--timestamps',
  ].find(flag => flag !== false)
  if (given === undefined) return
  throw new CliError('usage', `${given} is for printing, and --to sends`, {
    hint: 'leave one of them out; --call, --type, --from and --until choose what is sent',
  })
}

type PrintFlags = LookOptions & Pick<FilterOptions, 'role' | 'status'>

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
