import { type Command, InvalidArgumentError, type OptionValues } from '@commander-js/extra-typings'
import { Flag, portHints } from '../../shell/flags/flag.ts'
import { collect, parsePort, parseSize } from '../../shell/flags/option-parsers.ts'
import { parseHeaderSource } from './flags.ts'

/** Adds the flags of a listener for events: --host, --port, --path, --require-header, --allow-host and --max-body. */
export function withListenFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  defaultPath: string,
) {
  return command
    .addOption(
      new Flag('--host <address>', 'Address to listen on')
        .helpsWith({ 'check the host': 'check --host' })
        .default('127.0.0.1'),
    )
    .addOption(
      new Flag('--port <number>', 'Port to listen on; 0 for a free one')
        .helpsWith(portHints)
        .argParser(parsePort)
        .default(4011),
    )
    .addOption(
      new Flag('--path <path>', 'Path of events').rare().argParser(parsePath).default(undefined, defaultPath),
    )
    .addOption(
      new Flag('--require-header <header>', "Reject requests without this 'name: value'")
        .secret()
        .argParser(parseHeaderSource),
    )
    .addOption(
      new Flag('--allow-host <name>', 'Also accept requests for this host').rare().repeatable(collectHost),
    )
    .addOption(new Flag('--max-body <size>', 'Maximum size of a body').rare().parsed(parseSize, '10mb'))
}

function parsePath(path: string): string {
  if (!/^\/[\x21-\x7e]*$/.test(path) || /[?#]/.test(path)) {
    throw new InvalidArgumentError('Use a path that starts with /, without a query.')
  }
  return path
}

function collectHost(host: string, collected: readonly string[] = []): string[] {
  if (!/^[\w.:[\]-]+$/.test(host)) throw new InvalidArgumentError('Use a host name such as example.test.')
  return collect(host, collected)
}
