import { resolve } from 'node:path'
import {
  assertSameBatch,
  type BatchJournal,
  type BatchRequest,
  type OpenBatch,
  openBatch,
  openBatchJournal,
  planBatch,
  readLocatedState,
  requestChange,
  type StatusCounts,
  sharedFactsOf,
} from '../../../calls/batch/index.ts'
import { assertResults, callsOf, countPeople } from '../../../calls/batch/status/index.ts'
import { type CalledService, calledService } from '../../../calls/place/index.ts'
import { settingsNeedingOutcomes } from '../../../files/formats/batch.ts'
import { type Diagnostic, InvalidInput } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { advice, bold, text } from '../../../lib/text/text.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { printWarnings, showWarnings } from '../warnings.ts'
import { confirmAgain, confirmBatch } from './confirm-batch.ts'
import { settingsOf } from './flags.ts'
import { openQueue, type Queue, withQueue } from './open-queue.ts'
import { assertNotCancelled, requestShared } from './requests.ts'
import { runCalls } from './run-calls.ts'
import type { BatchRunOptions } from './run-flags.ts'
import { showChanges } from './show-changes.ts'
import { placeTestCall } from './test-call.ts'
import { warningsAt } from './warnings.ts'

/** Result of `batch run` and `batch resume`. */
export async function batchRunResult({ z, eventSchema, required }: SchemaBuilders) {
  const { batchEventSchemas, ofCall, runEnds } = await import('../../../calls/batch/run/index.ts')
  const { statusCountsSchema } = await import('../../../calls/batch/status/index.ts')
  return {
    event: z.union([
      eventSchema('test-call', { ...ofCall, from: z.string() }),
      eventSchema('public-url', { url: z.string() }),
      eventSchema('ui', { url: z.string() }),
      ...batchEventSchemas,
      eventSchema('summary', {
        end: required(z.enum([...runEnds, 'failed']), 'Why the run ended'),
        reason: required(z.nullable(z.string()), 'Of a failure, or of a pause'),
        counts: statusCountsSchema,
        inProgress: required(z.int(), 'Calls that continue at the service'),
        invalid: required(z.int(), 'Rows with errors'),
      }),
    ]),
  }
}

interface RunMode {
  /** True for `batch resume`: with the settings of the last run. */
  readonly isResume: boolean
}

/**
 * `batch run` and `batch resume`: places the calls of a batch with Start call (interface.md 4.1), and follows them with
 * --follow or --events. Ctrl-C pauses the run; the same command continues it.
 * @throws CallyardError `partial` if somebody was not called, `conflict` if somebody may have been called or the batch is paused,
 * `cancelled` if it is interrupted
 */
export async function startRun(
  batchArg: string,
  options: BatchRunOptions,
  mode: RunMode,
  context: Context,
): Promise<void> {
  assertQueueFlags(options)
  if (mode.isResume && options.queue !== undefined && !(await isKnownHere(batchArg, options, context)))
    return resumeElsewhere(batchArg, options, context)
  const service = await calledService(context)
  const queues: Queue[] = []
  let journal: BatchJournal | undefined
  const openState = async (name: string) => {
    const queue = await openQueue(name, options, mode.isResume ? 'existing' : 'create', context)
    queues.push(queue)
    journal = queue.journal
    return queue.journal.state
  }
  try {
    const { opened, planned } = await planRun(batchArg, options, { ...mode, service, openState }, context)
    const [queue] = queues
    journal ??= await openBatchJournal(opened.stateFolder, context)
    assertRunnable(opened, service, mode, context)
    if (queue !== undefined)
      assertSameBatch(opened.state.begun, {
        service: service.baseUrl,
        shared: sharedFactsOf(opened, planned),
      })
    const counts = countPeople(opened, planned)
    showChanges(opened, planned, context)
    const due = counts.due + counts.waiting + (options.retryUnknown === true ? counts.unknown : 0)
    const isListed = (number: string) => opened.doNotCall.has(number) && !opened.refusals.has(number)
    const despite = planned.people.filter(({ numbers }) => numbers.some(isListed))
    const { testCall, log } = options
    if (testCall !== undefined)
      return await placeTestCall(testCall, { opened, planned, service, log, yes: options.yes }, context)
    await confirmAgain(service, opened, planned, options, context)
    await confirmBatch(service, opened, planned, { due, counts, despite: despite.length }, options, context)
    const request = (change: BatchRequest) =>
      queue === undefined
        ? requestChange(opened.stateFolder, change, context)
        : requestShared(queue.journal, change, context)
    const onReady = () => requestForRun(opened, counts, options, { ...mode, request })
    await runCalls({ batchArg, opened, planned, journal, queue, service, options, onReady }, context)
  } finally {
    await journal?.close()
  }
}

/** True for a batch whose file or list is on this machine. */
async function isKnownHere(batchArg: string, { name }: BatchRunOptions, context: Context): Promise<boolean> {
  try {
    await readLocatedState(batchArg, name, context)
    return true
  } catch (error) {
    if (error instanceof CallyardError && error.kind === 'usage') return false
    throw error
  }
}

/** Resumes a shared batch without running it: runners start on machines that have its list. */
async function resumeElsewhere(batchArg: string, options: BatchRunOptions, context: Context): Promise<void> {
  await withQueue(batchArg, options, context, async queue => {
    assertNotCancelled({ name: queue.name, state: queue.journal.state })
    await requestShared(queue.journal, { request: 'resume' }, context)
    context.output.event({ kind: 'requested', request: 'resume' }, () =>
      advice(text`Resumed ${bold(queue.name)}; start its runners with callyard batch run --queue`),
    )
  })
}

/** @throws CallyardError `usage` for another source of events */
function assertQueueFlags({ queue, follow, events }: BatchRunOptions): void {
  const flag = follow === true ? '--follow' : events === undefined ? undefined : '--events'
  if (queue === undefined || flag === undefined) return
  throw new CallyardError('usage', `${flag} and --queue cannot be used together`, {
    hint: `remove ${flag}: outcomes come from the stream of the relay`,
  })
}

/** @throws InvalidInput if nobody can be called */
async function planRun(
  batchArg: string,
  options: BatchRunOptions,
  {
    isResume,
    service,
    openState,
  }: RunMode & {
    readonly service: CalledService
    openState(name: string): Promise<OpenBatch['state']>
  },
  context: Context,
) {
  const openOptions = {
    ...options,
    useRecord: isResume,
    checksProgram: true,
    ...(options.queue && { openState }),
  }
  const { out } = options
  const settings = {
    ...settingsOf(options, context),
    ...(out && { results: context.resolve(out.file) }),
  }
  const opened = await openBatch(batchArg, settings, openOptions, context)
  for (const file of opened.checked) context.willSend(file)
  showWarnings(opened.warnings, context)
  if (opened.assistant !== undefined) printWarnings(opened.assistant.diagnostics, context)
  const doNotCall = options.despiteOptOut === true ? opened.refusals : opened.doNotCall
  const planned = planBatch({ ...opened, doNotCall, now: context.clock.now(), isRunning: true })
  const problems = [...opened.problems, ...planned.problems, ...needingEvents(opened, options)]
  if (problems.length > 0) throw new InvalidInput(problems, 'nobody was called')
  // Before the journal, which a batch that is refused does not have.
  if (opened.batch.results !== undefined)
    await assertResults(resolve(opened.baseFolder, opened.batch.results))
  const warnings = warningsAt(planned.warnings, { isSandbox: await service.isSandbox() })
  printWarnings(warnings, context)
  const { invalid } = planned.skipped
  const hint = `to list them: callyard batch plan ${batchArg}`
  const uncertain = planned.findings.counts.get('uncertain-do-not-call') ?? 0
  if (uncertain > 0 && options.despiteOptOut !== true)
    context.output.warn(
      `${count(uncertain, 'entry', 'entries')} of do-not-call lists may be several numbers; none of them is called`,
      hint,
    )
  const { counts } = planned.findings
  const refused = refusalCodes.reduce((sum, code) => sum + (counts.get(code) ?? 0), 0)
  if (refused > 0)
    context.output.warn(`${refused} of ${count(planned.rows, 'row')} do not allow a call`, hint)
  if (invalid > 0) {
    context.output.warn(`${count(invalid, 'row')} of ${planned.rows} cannot be called`, hint)
  }
  return { opened, planned }
}

/** Codes of findings about rows that say that their person is not called. */
const refusalCodes = ['marked-do-not-call', 'says-do-not-call', 'no-consent'] as const

/** Settings that need the outcomes of calls. */
function needingEvents(
  { batch, file }: OpenBatch,
  { follow, events, queue, testCall }: BatchRunOptions,
): Diagnostic[] {
  if ([follow, events, queue, testCall].some(source => source !== undefined)) return []
  return settingsNeedingOutcomes(batch).map(field => ({
    ...({ code: 'no-outcomes', severity: 'error', path: field.split('.'), at: 'key', file } as const),
    position: undefined,
    message: `${field} needs the outcomes of calls`,
    hint: 'receive their events with --follow, or read them from a recording with --events calls.ndjson',
  }))
}

/** @throws CallyardError `conflict` for a batch of another service, and one that was cancelled or is paused */
function assertRunnable(
  { name, file, state }: OpenBatch,
  service: CalledService,
  { isResume }: RunMode,
  { output }: Context,
): void {
  const { begun, paused } = state
  if (begun !== undefined && begun.service !== service.baseUrl && callsOf(state) > 0) {
    throw new CallyardError(
      'conflict',
      `this batch was begun at ${begun.service}, not at ${service.baseUrl}`,
      { hint: 'choose the same service, or another name with --name' },
    )
  }
  if (isResume && begun === undefined) {
    throw new CallyardError('usage', `batch ${name} has not been run`, {
      ...suggest`start it: ${['batch', 'run', name]}`,
    })
  }
  if (begun !== undefined && begun.file !== file && !isResume)
    output.warn(`batch ${name} was begun with ${begun.file}`, 'for a separate batch, pass --name')
  if (state.isCancelled) {
    throw new CallyardError('conflict', `batch ${name} was cancelled`, {
      hint: 'to call the people of its list anyway, pass another --name',
    })
  }
  if (paused !== undefined && !isResume) {
    const reasonText = paused.reason === null ? '' : ` (${paused.reason})`
    throw new CallyardError('conflict', `batch ${name} is paused${reasonText}`, {
      ...suggest`to continue: ${['batch', 'resume', name]}`,
    })
  }
}

/** Records what the command asks for, before the run takes it. */
async function requestForRun(
  { state }: OpenBatch,
  { unknown }: StatusCounts,
  { retryUnknown }: BatchRunOptions,
  { isResume, request }: RunMode & { request(change: BatchRequest): Promise<void> },
): Promise<void> {
  if (isResume && state.paused !== undefined) await request({ request: 'resume' })
  if (retryUnknown === true && unknown > 0) await request({ request: 'retry', outcome: 'unknown' })
}
