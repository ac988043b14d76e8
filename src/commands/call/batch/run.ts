import type { Command } from '@commander-js/extra-typings'
import {
  type BatchEvent,
  type BatchPlan,
  type OpenBatch,
  openBatch,
  openBatchJournal,
  type Person,
  planBatch,
  type RunEnd,
  runBatch,
  sendersOf,
  shownVariablesOf,
  variablesOf,
} from '../../../batch/index.ts'
import { type CalledService, calledService, placeCall, startRequest } from '../../../calls/index.ts'
import { defineCommand } from '../../../cli/cli-command.ts'
import type { Context, Progress } from '../../../cli/context.ts'
import type { OptionsOf } from '../../../cli/flags/flag.ts'
import { CallwrightError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { localDate, timeOfDay } from '../../../lib/text/date-time.ts'
import { bold, dim, type Text, text, yellow } from '../../../lib/text/text.ts'
import { withFindingMessages } from '../../../messages/with-words.ts'
import { InvalidInput } from '../../../source/index.ts'
import { agreeToAccess, printWarnings, showWarnings } from '../../in-project.ts'
import { confirmCall } from '../confirm-call.ts'
import { recordCall } from '../log-call.ts'
import { settingsOf, withBatchFlags } from './flags.ts'
import { countStatuses, formatCounts, type StatusCounts } from './progress.ts'

export const callBatchRunCommand = defineCommand({
  description: 'Call the people of a list, each of them once',
  examples: [
    'callwright call batch run reminders',
    'callwright call batch run reminders --yes --max-calls 200 --json',
  ],
  topics: ['batches'],
  flags: withFlags,
  result: async () => (await import('../results.ts')).callBatchRunResult,
  run: async (options, context, [batch]) => run(batch, options, context),
  handlesSignal: () => true,
})

function withFlags(command: Command) {
  return withBatchFlags(command)
    .option('-y, --yes', 'Call without confirmation; requires --max-calls')
    .option('--resend-unknown', 'Also call people who may have been called before')
    .option('--retry-rejected', 'Also call people whose requests were rejected before')
    .option('--no-log', 'Do not record the calls in the call log')
}

type RunOptions = OptionsOf<typeof withFlags>

/**
 * `call batch run`: places the calls of a batch with Start call (interface.md 4.1). Ctrl-C pauses it; the same command continues.
 * @throws CallwrightError `partial` if somebody was not called, `conflict` if somebody may have been called, `cancelled` if paused
 */
async function run(asked: string, options: RunOptions, context: Context): Promise<void> {
  const { clock, output } = context
  const service = await calledService(context)
  const opened = await openBatch(asked, settingsOf(options), options, context)
  for (const file of opened.checked) context.willSend(file)
  showWarnings(opened.warnings, context)
  if (opened.assistant !== undefined) printWarnings(opened.assistant.diagnostics, context)
  const planned = planBatch({ ...opened, now: clock.now(), isRunning: true })
  const problems = [...opened.problems, ...planned.problems, ...unsupported(opened)]
  if (problems.length > 0) throw new InvalidInput(problems, 'nobody was called')
  printWarnings(await withFindingMessages(planned.warnings), context)
  const { invalid } = planned.skipped
  if (invalid > 0) {
    const hint = `to list them: callwright call batch plan ${asked}`
    output.warn(`${count(invalid, 'row')} of ${planned.rows} cannot be called`, hint)
  }

  const journal = await openBatchJournal(opened.stateFolder, context)
  try {
    const { state } = journal
    const { begun } = state
    if (begun !== undefined && begun.service !== service.baseUrl) {
      throw new CallwrightError(
        'conflict',
        `this batch was begun at ${begun.service}, not at ${service.baseUrl}`,
        { hint: 'choose the same service, or another name with --name' },
      )
    }
    if (begun !== undefined && begun.file !== opened.file)
      output.warn(`batch ${opened.name} was begun with ${begun.file}`, 'for a separate batch, pass --name')
    if (state.isCancelled) {
      throw new CallwrightError('conflict', `batch ${opened.name} was cancelled`, {
        hint: 'to call the people of its list all the same, pass another --name',
      })
    }
    const before = countStatuses(planned.people, state)
    if (before.placed > 0 && begun !== undefined)
      output.note(
        `${before.placed} of ${planned.people.length} were called since ${begun.at.slice(0, 10)} and are not called again`,
      )
    const resent = (
      [
        ['unknown', options.resendUnknown],
        ['rejected', options.retryRejected],
      ] as const
    ).flatMap(([status, isResent]) => (isResent === true && before[status] > 0 ? [status] : []))
    await confirm(
      service,
      opened,
      planned,
      { due: before.due + resent.reduce((sum, status) => sum + before[status], 0), before, options },
      context,
    )
    for (const status of resent)
      await journal.append({ step: 'resend', at: new Date(clock.now()).toISOString(), status })
    const progress = output.progress('Calling', planned.people.length)
    const show = createPrinter(planned, () => countStatuses(planned.people, state), progress, context)
    const summarize = (end: RunEnd | 'failed') => {
      progress.stop()
      const counts = countStatuses(planned.people, state)
      output.event(
        { kind: 'summary', end, ...counts, invalid },
        () => text`${bold(opened.name)}: ${formatCounts(counts)}`,
      )
      return counts
    }
    const end = await runBatch(planned, opened, {
      ...{ clock, signal: context.signal, journal, service: service.baseUrl, onEvent: show },
      call: (person, from, to) => call(person, { from, to }, { opened, service, options }, context),
    }).catch(error => {
      summarize('failed')
      throw error
    })
    const counts = summarize(end)
    throwUnlessDone(end, counts, invalid)
  } finally {
    await journal.close()
  }
}

/** Settings that need the outcomes of calls. */
function unsupported({ batch, file }: OpenBatch) {
  const named = [
    ...(['concurrency', 'retry'] as const).filter(field => batch[field] !== undefined),
    ...(batch.limit?.minutes === undefined ? [] : ['limit.minutes']),
  ]
  return named.map(field => ({
    ...({ code: 'no-outcomes', severity: 'error', path: field.split('.'), at: 'key', file } as const),
    message: `${field} needs the outcomes of calls, which call batch run does not receive yet`,
    hint: field === 'concurrency' ? 'limit the calls with rate' : 'remove it; each person is called once',
  }))
}

interface Confirmation {
  readonly due: number
  readonly before: StatusCounts
  readonly options: RunOptions
}

/** @throws CallwrightError `usage` in a script without --yes and --max-calls, `cancelled` if declined */
async function confirm(
  service: CalledService,
  { name, batch, assistant }: OpenBatch,
  { people, until }: BatchPlan,
  { due, before, options }: Confirmation,
  context: Context,
): Promise<void> {
  const { prompts } = context
  await agreeToAccess(context, { yes: options.yes })
  if (await service.isSandbox()) return
  if (options.yes === true ? options.maxCalls === undefined : !prompts.confirms) {
    throw new CallwrightError(
      'usage',
      `without confirmation, ${options.yes === true ? '--max-calls is' : '--yes and --max-calls are'} required`,
      {
        hint: `${count(due, 'person', 'people')} would be called: --yes --max-calls ${due}`,
      },
    )
  }
  if (options.yes === true) return
  const facts = {
    Batch: name,
    Assistant: assistant?.shown ?? 'the default assistant of the number',
    From: sendersOf(batch)
      .map(({ number }) => number)
      .join(', '),
    People: due === people.length ? `${due}` : `${due} of ${people.length} (${formatCounts(before)})`,
    ...(until !== undefined && { Until: batch.until ?? '' }),
  }
  await confirmCall(service, facts, context, `Call ${count(due, 'person', 'people')}?`)
}

interface CallJob {
  readonly opened: OpenBatch
  readonly service: CalledService
  readonly options: RunOptions
}

async function call(
  person: Person,
  { from, to }: { readonly from: string; readonly to: string },
  { opened, service, options }: CallJob,
  context: Context,
): Promise<{ readonly id: string | undefined }> {
  const { way, body } = startRequest({ from, to })
  const values = variablesOf(person, opened)
  const overrides =
    Object.keys(values).length === 0 ? {} : { assistantOverrides: { dynamicVariables: values } }
  const { name, baseUrl } = service
  const record = await recordCall(
    {
      ...{
        profile: name === baseUrl ? null : name,
        service: baseUrl,
        from,
        to,
        values: shownVariablesOf(person, opened),
        recording: null,
      },
      assistant: opened.batch.assistant ?? null,
      variables: Object.keys(values),
    },
    options,
    context,
  )
  const sent = { ...body, ...opened.assistant?.fields, ...overrides }
  // A response without an id means that the call was placed.
  const placed = await placeCall(
    context.api({ batch: true }),
    { way, body: sent },
    { isFollowed: true },
  ).catch(async error => {
    await record.failed(error)
    throw error
  })
  await record.placed(placed)
  return placed
}

function createPrinter(
  { people }: BatchPlan,
  countAll: () => StatusCounts,
  progress: Progress,
  { output }: Context,
): (event: BatchEvent) => void {
  const start = countAll()
  let done = people.length - start.due
  return event => {
    if (event.kind === 'waiting') {
      const at = new Date(event.until).toISOString()
      const what = `${waits[event.reason]} until ${localDate(event.until)} ${timeOfDay(event.until)}`
      progress.update(done, what)
      return output.event({ ...event, until: at }, () => (progress.isShown ? undefined : dim(what)))
    }
    done += 1
    const { person, ...rest } = event
    progress.update(done, event.to)
    output.event({ ...rest, person: person.id }, () => {
      if (event.kind === 'called' && progress.isShown) return undefined
      return text`${dim(`${done}/${people.length}`)} ${event.to} ${outcomeText(event)}`
    })
  }
}

const waits = { window: 'closed', rate: 'waiting', busy: 'the service is busy; waiting' } as const

function outcomeText(event: Exclude<BatchEvent, { kind: 'waiting' }>): Text {
  if (event.kind === 'called') return text`placed ${dim(event.call ?? '')}`
  return text`${yellow(event.outcome)}: ${event.reason}`
}

/** @throws CallwrightError unless everybody was called */
function throwUnlessDone(end: RunEnd, counts: StatusCounts, invalid: number): void {
  const { due, rejected, unknown } = counts
  if (end === 'paused') {
    throw new CallwrightError('cancelled', `paused; ${formatCounts(counts)}`, {
      hint: 'run the same command again to continue',
    })
  }
  if (unknown > 0) {
    throw new CallwrightError('conflict', `${count(unknown, 'person', 'people')} may have been called`, {
      hint: 'look at the service; to call them again, pass --resend-unknown',
      details: counts,
    })
  }
  if (due + rejected + invalid === 0) return
  const why = { limit: ' (limit of calls)', ended: ' (end of the batch)', done: '' }[end]
  const parts = [
    ...(due > 0 ? [`${count(due, 'person', 'people')} left${why}`] : []),
    ...(rejected > 0 ? [`${rejected} rejected by the service`] : []),
    ...(invalid > 0 ? [`${count(invalid, 'row')} not valid`] : []),
  ]
  throw new CallwrightError('partial', `not everybody was called: ${parts.join(', ')}`, {
    hint: rejected > 0 ? 'to try the rejected ones again, pass --retry-rejected' : undefined,
    details: { ...counts, invalid },
  })
}
