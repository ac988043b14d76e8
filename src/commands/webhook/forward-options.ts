import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration, parseInteger } from '../../cli/flags/option-parsers.ts'
import { SecretOption } from '../../cli/flags/secret-option.ts'
import { type ForwardTarget, keyOf } from '../../webhook/index.ts'
import { collectHeader } from './header-option.ts'
import { parseReceiver } from './receiver-option.ts'

export interface ForwardOptions {
  readonly forward?: readonly Pick<ForwardTarget, 'url' | 'type'>[]
  readonly forwardHeader?: Readonly<Record<string, string>>
  readonly forwardOnlyNew?: boolean
  readonly forwardRetries?: number
  readonly resume?: boolean
  /** Milliseconds. */
  readonly drain: number
}

export function withForwardOptions<C extends Command>(command: C): C {
  return command
    .optionsGroup('FORWARD')
    .addOption(
      new SecretOption('--forward <[type=]url>', 'Send events to this server too (repeatable)').argParser(
        collectTarget,
      ),
    )
    .addOption(
      new SecretOption(
        '--forward-header <header>',
        "Send this 'name: value' with them (repeatable)",
      ).argParser(collectHeader),
    )
    .option('--forward-only-new', 'Forward only events that carry something new')
    .option('--forward-retries <number>', 'Send an event that failed again (default: 0)', text =>
      parseInteger(text, 0, maxRetries),
    )
    .option('--resume', 'Deliver first what an earlier tail left')
    .addOption(
      new Option('--drain <duration>', 'Wait at the end for deliveries')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
}

const maxRetries = 100

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
