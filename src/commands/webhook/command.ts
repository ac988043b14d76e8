import { Command, InvalidArgumentError, Option } from 'commander'
import type { RequiredHeader } from '../../webhook/gate.ts'
import { collect, parsePort, parseSize } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'

export function webhookCommand(run: Runner): Command {
  const webhook = new Command('webhook').description('receive what the service sends during calls')
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
    .addOption(new Option('--until <what>', 'end after the first call that finished').choices(['finished']))
    .addHelpText(
      'after',
      `
Examples:
  $ callwright webhook tail
  $ callwright webhook tail --port 0 --json --until finished
  $ callwright webhook tail --allow-host my-tunnel.example --require-header 'x-token: s3cret'

The transcript is data on stdout; everything else is on stderr. Ctrl-C ends it with a summary.`,
    )
    .action((options, command) =>
      run(command, async context => (await import('./tail.ts')).tail(options, context), { endsItself: true }),
    )
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

function parseHeader(header: string): RequiredHeader {
  const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*?)[ \t]*$/.exec(header)
  const [, name, value] = match ?? []
  if (name === undefined || value === undefined || value === '') {
    throw new InvalidArgumentError("Give it as 'name: value'.")
  }
  return { name, value }
}

function collectHost(host: string, collected: readonly string[] = []): string[] {
  if (!/^[\w.:[\]-]+$/.test(host))
    throw new InvalidArgumentError('Give a host name alone, such as example.test.')
  return collect(host, collected)
}
