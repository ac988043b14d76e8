import { type Command, InvalidArgumentError, Option } from 'commander'
import { collect, parsePort, parseSize } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'
import { execHelp, withExecOptions } from './exec-options.ts'
import { filterHelp, withFilterOptions } from './filter-options.ts'
import { forwardHelp, withForwardOptions } from './forward-options.ts'
import { parseHeader } from './header-option.ts'
import { lookHelp, withLookOptions } from './look-options.ts'
import { reachHelp, withReachOptions } from './reach-options.ts'

/** Commander shows a number of bytes or milliseconds; people think in the unit they type. */
const largestBody = '10mb'

export function addTailCommand(webhook: Command, run: Runner): void {
  const tail = webhook
    .command('tail')
    .description('listen for webhook events and print each message once, status changes and the analysis')
  tail
    .optionsGroup('Listen:')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', parsePort, 4011)
    .option('--path <path>', 'path that events are sent to', parsePath, '/')
    .option('--require-header <header>', "take only requests with this header: 'name: value'", parseHeader)
    .option('--allow-host <name>', 'take requests addressed to this host too (repeatable)', collectHost)
    .addOption(
      new Option('--max-body <size>', 'largest body taken')
        .argParser(parseSize)
        .default(parseSize(largestBody), largestBody),
    )
    .addOption(new Option('--until <what>', 'end after the first call that finished').choices(['finished']))
  withReachOptions(tail.optionsGroup('Be reached:'))
  withLookOptions(withFilterOptions(tail.optionsGroup('Show:'))).option(
    '--ui',
    'show the calls on a page in the browser too',
  )
  tail
    .optionsGroup('Keep:')
    .option('--record <file>', 'append every event to this file, for webhook replay and webhook show')
    .option('--rotate <size>', 'put the recording aside before it grows larger than this', parseSize)
  withForwardOptions(tail)
  withExecOptions(tail.optionsGroup('Run a program:'))
  tail
    .optionsGroup('Help:')
    .addHelpText('after', help)
    .action((options, command) =>
      run(command, async context => (await import('./tail.ts')).tail(options, context), { endsItself: true }),
    )
}

const recordHelp = `--record appends a line of JSON for each event that was accepted: { kind:
"recorded", version: 1, at (when it arrived), headers (secrets are ****), body
(as it came) }. A new file is made for you alone (0600). Each line is written at
once and is the system's by then: a kill loses at most the line being written (a
power cut may lose more). When the file cannot be written, as on a full disk,
that is told and tailing goes on; up to 64 MB of events wait in memory and are
written once that works again; the end says how many are missing. One tail at a
time records into a file. --rotate renames it to calls.1.ndjson, calls.2.ndjson
and so on, the highest number the newest; nothing is deleted.`

const uiHelp = `--ui serves a page under a random path of the listener, whose address is told at
the start: live calls, their transcripts, statuses, analyses and raw events, to
be searched, copied as curl and sent to the --forward servers again. Only
browsers of this machine get it.`

const help = `
Examples:
  $ callwright webhook tail
  $ callwright webhook tail --port 0 --json --until finished
  $ callwright webhook tail --tunnel --require-header 'x-token: s3cret'
  $ callwright webhook tail --record calls.ndjson --rotate 100mb --ui
  $ callwright webhook tail --forward http://127.0.0.1:3000/hook
  $ callwright webhook tail --forward status-update=http://127.0.0.1:3000/status
  $ callwright webhook tail --role user --exec 'node log-line.js'

The transcript is data on stdout; everything else is on stderr. Ctrl-C ends it
with a summary. Exit code: 8 when something was not recorded or not forwarded,
or a program failed. With --json each line is an object with a kind: ready,
public-url, ui, message, edit, status, event (of another type), malformed (an
item that is no message), forward-failed, forward-retried, exec-failed, summary.

${reachHelp}

${filterHelp}

${lookHelp}

${uiHelp}

${recordHelp}

${forwardHelp}

${execHelp}`

function parsePath(path: string): string {
  if (!/^\/[\x21-\x7e]*$/.test(path) || /[?#]/.test(path)) {
    throw new InvalidArgumentError('Give a path that begins with /, without query.')
  }
  return path
}

function collectHost(host: string, collected: readonly string[] = []): string[] {
  if (!/^[\w.:[\]-]+$/.test(host))
    throw new InvalidArgumentError('Give a host name alone, such as example.test.')
  return collect(host, collected)
}
