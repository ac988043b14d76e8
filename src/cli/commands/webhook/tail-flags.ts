import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type ForwardTarget, getTargetKey } from '../../../events/forward/index.ts'
import type { RequiredHeader } from '../../../events/receive/index.ts'
import { Flag, type OptionsOf, yesFlag } from '../../shell/flags/flag.ts'
import {
  integerParser,
  parseAge,
  parseDuration,
  parseMoment,
  parseSize,
  parseWait,
} from '../../shell/flags/option-parsers.ts'
import { collectNatsUrl, parseBrokerName, withCredentialFlags } from './broker-flags.ts'
import {
  collectHeader,
  collectId,
  parseCommand,
  parseReceiver,
  recordFlag,
  withExposureFlags,
  withFormatFlags,
  withMessageFlags,
} from './flags.ts'
import { withListenFlags } from './listen-flags.ts'

/** The flags of `webhook tail`. */
export function withTailFlags(command: Command) {
  const listening = withListenFlags(command.optionsGroup('LISTENING'), '/, random with --tunnel').addOption(
    new Option('--until <what>', 'Exit after the first finished call').choices(['finished']),
  )
  const exposed = withExposureFlags(listening)
  const reading = exposed
    .optionsGroup('RELAY')
    .addOption(
      new Flag('--relay <url>', 'Read events of a relay from this NATS server')
        .rare()
        .secret()
        .repeatable(collectNatsUrl),
    )
    .addOption(
      new Flag('--as <name>', 'Name with its own position (default: $USER)')
        .rare()
        .helpsWith({
          'name-in-use': ({ isShared }: { isShared: boolean }) =>
            isShared
              ? 'it does not share: stop it and start it with --share, or pass another --as'
              : 'pass another --as to receive everything too, or start all tails of this name with --share',
          'positions-in-use': 'stop them before you pass --since, --from or --new, or pass another --as',
        })
        .argParser(parseBrokerName),
    )
    .addOption(new Flag('--share', 'Share the events with other tails of this name').rare())
    .addOption(
      new Flag('--since <age>', 'Start with events of this age, such as 1h').rare().argParser(parseAge),
    )
    .addOption(
      new Flag('--from <time>', 'Start with events stored from this time on').rare().argParser(parseMoment),
    )
    .addOption(new Flag('--new', 'Skip the events up to now').rare())
    .addOption(
      new Flag('--stream <name>', 'Stream of the relay').rare().argParser(parseBrokerName).default('calls'),
    )
  const filtered = withCredentialFlags(reading)
    .optionsGroup('DISPLAY')
    .addOption(new Flag('--call <id>', 'Show only this call').repeatable(collectId))
    .addOption(new Flag('--type <type>', 'Show only events of this type').repeatable(collectId))
  return withFormatFlags(withMessageFlags(filtered))
    .option('--ui', 'Also show the calls in the browser')
    .optionsGroup('RECORDING')
    .addOption(recordFlag('Append every event to a file'))
    .addOption(new Flag('--rotate <size>', 'Start a new file at this size').rare().argParser(parseSize))
    .addOption(new Flag('--keep-secrets', 'Do not mask secrets in headers and queries').rare())
    .optionsGroup('FORWARDING')
    .addOption(
      new Flag('--forward <[type=]url>', 'Also send events to this URL')
        .completes('forward')
        .helpsWith({ 'forwards-to-itself': 'pass the URL of your server to --forward' })
        .secret()
        .repeatable(collectTarget),
    )
    .addOption(
      new Flag('--forward-header <header>', "Add this 'name: value' to them")
        .rare()
        .secret()
        .repeatable(collectHeader),
    )
    .addOption(new Flag('--no-headers', 'Forward only the body and its content type').rare())
    .addOption(new Flag('--skip-repeats', 'Do not forward events without new content').rare())
    .addOption(
      new Flag('--forward-retries <number>', 'Retries per event (default: 0)')
        .rare()
        .argParser(integerParser(0, maxRetries)),
    )
    .addOption(new Flag('--resume', 'Deliver events left over from an earlier run first').rare())
    .addOption(
      new Flag('--drain <duration>', 'Time to finish deliveries on exit').rare().parsed(parseWait, '10s'),
    )
    .optionsGroup('RUNNING A COMMAND')
    .addOption(
      new Flag('--exec <command>', 'Run this for each new message (JSON on stdin)')
        .helpsWith({ 'exec-not-found': 'pass its path to --exec, or a name in PATH' })
        .argParser(parseCommand),
    )
    .addOption(
      new Flag('--exec-concurrency <n>', 'Commands to run in parallel (default: 4)')
        .rare()
        .argParser(integerParser(1, maxConcurrent)),
    )
    .addOption(
      new Flag('--exec-timeout <duration>', 'Kill a command after this time (default: 60s)')
        .rare()
        .argParser(parseDuration),
    )
    .option('--guard <file>', 'Alert when a rule in this file fires')
    .addOption(yesFlag('Run its commands without confirmation').rare())
}

const maxRetries = 100

/** More programs side by side than this are a mistake. */
const maxConcurrent = 64

/** Parsed flags; values of headers may not be read yet. `maxBody` in bytes, durations in milliseconds. */
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

interface TargetArg {
  readonly type: string | undefined
  readonly url: string
}

function collectTarget(text: string, collected: readonly TargetArg[] = []): TargetArg[] {
  const [, type, address = text] = /^([^=/:?#\s]+)=(.*)$/.exec(text) ?? []
  const target = { type, url: parseReceiver(address) }
  if (collected.some(other => getTargetKey(other) === getTargetKey(target)))
    throw new InvalidArgumentError('It is given twice.')
  return [...collected, target]
}
