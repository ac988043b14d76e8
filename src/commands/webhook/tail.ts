import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { defineCommand } from '../../cli/cli-command.ts'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import { collect, parsePort, parseSize } from '../../cli/flags/option-parsers.ts'
import type { ForwardTarget, RequiredHeader } from '../../webhook/index.ts'
import {
  parseHeaderSource,
  withExecFlags,
  withExposureFlags,
  withFilterFlags,
  withFormatFlags,
  withForwardFlags,
} from './flags.ts'

export const webhookTailCommand = defineCommand({
  description: 'Listen for webhook events, and print each message once',
  examples: [
    'callwright webhook tail',
    'callwright webhook tail --forward http://127.0.0.1:3000/hook --record calls.ndjson --ui',
  ],
  topics: ['tunnels', 'filters', 'recording', 'forwarding', 'exec'],
  flags: withTailFlags,
  run: async (options, context) => (await import('./listen.ts')).tail(options, context),
  endsItself: () => true,
})

/** Commander shows a number of bytes or milliseconds; people think in the unit they type. */
const defaultMaxBody = '10mb'

/** The flags of `webhook tail`. */
function withTailFlags(command: Command) {
  const listening = command
    .optionsGroup('LISTEN')
    .option('--host <address>', 'Address to listen on', '127.0.0.1')
    .option('--port <number>', 'Port to listen on; 0 for a free one', parsePort, 4011)
    .addOption(
      new Option('--path <path>', 'Path that events are sent to')
        .argParser(parsePath)
        .default(undefined, '/, with --tunnel a random one'),
    )
    .addOption(
      new Flag('--require-header <header>', "Accept only requests with this 'name: value'")
        .secret()
        .argParser(parseHeaderSource),
    )
    .addOption(new Flag('--allow-host <name>', 'Accept requests to this host too').repeatable(collectHost))
    .addOption(
      new Option('--max-body <size>', 'Largest body to accept')
        .argParser(parseSize)
        .default(parseSize(defaultMaxBody), defaultMaxBody),
    )
    .addOption(new Option('--until <what>', 'End after the first call that finished').choices(['finished']))
  const exposed = withExposureFlags(listening.optionsGroup('PUBLIC URL'))
  const recording = withFormatFlags(withFilterFlags(exposed.optionsGroup('SHOW')))
    .option('--ui', 'Show the calls on a page in the browser too')
    .optionsGroup('RECORD')
    .option('--record <file>', 'Append every event to this file')
    .option('--rotate <size>', 'Rename the recording before it grows larger', parseSize)
  const forwarding = withForwardFlags(recording.optionsGroup('FORWARD'))
  return withExecFlags(forwarding.optionsGroup('RUN A PROGRAM'))
}

/** As the command line gives them: values of headers may still have to be read. `maxBody` in bytes. */
export type TailFlags = OptionsOf<typeof withTailFlags>

/** The same with headers that were read, and a path that is settled. */
export interface ListenOptions
  extends Omit<TailFlags, 'path' | 'requireHeader' | 'forward' | 'forwardHeader'> {
  readonly path: string
  /** It was made for a tunnel: who does not know it cannot send. */
  readonly isSecretPath: boolean
  readonly requireHeader: RequiredHeader | undefined
  /** The servers that `--forward` names, with their headers. */
  readonly targets: readonly ForwardTarget[]
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
