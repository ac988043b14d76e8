import {
  type BatchEvent,
  type BatchJournal,
  type BatchPlan,
  type BatchRun,
  type OpenBatch,
  prepareRun,
} from '../../../batch/index.ts'
import type { CalledService } from '../../../calls/index.ts'
import type { Context } from '../../../cli/context.ts'
import { monotonicMs } from '../../../lib/clock.ts'
import { getErrorReason } from '../../../lib/error.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { openBatchPage } from '../../../watch/index.ts'
import { programEnvironment } from '../../../webhook/index.ts'
import type { CallRecord } from '../log-call.ts'
import { failureOf, throwUnlessDone } from './end-of-run.ts'
import { formatCounts, openKnownBatch } from './known-batch.ts'
import { type OpenFeed, openFeed } from './open-feed.ts'
import type { Queue } from './open-queue.ts'
import { placePerson } from './place-person.ts'
import { createRunPrinter } from './print-run.ts'
import type { BatchRunOptions } from './run-flags.ts'

/** A batch that a person has confirmed. */
export interface ConfirmedRun {
  readonly asked: string
  readonly opened: OpenBatch
  readonly planned: BatchPlan
  readonly journal: BatchJournal
  /** Undefined for a batch of this machine. */
  readonly queue: Queue | undefined
  readonly service: CalledService
  readonly options: BatchRunOptions
  /** Called once events can arrive, before the first call. */
  onReady(): Promise<void>
}

/**
 * Runs a confirmed batch with everything around it: events, call log and output.
 * @throws CallwrightError as startRun does
 */
export async function runCalls(confirmed: ConfirmedRun, context: Context): Promise<void> {
  const { opened, planned, journal, queue, service, options } = confirmed
  const { invalid } = planned.skipped
  const feed = await openFeed(options, opened, { service, queue }, context)
  try {
    const listeners: ((event: BatchEvent) => void)[] = []
    const run = await createRun(confirmed, feed, listeners, context)
    const printer = createRunPrinter(run, context)
    listeners.push(printer.print)
    const page = options.ui === true ? await openUi(confirmed, run, context) : undefined
    if (page !== undefined) listeners.push(page.changed)
    const summarize = (end: string, reason: string | null) => {
      printer.stop()
      const { counts } = run.roster
      context.output.event(
        { kind: 'summary', end, reason, counts, invalid },
        () => text`${bold(opened.name)}: ${formatCounts(counts)}`,
      )
    }
    await confirmed.onReady()
    const end = await run
      .run()
      .catch(error => {
        summarize('failed', getErrorReason(error))
        throw failureOf(error, run.roster.counts)
      })
      .finally(() => page?.close())
    const reason = journal.state.paused?.reason ?? null
    summarize(end, reason)
    throwUnlessDone({ name: opened.name, end, counts: run.roster.counts, invalid, reason })
  } finally {
    await feed?.close()
  }
}

/** Opens the page of --ui, and prints its URL. */
async function openUi({ opened, journal, service }: ConfirmedRun, run: BatchRun, context: Context) {
  const { clock, output } = context
  const { createRunView } = await import('./run-view.ts')
  const view = createRunView(run, {
    ...{ name: opened.name, assistant: opened.assistant?.shown ?? '', service, clock, state: journal.state },
    isSandbox: await service.isSandbox(),
  })
  const pageCommand = `callwright call batch resume ${opened.name} --ui`
  const { url, close } = await openBatchPage({ feed: view.feed, clock, pageCommand })
  output.event({ kind: 'ui', url }, () => undefined)
  if (!output.json) output.note(text`Page of the batch\n  ${bold(url)}`, { asked: true })
  return {
    changed: view.changed,
    close() {
      view.end(`${formatCounts(run.roster.counts)}`)
      return close()
    },
  }
}

async function createRun(
  { asked, opened, planned, journal, queue, service, options }: ConfirmedRun,
  feed: OpenFeed | undefined,
  listeners: readonly ((event: BatchEvent) => void)[],
  context: Context,
) {
  const { clock, signal, cwd, env, output } = context
  /** The record of each person's call in progress. */
  const records = new Map<string, CallRecord>()
  return prepareRun(opened, planned, {
    ...{ clock, signal, cwd, journal, service: service.baseUrl, feed: feed?.feed, eventUrl: feed?.url },
    recordedBytes: feed?.recordedBytes,
    ...{
      drainMs: options.drain,
      outcomeTimeoutMs: options.outcomeTimeout,
    },
    ...{ env: programEnvironment(env), optOuts: queue?.optOuts, monotonicMs },
    ignoresLists: options.despiteOptOut === true,
    async reread(before) {
      try {
        const known = await openKnownBatch(asked, options, context, {
          ignoresLists: options.despiteOptOut === true,
          ...(queue && { openState: async () => queue.journal.state }),
        })
        return known.planned.people
      } catch (error) {
        output.warn(`the added people are not called in this run: ${getErrorReason(error)}`)
        return before
      }
    },
    async call(job) {
      const { id, record } = await placePerson(job, { opened, service, feed, log: options.log }, context)
      if (feed !== undefined) records.set(job.person.id, record)
      return { id }
    },
    onEvent(event) {
      if (event.kind === 'ended') {
        void records.get(event.person)?.ended(event)
        records.delete(event.person)
      }
      for (const listener of listeners) listener(event)
    },
    onResultsError: error =>
      output.warn(
        `the results cannot be written: ${getErrorReason(error)}`,
        `write them later: callwright call batch export ${opened.name} --out <file>`,
      ),
  })
}
