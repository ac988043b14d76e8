import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { Flag, type OptionsOf } from '../../cli/flags/flag.ts'
import {
  collect,
  integerParser,
  parseDuration,
  parsePort,
  parseSize,
} from '../../cli/flags/option-parsers.ts'
import { type ForwardTarget, keyOf } from '../../forward/index.ts'
import type { RequiredHeader } from '../../webhook/index.ts'
import {
  collectHeader,
  collectId,
  parseHeaderSource,
  parseReceiver,
  withExposureFlags,
  withFormatFlags,
  withMessageFlags,
} from './flags.ts'

/** Commander shows a number of bytes or milliseconds; people think in the unit they type. */
const defaultMaxBody = '10mb'

/** The flags of `webhook tail`. */
export function withTailFlags(command: Command) {
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
  const filtered = exposed
    .optionsGroup('SHOW')
    .addOption(new Flag('--call <id>', 'Show only this call').repeatable(collectId))
    .addOption(new Flag('--type <type>', 'Show only events of this type').repeatable(collectId))
  return withFormatFlags(withMessageFlags(filtered))
    .option('--ui', 'Show the calls on a page in the browser too')
    .optionsGroup('RECORD')
    .option('--record <file>', 'Append every event to this file')
    .option('--rotate <size>', 'Rename the recording before it grows larger', parseSize)
    .optionsGroup('FORWARD')
    .addOption(
      new Flag('--forward <[type=]url>', 'Send events to this server too').secret().repeatable(collectTarget),
    )
    .addOption(
      new Flag('--forward-header <header>', "Send this 'name: value' with them")
        .secret()
        .repeatable(collectHeader),
    )
    .option('--forward-only-new', 'Forward only events that carry something new')
    .option(
      '--forward-retries <number>',
      'Send an event that failed again (default: 0)',
      integerParser(0, maxRetries),
    )
    .option('--resume', 'Deliver first what an earlier tail left')
    .addOption(
      new Option('--drain <duration>', 'Wait at the end for deliveries')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
    .optionsGroup('RUN A PROGRAM')
    .option('--exec <command>', 'Run this for each new message, its JSON on stdin')
    .option('--exec-shell', 'Let the shell read the command of --exec')
    .option('--exec-at-once <number>', 'Programs at a time (default: 4)', integerParser(1, maxConcurrent))
    .option('--exec-timeout <duration>', 'End a program that takes longer (default: 60s)', parseDuration)
}

const maxRetries = 100

/** More programs side by side than this are a mistake. */
const maxConcurrent = 64

/** As the command line gives them: values of headers may still have to be read. `maxBody` in bytes, durations in milliseconds. */
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

function collectTarget(
  text: string,
  collected: readonly Pick<ForwardTarget, 'url' | 'type'>[] = [],
): Pick<ForwardTarget, 'url' | 'type'>[] {
  const [, type, address = text] = /^([^=/:?#\s]+)=(.*)$/.exec(text) ?? []
  const target = { type, url: parseReceiver(address) }
  if (collected.some(other => keyOf(other) === keyOf(target)))
    throw new InvalidArgumentError('It is given twice.')
  return [...collected, target]
}
