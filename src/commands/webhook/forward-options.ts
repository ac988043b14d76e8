import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ForwardTarget, keyOf } from '../../webhook/forward/targets.ts'
import { parseDuration } from '../option-parsers.ts'
import { collectHeader } from './header-option.ts'
import { parseReceiver } from './receiver-option.ts'

export interface ForwardOptions {
  readonly forward?: readonly Pick<ForwardTarget, 'url' | 'type'>[]
  readonly forwardHeader?: Readonly<Record<string, string>>
  readonly forwardOnlyNew?: boolean
  readonly resume?: boolean
  /** Milliseconds. */
  readonly drain: number
}

export function withForwardOptions(command: Command): Command {
  return command
    .optionsGroup('Pass events on:')
    .option(
      '--forward <[type=]url>',
      'send each event, or those of one type, to this server too (repeatable)',
      collectTarget,
    )
    .option(
      '--forward-header <header>',
      "send this header with them: 'name: value' (repeatable)",
      collectHeader,
    )
    .option('--forward-only-new', 'forward only events that carry something unseen')
    .option('--resume', 'first deliver what an earlier tail accepted and did not deliver')
    .addOption(
      new Option('--drain <duration>', 'how long the end waits for what is under way')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
}

export const forwardHelp = `--forward POSTs each event as it came, byte by byte, with its content type and
the headers of --forward-header; without type= all events, else those of one
type. The sender never waits for it. The events of a call go to a server one
after the other, calls side by side. While a server refuses connections its
events wait and are sent when it is back; any other outcome but 2xx (--timeout,
30s unless given, is for one attempt; no redirect is followed) is told and not
repeated. What waits is kept on disk, 512 MB at most. At the end there is time
to --drain; what is undelivered then, or after a kill, the next tail tells, and
--resume delivers it. A delivery cut off by a kill is repeated then.`

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
