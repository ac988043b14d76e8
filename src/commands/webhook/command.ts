import { Command, InvalidArgumentError, Option } from 'commander'
import { collect, parsePort, parseSize } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'
import { parseHeader } from './header-option.ts'
import { addReplayCommand } from './replay-command.ts'
import { addShowCommand } from './show-command.ts'
import { addTriggerCommand } from './trigger-command.ts'

export function webhookCommand(run: Runner): Command {
  const webhook = new Command('webhook').description(
    'receive what the service sends during calls; keep it, send it, show it',
  )
  webhook
    .command('tail')
    .description('listen for webhook events and print each message once, status changes and the analysis')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', parsePort, 4011)
    .option('--path <path>', 'path that events are sent to', parsePath, '/')
    .option('--require-header <header>', "take only requests with this header: 'name: value'", parseHeader)
    .option(
      '--allow-host <name>',
      'take requests addressed to this host, such as a tunnel (repeatable)',
      collectHost,
    )
    .option('--max-body <size>', 'largest body taken', parseSize, parseSize('10mb'))
    .option('--record <file>', 'append every event to this file, for webhook replay and webhook show')
    .option('--rotate <size>', 'put the recording aside before it grows larger than this', parseSize)
    .addOption(new Option('--until <what>', 'end after the first call that finished').choices(['finished']))
    .addHelpText(
      'after',
      `
Examples:
  $ callwright webhook tail
  $ callwright webhook tail --port 0 --json --until finished
  $ callwright webhook tail --allow-host my-tunnel.example --require-header 'x-token: s3cret'
  $ callwright webhook tail --record calls.ndjson --rotate 100mb

--record appends a line of JSON for each event that was accepted: { kind: "recorded", version: 1, at (when it
arrived), headers (secrets are ****), body (as it came) }. A new file is made for you alone (0600). Each line is
written at once and is the system's by then, so that a kill loses at most the line being written (a power cut may
lose more: nothing waits for the disk). When the file cannot be written, as on a full disk, that is told, tailing
goes on, up to 64 MB of events wait in memory and are written once that works again; the end says how many are
missing. One tail at a time records into a file. --rotate renames it to calls.1.ndjson, calls.2.ndjson and so on,
the highest number the newest; nothing is deleted.

The transcript is data on stdout; everything else is on stderr. Ctrl-C ends it with a summary.`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./tail.ts')).tail(options, context), { endsItself: true }),
    )
  addReplayCommand(webhook, run)
  addTriggerCommand(webhook, run)
  addShowCommand(webhook, run)
  // Commander shows a number of bytes; people think in the unit they type.
  for (const option of webhook.commands.flatMap(({ options }) => options)) {
    if (option.attributeName() === 'maxBody') option.default(option.defaultValue, '10mb')
  }
  return webhook
}

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
