import { type OpenBatch, requestChange } from '../../../batch/index.ts'
import type { Context } from '../../../cli/context.ts'
import { bold, type Text, text } from '../../../lib/text/text.ts'
import type { BatchOptions } from './flags.ts'
import { assertBegun, formatCounts, type KnownBatch, openKnownBatch } from './known-batch.ts'

type Request = Parameters<typeof requestChange>[1]

/**
 * Requests a change of a batch, and prints its people afterwards. A run in another process takes the request within seconds; without one,
 * the next run does.
 * @throws CallwrightError `usage` for a batch that was never run
 */
export async function printRequested(
  asked: string,
  options: BatchOptions,
  request: (batch: KnownBatch) => Promise<Request | undefined> | Request | undefined,
  said: (opened: OpenBatch) => Text,
  context: Context,
): Promise<void> {
  const before = await openKnownBatch(asked, options, context)
  assertBegun(before.opened)
  const change = await request(before)
  if (change !== undefined) await requestChange(before.opened.stateFolder, change, context)
  const { opened, counts } = await openKnownBatch(asked, options, context)
  const { isCancelled, paused } = opened.state
  context.output.result(
    { batch: opened.name, isCancelled, isPaused: paused !== undefined, counts },
    () => text`${said(opened)}: ${formatCounts(counts) || 'nobody to call'}`,
  )
}

/** `Paused reminders`. */
export function done(verb: string): (opened: OpenBatch) => Text {
  return ({ name }) => text`${verb} ${bold(name)}`
}
