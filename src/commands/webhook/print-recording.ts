import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { conversationEventsOf, createSummaryCounter } from '../../webhook/index.ts'
import { openReplay } from './open-replay.ts'
import { createPrinter, openFilter, warnUnmatched } from './print-events.ts'
import type { ReplayOptions } from './replay.ts'

/** `webhook replay` without `--to`: what `webhook tail` would have printed, and the summary. */
export async function printRecording(
  file: string,
  { role, status, compact, timestamps, ...options }: ReplayOptions,
  context: Context,
): Promise<void> {
  const { output, signal } = context
  if (options.header !== undefined) {
    throw new CallwrightError('usage', '--header is for a server', { hint: 'give its address with --to' })
  }
  const { events, skippedLines } = openReplay(file, options, context)
  const counter = createSummaryCounter()
  // --call and --type choose the events already.
  const filter = openFilter({ role, status }, output)
  let now = 0
  const print = await createPrinter(output, { compact, timestamps, now: () => now, filter })
  try {
    for await (const { event, number, arrived } of events) {
      now = arrived
      if (event === undefined)
        output.warn(`the body of event ${number} of the recording is not a JSON object`)
      else for (const each of conversationEventsOf(counter.take(event))) print(each)
      await output.drained()
    }
  } catch (error) {
    // Ctrl-C: what was played is summed up first, unless nobody reads any more.
    if (signal.aborted && signal.reason !== 'EPIPE') summarise()
    throw error
  }
  summarise()

  function summarise() {
    warnUnmatched(filter, output)
    const skipped = skippedLines()
    print({ kind: 'summary', ...counter.counts(), ...(skipped > 0 ? { skippedLines: skipped } : {}) })
  }
}
