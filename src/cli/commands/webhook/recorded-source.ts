import type { Command, OptionValues } from '@commander-js/extra-typings'
import { isRereadable, type PlayedRecording, readRecording } from '../../../events/recordings/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { loadStoredEvents } from '../../../relay/index.ts'
import { assertExclusive } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, type NoOptions, type OptionsOf } from '../../shell/flags/flag.ts'
import { parseAge } from '../../shell/flags/option-parsers.ts'
import {
  collectNatsUrl,
  connectionOptions,
  credentialOptions,
  parseBrokerName,
  withCredentialFlags,
} from './broker-flags.ts'

/** Adds the argument `[file]`, and flags to read the stream of a relay instead: --relay, --stream and --since. */
export function withRecordedSource<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return withCredentialFlags(
    command
      .argument('[file]', 'Recording made by webhook tail --record (- for stdin)')
      .addOption(
        new Flag('--relay <url>', 'Read the stream of a relay from this NATS server')
          .secret()
          .repeatable(collectNatsUrl),
      )
      .option('--stream <name>', 'Stream of the relay', parseBrokerName, 'calls')
      .option('--since <age>', 'Only events of this age in the stream, such as 1h', parseAge),
  )
}

/** Options that require --relay. */
export const storedOptions = ['stream', 'since', ...credentialOptions] as const

type SourceFlags = OptionsOf<typeof withRecordedSource<[], NoOptions>>

/** A recording in a file, from stdin, or in the stream of a relay. */
export interface OpenRecordedSource extends PlayedRecording {
  /** The file as it was named, `stdin`, or `stream calls`. */
  readonly name: string
  close(): Promise<void>
}

/**
 * Opens the recording. `call` is the only call of interest, by id or prefix.
 * @throws CallyardError `usage` without a file and --relay, or with both
 */
export async function openRecordedSource(
  file: string | undefined,
  { relay, stream, since, ...flags }: SourceFlags,
  call: string | undefined,
  context: Context,
): Promise<OpenRecordedSource> {
  assertExclusive({ 'a file': file, '--relay': relay })
  if (relay !== undefined) {
    const { openStoredEvents } = await loadStoredEvents()
    const { read, close } = await openStoredEvents({
      ...connectionOptions(relay, flags, context),
      ...{ stream, call },
      since: since === undefined ? undefined : context.clock.now() - since,
    })
    return { name: `stream ${stream}`, isRereadable: true, read, close }
  }
  if (file === undefined)
    throw new CallyardError('usage', 'the recording is missing', {
      hint: 'name a file of webhook tail --record, or pass --relay with the URL of a NATS server',
      details: { missing: ['file'] },
    })
  const recording = recordingAt(file, context)
  return {
    name: file === '-' ? 'stdin' : file,
    isRereadable: await isRereadable(recording),
    read: () => readRecording(recording),
    close: async () => undefined,
  }
}

/** The recording in a file; `-` is stdin. */
export function recordingAt(file: string, { host, resolve }: Context) {
  return file === '-' ? { name: 'stdin', bytes: host.stdin.bytes() } : resolve(file)
}
