import type { BatchJournal, BatchPlan, OpenBatch } from '../../../calls/batch/index.ts'
import { type BatchEvent, type BatchRun, prepareRun } from '../../../calls/batch/run/index.ts'
import { countPeople } from '../../../calls/batch/status/index.ts'
import type { CalledService } from '../../../calls/place/index.ts'
import { monotonicMs } from '../../../lib/clock.ts'
import { describeFileError, getErrorReason } from '../../../lib/error.ts'
import { bold, text } from '../../../lib/text/text.ts'
import { openBatchPage } from '../../../web/index.ts'
import { commandLine } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { ownCommand } from '../../shell/render/next-steps.ts'
import { abandonOnSignal } from '../abandon-on-signal.ts'
import type { CallRecord } from '../call/log-call.ts'
import { dialPerson } from './dial.ts'
import { exportCommand, failureOf, pausedError, throwUnlessDone } from './end-of-run.ts'
import { type OpenFeed, openFeed } from './event-source.ts'
import { formatCounts, loadBatch } from './load-batch.ts'
import type { Queue } from './open-queue.ts'
import { createRunPrinter } from './print-run.ts'
import { type BatchRunOptions, resumeCommand } from './run-flags.ts'

/** A batch that a person has confirmed. */
export interface ConfirmedRun {
  readonly batchArg: string
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
 * Runs a confirmed batch with everything around it: events, call log and output. The second Ctrl-C ends the wait for calls in progress.
 * @throws CallyardError as startRun does
 */
export async function runCalls(confirmed: ConfirmedRun, context: Context): Promise<void> {
  const { opened, options } = confirmed
  const leaving = new AbortController()
  const release = context.host.takeSecondSignal(() => leaving.abort())
  let run: BatchRun | undefined
  const work = follow(confirmed, leaving.signal, created => (run = created), context)
  try {
    await abandonOnSignal(work, { signal: leaving.signal, clock: context.clock }, () => {
      const counts = run?.queue.counts ?? countPeople(opened, confirmed.planned)
      return pausedError({
        counts,
        inProgress: run?.live.size ?? 0,
        resume: resumeCommand(opened.name, options),
      })
    })
  } finally {
    release()
  }
}

async function follow(
  confirmed: ConfirmedRun,
  leave: AbortSignal,
  onCreated: (run: BatchRun) => void,
  context: Context,
): Promise<void> {
  const { opened, planned, journal, queue, service, options } = confirmed
  const { invalid } = planned.skipped
  const feed = await openFeed(options, opened, { service, queue }, context)
  try {
    const listeners: ((event: BatchEvent) => void)[] = []
    const { run, logged } = await createRun(confirmed, { feed, leave }, listeners, context)
    onCreated(run)
    const printer = createRunPrinter(run, context)
    listeners.push(printer.print)
    const page = options.ui === true ? await openUi(confirmed, run, context) : undefined
    if (page !== undefined) listeners.push(page.changed)
    const summarize = (end: string, reason: string | null) => {
      printer.stop()
      const { counts } = run.queue
      context.output.event(
        { kind: 'summary', end, reason, counts, inProgress: run.live.size, invalid },
        () => text`${bold(opened.name)}: ${formatCounts(counts)}`,
      )
    }
    await confirmed.onReady()
    const end = await run
      .run()
      .catch(error => {
        summarize('failed', getErrorReason(error))
        throw failureOf(error, run.queue.counts)
      })
      .finally(() => Promise.all([page?.close(), logged()]))
    const reason = journal.state.paused?.reason ?? null
    summarize(end, reason)
    throwUnlessDone({
      ...{ name: opened.name, end, counts: run.queue.counts, inProgress: run.live.size, invalid, reason },
      areResultsWritten: run.areResultsWritten,
      resume: resumeCommand(opened.name, options),
    })
  } finally {
    await feed?.close()
  }
}

/** Opens the page of --ui, and prints its URL. */
async function openUi({ opened, journal, service }: ConfirmedRun, run: BatchRun, context: Context) {
  const { clock, output } = context
  const { createRunView } = await import('./run-view.ts')
  const view = createRunView(run, {
    ...{ name: opened.name, assistant: opened.assistant?.label ?? '', service, clock, state: journal.state },
    isSandbox: await service.isSandbox(),
  })
  const pageCommand = ownCommand(`batch resume ${opened.name} --ui`, context)
  const { url, close } = await openBatchPage({ feed: view.feed, clock, pageCommand })
  output.event({ kind: 'ui', url }, () => undefined)
  if (!output.json) output.note(text`Page of the batch\n  ${bold(url)}`, { isRequested: true })
  return {
    changed: view.changed,
    close() {
      view.end(`${formatCounts(run.queue.counts)}`)
      return close()
    },
  }
}

async function createRun(
  { batchArg, opened, planned, journal, queue, service, options }: ConfirmedRun,
  { feed, leave }: { readonly feed: OpenFeed | undefined; readonly leave: AbortSignal },
  listeners: readonly ((event: BatchEvent) => void)[],
  context: Context,
) {
  const { clock, signal, cwd, programEnv: env, output } = context
  /** The record of each person's call in progress. */
  const records = new Map<string, CallRecord>()
  let logging = Promise.resolve()
  const run = await prepareRun(opened, planned, {
    ...{ clock, signal, leave, cwd, journal, service: service.baseUrl },
    ...{ feed: feed?.feed, eventUrl: feed?.url },
    recordedBytes: feed?.recordedBytes,
    drainMs: options.drain,
    outcomeTimeoutMs: options.outcomeTimeout,
    queuedAfterMs: options.queuedAfter,
    ...{ env, optOuts: queue?.optOuts, monotonicMs },
    ignoresLists: options.despiteOptOut === true,
    async reread(before) {
      try {
        const changedBatch = await loadBatch(batchArg, options, context, {
          ignoresLists: options.despiteOptOut === true,
          ...(queue && { openState: async () => queue.journal.state }),
        })
        for (const [number, row] of changedBatch.opened.refusals) opened.refusals.set(number, row)
        return changedBatch.planned.people
      } catch (error) {
        output.warn(`the added people are not called in this run: ${getErrorReason(error)}`)
        return before
      }
    },
    async call(job) {
      const { id, record } = await dialPerson(job, { opened, service, feed, log: options.log }, context)
      if (feed !== undefined) records.set(job.person.id, record)
      return { id }
    },
    onEvent(event) {
      if (event.kind === 'ended') {
        logging = Promise.all([logging, records.get(event.person)?.ended(event)]).then(() => undefined)
        // `logged` rejects with it.
        logging.catch(() => undefined)
        records.delete(event.person)
      }
      for (const listener of listeners) listener(event)
    },
    onResultsError: error =>
      output.warn(
        `the results cannot be written: ${describeFileError(error)}`,
        `write them later: ${commandLine(exportCommand(opened.name))}`,
      ),
  })
  /** Resolves when the ends of all calls so far are in the call log. */
  return { run, logged: () => logging }
}
