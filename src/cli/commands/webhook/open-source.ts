import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { EventSource, TailSink } from '../../../events/receive/index.ts'
import { monotonicMs } from '../../../lib/clock.ts'
import { CallyardError } from '../../../lib/error.ts'
import { loadRelaySource, type RelayReader, type RelaySourceOptions } from '../../../relay/index.ts'
import { assertExclusive } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import type { AnyCommand } from '../../shell/flags/flag.ts'
import { connectionOptions, credentialOptions, parseBrokerName } from './broker-flags.ts'
import type { ListenOptions, TailFlags } from './tail-flags.ts'

/** Options of a listener for events, which a tail of a relay does not have. */
const ofListener = [
  ...['host', 'port', 'path', 'requireHeader', 'allowHost', 'maxBody'],
  ...['tunnel', 'tunnelUrl', 'publicUrl', 'resume'],
]

/** Options that require --relay. */
export const relayOptions = ['as', 'share', 'since', 'from', 'new', 'stream', ...credentialOptions] as const

/** @throws CallyardError `usage` for flags that have no effect on the events of a relay, or contradict each other */
export function assertRelayFlags(command: AnyCommand, { relay, since, from, new: isNew }: TailFlags): void {
  if (relay === undefined) return
  const useless = command.options.find(
    option =>
      ofListener.includes(option.attributeName()) &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (useless !== undefined)
    throw new CallyardError('usage', `${useless.long} and --relay cannot be used together`, {
      hint:
        useless.long === '--resume'
          ? 'remove --resume: a tail of a relay continues where its name was'
          : `remove ${useless.long}: the relay receives the events`,
    })
  assertExclusive({ '--since': since, '--from': from, '--new': isNew })
}

/** The source of a tail with --relay. */
export async function openRelaySource(
  servers: readonly string[],
  options: ListenOptions,
  context: Context,
): Promise<EventSource<RelayReader, TailSink>> {
  const { readFromRelay } = await loadRelaySource()
  const { clock } = context
  return readFromRelay({
    ...connectionOptions(servers, options, context),
    stream: options.stream,
    name: readerName(options, context),
    isShared: options.share === true,
    start: startOf(options, clock.now()),
    ...{ clock, monotonicMs },
  })
}

function startOf({ since, from, new: isNew }: ListenOptions, now: number): RelaySourceOptions['start'] {
  if (isNew === true || from === 'now') return { kind: 'new' }
  if (from !== undefined) return { kind: 'since', at: from }
  return since === undefined ? undefined : { kind: 'since', at: now - since }
}

/** @throws CallyardError `usage` without --as and a user name */
export function readerName({ as: name }: TailFlags, { env: { USER, USERNAME } }: Context): string {
  try {
    return name ?? parseBrokerName(USER || USERNAME || '')
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new CallyardError('usage', '--as is missing', {
      hint: 'pass a name of your own, such as --as ada; it continues where it stopped',
      details: { missing: ['--as'] },
    })
  }
}
