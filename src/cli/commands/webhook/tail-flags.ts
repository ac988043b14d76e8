import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type ForwardTarget, getTargetKey } from '../../../events/forward/index.ts'
import type { RequiredHeader } from '../../../events/receive/index.ts'
import { Flag, type OptionsOf } from '../../shell/flags/flag.ts'
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
  const exposed = withExposureFlags(listening.optionsGroup('PUBLIC URL'))
  const reading = exposed
    .optionsGroup('RELAY')
    .addOption(
      new Flag('--relay <url>', 'Read events of a relay from this NATS server')
        .secret()
        .repeatable(collectNatsUrl),
    )
    .option('--as <name>', 'Name with its own position (default: $USER)', parseBrokerName)
    .option('--share', 'Share the events with other tails of this name')
    .option('--since <age>', 'Start with events of this age, such as 1h', parseAge)
    .option('--from <time>', 'Start with events stored from this time on', parseMoment)
    .option('--new', 'Skip the events up to now')
    .option('--stream <name>', 'Stream of the relay', parseBrokerName, 'calls')
  const filtered = withCredentialFlags(reading, { isHidden: true })
    .optionsGroup('DISPLAY')
    .addOption(new Flag('--call <id>', 'Show only this call').repeatable(collectId))
    .addOption(new Flag('--type <type>', 'Show only events of this type').repeatable(collectId))
  return withFormatFlags(withMessageFlags(filtered))
    .option('--ui', 'Also show the calls in the browser')
    .optionsGroup('RECORDING')
    .option('--record <file>', 'Append every event to a file')
    .option('--rotate <size>', 'Start a new file at this size', parseSize)
    .option('--keep-secrets', 'Do not mask secrets in headers and queries')
    .optionsGroup('FORWARDING')
    .addOption(
      new Flag('--forward <[type=]url>', 'Also send events to this URL').secret().repeatable(collectTarget),
    )
    .addOption(
      new Flag('--forward-header <header>', "Add this 'name: value' to them")
        .secret()
        .repeatable(collectHeader),
    )
    .option('--no-headers', 'Forward only the body and its content type')
    .option('--skip-repeats', 'Do not forward events without new content')
    .option('--forward-retries <number>', 'Retries per event (default: 0)', integerParser(0, maxRetries))
    .option('--resume', 'Deliver events left over from an earlier run first')
    .addOption(new Flag('--drain <duration>', 'Time to finish deliveries on exit').parsed(parseWait, '10s'))
    .optionsGroup('RUNNING A COMMAND')
    .option('--exec <command>', 'Run this for each new message (JSON on stdin)', parseCommand)
    .option(
      '--exec-concurrency <n>',
      'Commands to run in parallel (default: 4)',
      integerParser(1, maxConcurrent),
    )
    .option('--exec-timeout <duration>', 'Kill a command after this time (default: 60s)', parseDuration)
    .option('--guard <file>', 'Alert when a rule in this file fires')
    .option('-y, --yes', 'Run its commands without confirmation')
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

function collectTarget(
  text: string,
  collected: readonly Pick<ForwardTarget, 'url' | 'type'>[] = [],
): Pick<ForwardTarget, 'url' | 'type'>[] {
  const [, type, address = text] = /^([^=/:?#\s]+)=(.*)$/.exec(text) ?? []
  const target = { type, url: parseReceiver(address) }
  if (collected.some(other => getTargetKey(other) === getTargetKey(target)))
    throw new InvalidArgumentError('It is given twice.')
  return [...collected, target]
}
