import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ForwardTarget, keyOf } from '../../webhook/forward/targets.ts'
import { parseDuration, parseInteger } from '../option-parsers.ts'
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
    .option(
      '--forward-retries <number>',
      'try an event that failed again so many times, at most 100 (default: 0)',
      text => parseInteger(text, 0, mostRetries),
    )
    .option('--resume', 'first deliver what an earlier tail accepted and did not deliver')
    .addOption(
      new Option('--drain <duration>', 'how long the end waits for what is under way')
        .argParser(parseDuration)
        .default(10_000, '10s'),
    )
}

const mostRetries = 100

export const forwardHelp = `--forward POSTs each event as it came, byte by byte, with its content type and
the headers of --forward-header; without type= all events, else those of one
type. The sender never waits for it. The events of a call go to a server one
after the other, calls side by side. While a server takes no connections its
events wait and are sent when it does; any other outcome but 2xx (--timeout, 30s
unless given, is for one attempt; no redirect is followed) is told and not
repeated. With --forward-retries an event that got no whole answer, or 5xx, 408
or 429, is sent again, after 0.5, 1, 2, 4, 5, 5 ... seconds, while later events
of its call wait; the server may have taken it the first time, so it may arrive
twice. What waits is kept on disk, 512 MB at most for each server. At the end
there is time to --drain; what is undelivered then, or after a kill, the next
tail tells, and --resume delivers it. A delivery cut off by a kill is repeated
then.`

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
