import { InvalidArgumentError, Option } from 'commander'
import type { CliCommand } from '../../cli/cli-command.ts'
import { collect, parsePort, parseSize } from '../../cli/flags/option-parsers.ts'
import { SecretOption } from '../../cli/flags/secret-option.ts'
import type { Runner } from '../../cli/runner.ts'
import { withExecOptions } from './exec-options.ts'
import { withReachOptions } from './exposure-options.ts'
import { withFilterOptions } from './filter-options.ts'
import { withLookOptions } from './format-options.ts'
import { withForwardOptions } from './forward-options.ts'
import { parseHeaderSource } from './header-option.ts'

/** Commander shows a number of bytes or milliseconds; people think in the unit they type. */
const defaultMaxBody = '10mb'

export function addTailCommand(webhook: CliCommand, run: Runner): void {
  const tail = webhook.command('tail').description('Listen for webhook events, and print each message once')
  tail
    .optionsGroup('LISTEN')
    .option('--host <address>', 'Address to listen on', '127.0.0.1')
    .option('--port <number>', 'Port to listen on; 0 for a free one', parsePort, 4011)
    .addOption(
      new Option('--path <path>', 'Path that events are sent to')
        .argParser(parsePath)
        .default(undefined, '/, with --tunnel a random one'),
    )
    .addOption(
      new SecretOption('--require-header <header>', "Accept only requests with this 'name: value'").argParser(
        parseHeaderSource,
      ),
    )
    .option('--allow-host <name>', 'Accept requests to this host too (repeatable)', collectHost)
    .addOption(
      new Option('--max-body <size>', 'Largest body to accept')
        .argParser(parseSize)
        .default(parseSize(defaultMaxBody), defaultMaxBody),
    )
    .addOption(new Option('--until <what>', 'End after the first call that finished').choices(['finished']))
  withReachOptions(tail.optionsGroup('PUBLIC URL'))
  withLookOptions(withFilterOptions(tail.optionsGroup('SHOW'))).option(
    '--ui',
    'Show the calls on a page in the browser too',
  )
  tail
    .optionsGroup('RECORD')
    .option('--record <file>', 'Append every event to this file')
    .option('--rotate <size>', 'Rename the recording before it grows larger', parseSize)
  withForwardOptions(tail)
  withExecOptions(tail.optionsGroup('RUN A PROGRAM'))
  tail
    .examples(
      'callwright webhook tail',
      'callwright webhook tail --forward http://127.0.0.1:3000/hook --record calls.ndjson --ui',
    )
    .learnMore('tunnels', 'filters', 'recording', 'forwarding', 'exec')
    .action((options, command) =>
      run(command, async context => (await import('./tail.ts')).tail(options, context), { endsItself: true }),
    )
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
