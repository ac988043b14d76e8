import type { Context } from '../../context.ts'
import type { RequiredHeader } from '../../webhook/gate.ts'
import type { Recorder } from '../../webhook/recording/recorder.ts'
import { openTail } from '../../webhook/tail.ts'
import { openRecording, type RecordOptions } from './open-recording.ts'
import { count, createPrinter } from './print-events.ts'

export interface TailCommandOptions extends RecordOptions {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly requireHeader?: RequiredHeader
  readonly allowHost?: readonly string[]
  /** Bytes. */
  readonly maxBody: number
  readonly until?: 'finished'
}

type ListenOptions = Omit<TailCommandOptions, keyof RecordOptions>

/**
 * Listens until the signal, or until the first call finished, and prints what is new (interface.md 4.8 and 6). Ends
 * well either way: running requests are answered, then comes the summary.
 */
export async function tail(
  { record, rotate, ...options }: TailCommandOptions,
  context: Context,
): Promise<void> {
  const recorder = await openRecording({ record, rotate }, options.requireHeader?.name, context)
  try {
    await listen(options, recorder, context)
  } finally {
    const totals = await recorder?.close()
    if (totals?.missingSince !== undefined) {
      const { missing, missingSince } = totals
      context.output.warn(
        `${count(missing, 'event is', 'events are')} missing in ${record}, the first from ${missingSince}`,
      )
    }
  }
}

async function listen(
  { allowHost, until, ...options }: ListenOptions,
  recorder: Recorder | undefined,
  { output, signal, clock }: Context,
): Promise<void> {
  const opened = await openTail({ ...options, allowHosts: allowHost, clock, recorder })
  const close = () => void opened.close()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  try {
    const print = await createPrinter(output)
    for await (const event of opened.events) {
      // Nobody reads any more: what is still to come, the summary too, is for nobody.
      if (signal.reason === 'EPIPE') continue
      const isLast = event.kind === 'summary' && recorder !== undefined
      print(isLast ? { ...event, recording: await recorder.close() } : event)
      await output.drained()
      if (until === 'finished' && event.kind === 'status' && event.status === 'finished') close()
    }
  } finally {
    signal.removeEventListener('abort', close)
    await opened.close()
  }
}
