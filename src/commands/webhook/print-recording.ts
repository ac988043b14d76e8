import type { Context } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { createTally } from '../../webhook/tally.ts'
import { openReplay, type ReplayOptions } from './open-replay.ts'
import { createPrinter } from './print-events.ts'

/** `webhook replay` without `--to`: what `webhook tail` would have printed, and the summary. */
export async function printRecording(file: string, options: ReplayOptions, context: Context): Promise<void> {
  const { output, signal } = context
  if ('header' in options) {
    throw new CliError('usage', '--header is for a server', { hint: 'give its address with --to' })
  }
  const { events, skippedLines } = openReplay(file, options, context)
  const tally = createTally()
  const print = await createPrinter(output)
  try {
    for await (const { event, number } of events) {
      if (event === undefined)
        output.warn(`event ${number} of the recording has another body than an event’s`)
      else for (const change of tally.take(event)) print(change)
      await output.drained()
    }
  } catch (error) {
    // Ctrl-C: what was played is summed up first, unless nobody reads any more.
    if (signal.aborted && signal.reason !== 'EPIPE') summarise()
    throw error
  }
  summarise()

  function summarise() {
    const skipped = skippedLines()
    print({ kind: 'summary', ...tally.counts(), ...(skipped > 0 ? { skippedLines: skipped } : {}) })
  }
}
