import type { Context } from '../../cli/context.ts'
import { count } from '../../lib/text/count.ts'
import type {
  Exec,
  ExecTotals,
  Forwarder,
  ForwardTotals,
  Recorder,
  RecorderTotals,
} from '../../webhook/index.ts'
import { openExec } from './open-exec.ts'
import { forwardTargets, openForwarding } from './open-forwarder.ts'
import { openRecording } from './open-recording.ts'
import { type OpenedWatch, openWatch } from './open-watch.ts'
import type { ListenOptions } from './tail-flags.ts'

/** What a tail does with events beside printing them. */
export interface TailParts {
  readonly recorder: Recorder | undefined
  readonly forwarder: Forwarder | undefined
  readonly exec: Exec | undefined
  readonly watch: OpenedWatch | undefined
  /** Gives what is under way the time of `--drain`; what all came to. */
  finish(): Promise<PartTotals>
  /** Breaks off what is under way, unless `finish` was called. Never rejects. */
  close(): Promise<void>
}

export interface PartTotals {
  readonly recording?: RecorderTotals
  readonly forwarding?: ForwardTotals
  readonly exec?: ExecTotals
}

/** @throws CliError as each of the parts does; those that are open by then are closed. */
export async function openTailParts(options: ListenOptions, context: Context): Promise<TailParts> {
  const { output } = context
  const { record, drain } = options
  const closers: (() => Promise<unknown>)[] = []
  const opened = <Part>(part: Part | undefined, close: (part: Part) => Promise<unknown>) => {
    if (part !== undefined) closers.unshift(() => close(part))
    return part
  }
  const close = async () => {
    for (const each of closers.splice(0)) await each()
  }
  try {
    const recorder = opened(await openRecording(options, options.requireHeader?.name, context), part =>
      part.close(),
    )
    const forwarder = opened(await openForwarding(options, context), part => part.close(0))
    const exec = opened(await openExec(options, context), part => part.close(0))
    const watch = opened(await openWatch(options, forwardTargets(options), context), part => part.close())
    return {
      recorder,
      forwarder,
      exec,
      watch,
      async finish() {
        noteWait({ forwarder, exec, drain }, output)
        const [forwarding, executed] = await Promise.all([forwarder?.close(drain), exec?.close(drain)])
        const recording = await recorder?.close()
        warnMissing(recording, record, output)
        return {
          ...(recording === undefined ? {} : { recording }),
          ...(forwarding === undefined ? {} : { forwarding }),
          ...(executed === undefined ? {} : { exec: executed }),
        }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function noteWait(
  { forwarder, exec, drain }: Pick<TailParts, 'forwarder' | 'exec'> & { readonly drain: number },
  output: Context['output'],
): void {
  const waiting = [
    ...((forwarder?.left ?? 0) > 0 ? [`${count(forwarder?.left ?? 0, 'event')} to be forwarded`] : []),
    ...((exec?.left ?? 0) > 0 ? [`${count(exec?.left ?? 0, 'message')} for --exec`] : []),
  ]
  if (waiting.length > 0) {
    output.note(
      `Waiting up to ${drain / 1000} s for ${waiting.join(' and ')}; Ctrl-C ends at once, and --resume delivers later …`,
    )
  }
}

function warnMissing(
  totals: RecorderTotals | undefined,
  record: string | undefined,
  output: Context['output'],
): void {
  if (totals?.missingSince === undefined) return
  const { missing, missingSince } = totals
  output.warn(
    `${count(missing, 'event is', 'events are')} missing in ${record}, the first from ${missingSince}`,
  )
}
