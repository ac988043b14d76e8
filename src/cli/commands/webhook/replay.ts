import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import {
  type ConversationTracker,
  countConversationEvents,
  createConversationTracker,
} from '../../../events/conversation/index.ts'
import {
  type EventFailure,
  type EventResponse,
  isMasked,
  type ResendDocument,
  sendRecorded,
} from '../../../events/forward/index.ts'
import type { SummaryEvent } from '../../../events/receive/index.ts'
import {
  type PlayedRecording,
  playRecording,
  type SelectedEvent,
  type SkippedLine,
  type TimeBound,
} from '../../../events/recordings/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { withoutQuery } from '../../../lib/net/address.ts'
import { count } from '../../../lib/text/count.ts'
import { shortId } from '../../../lib/text/did-you-mean.ts'
import { excerpt } from '../../../lib/text/layout.ts'
import { bold, indented, join, red, type Text, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { Flag, type OptionsOf } from '../../shell/flags/flag.ts'
import { parseDuration } from '../../shell/flags/option-parsers.ts'
import { skippedLine } from './choose-calls.ts'
import {
  collectHeader,
  collectId,
  eventTimeout,
  parseReceiver,
  withFormatFlags,
  withMessageFlags,
} from './flags.ts'
import { openFilter, warnUnmatched } from './open-filter.ts'
import { openReplayGuard } from './open-guard.ts'
import { createPrinter, tailSummarySchema } from './print-events.ts'
import { readHeaders } from './read-headers.ts'
import { openRecordedSource, storedOptions, withRecordedSource } from './recorded-source.ts'

export const webhookReplayCommand = defineCommand({
  description: 'Print a recording or resend its events to a server',
  examples: [
    'callyard webhook replay calls.ndjson --timestamps relative',
    'callyard webhook replay calls.ndjson --guard guards/calls.yaml',
    'callyard webhook replay calls.ndjson --to http://127.0.0.1:3000/hook --speed max',
  ],
  topics: ['replay', 'filters', 'relay'],
  effect: 'none',
  flags: withFlags,
  needs: { to: ['header', 'headers'], relay: storedOptions },
  async result(builders) {
    const { tailEventSchemas } = await import('../../../events/receive/event-schemas.ts')
    const { alertSchemas } = await import('../../../calls/guard/guard-schemas.ts')
    const { resendSchema } = await import('../../../events/forward/forward-schemas.ts')
    return {
      /** With --to. */
      document: resendSchema,
      event: builders.z.union([...tailEventSchemas, await tailSummarySchema(builders), ...alertSchemas]),
    }
  },
  async run(options, context, [file]) {
    const { to, guard, call: [call, ...more] = [] } = options
    if (guard !== undefined) assertWithoutPrinting(options, '--guard')
    else if (to !== undefined) assertWithoutPrinting(options, '--to')
    const source = await openRecordedSource(file, options, more.length === 0 ? call : undefined, context)
    try {
      if (guard !== undefined) await replayGuard(source, guard, options, context)
      else if (to === undefined) await printRecording(source, options, context)
      else await replay(source, to, options, context)
    } finally {
      await source.close()
    }
  },
})

function withFlags(command: Command) {
  return withFormatFlags(
    withMessageFlags(
      withRecordedSource(command)
        .addOption(
          new Flag('--to <url>', 'URL to send events to (default: print them)')
            .secret()
            .argParser(parseReceiver),
        )
        .option('--no-headers', 'Send only the body and its content type')
        .option('--guard <file>', 'Print when rules in this file would have fired (sends nothing)')
        .option('--speed <factor>', 'Speed factor, or max (default: 1 with --to, else max)', parseSpeed)
        .addOption(
          new Flag('--call <id>', 'Only events of this call')
            .helpsWith({
              'no event matches the calls, types and times together':
                'no event matches --call, --type, --from and --until together',
            })
            .repeatable(collectId),
        )
        .addOption(new Flag('--type <type>', 'Only events of this type').repeatable(collectId))
        .option('--from <time>', 'Only events from this time on, such as 2m', parseMoment)
        .option('--until <time>', 'Only events up to this time', parseMoment)
        .addOption(
          new Flag('--header <header>', "Add a 'name: value' header").secret().repeatable(collectHeader),
        ),
    ),
  )
}

export type ReplayOptions = OptionsOf<typeof withFlags>

/** @throws CallyardError `usage` for a flag about printing where nothing is printed */
function assertWithoutPrinting(
  { role, status, compact, timestamps, to }: ReplayOptions,
  by: '--to' | '--guard',
): void {
  const flag = [
    by === '--guard' && to !== undefined && '--to',
    role !== undefined && '--role',
    status !== undefined && '--status',
    compact === true && '--compact',
    timestamps !== 'none' && '--timestamps',
  ].find(flag => flag !== false)
  if (flag === undefined) return
  throw new CallyardError('usage', `${flag} and ${by} cannot be used together`, {
    hint: `remove one of them; select ${by === '--to' ? 'what is sent' : 'events'} with --call, --type, --from and --until`,
  })
}

/** Parses a speed factor; Infinity for max. */
function parseSpeed(text: string): number {
  if (text === 'max') return Number.POSITIVE_INFINITY
  const speed = Number(text)
  if (text.trim() === '' || !(speed >= 0.01 && speed <= 1000)) {
    throw new InvalidArgumentError('Use a factor from 0.01 to 1000, such as 1 or 10, or max.')
  }
  return speed
}

function parseMoment(text: string): TimeBound {
  if (/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d))?$/i.test(text)) {
    const at = Date.parse(text)
    if (!Number.isNaN(at)) return { at }
  }
  try {
    return { after: parseDuration(text) }
  } catch {
    throw new InvalidArgumentError(
      'Use a time such as 2026-03-01T10:00:00Z, or an offset from the start of the recording such as 90s or 2m.',
    )
  }
}

const maxFailures = 1000

/** `webhook replay --to`: the bodies of a recording, as they came, to a server (interface.md 4.8). */
async function replay(
  recording: PlayedRecording,
  to: string,
  { header, ...options }: ReplayOptions,
  context: Context,
): Promise<void> {
  const { output, clock, signal } = context
  const { headers: passHeaders } = options
  const headers = await readHeaders('--header', header, context)
  const target = withoutQuery(to)
  const { events, skippedLines } = openReplay(recording, { speed: 1, ...options }, context)
  const failures: FailedEvent[] = []
  const counts = { sent: 0, failed: 0, unreachable: 0 }
  let masked = 0
  const progress = output.progress(`Sending to ${target}`)
  const onSent = (event: SelectedEvent, answer: EventResponse | EventFailure) => {
    if ('status' in answer && answer.status >= 200 && answer.status < 300) {
      counts.sent++
    } else {
      counts.failed++
      if (isUnreachable(answer)) counts.unreachable++
      if (failures.length < maxFailures) failures.push(failedEvent(event, answer))
    }
    if (passHeaders && isMasked(event.recorded)) masked++
    progress.update(counts.sent + counts.failed)
  }
  try {
    const timeout = eventTimeout(context)
    await context.skipOptimizer?.()
    await sendRecorded(events, { url: to, headers, passHeaders, timeout, clock, signal, onSent })
  } catch (error) {
    if (!signal.aborted) throw error
    const { sent, failed } = counts
    const text = `cancelled; ${count(sent, 'event')} sent, ${failed} failed, those under way may have arrived at\n  ${target}`
    throw new CallyardError('cancelled', text, { details: { sent, failed }, cause: error })
  } finally {
    progress.stop()
  }
  const { sent, failed, unreachable } = counts
  failures.sort((one, other) => one.number - other.number)
  const result = { target, sent, failed, skippedLines: skippedLines(), failures }
  if (masked > 0)
    output.note(
      `${count(masked, 'event')} without the secrets that the recording masks; see webhook tail --keep-secrets`,
    )
  output.result(result, () => renderReplay(result))
  if (failed === 0) return
  const kind = sent > 0 ? 'partial' : unreachable > 0 ? 'unreachable' : 'refused'
  const hint = kind === 'unreachable' ? 'is the address right, and the server running?' : undefined
  throw new CallyardError(kind, `${failed} of ${count(sent + failed, 'event')} failed`, { hint })
}

/** True for 5xx, and for 408, with which a proxy reports a timeout. */
function isUnreachable(answer: EventResponse | EventFailure): boolean {
  return 'failure' in answer || answer.status >= 500 || answer.status === 408 || answer.status === 499
}

type FailedEvent = ResendDocument['failures'][number]

/** Describes a failed event with the start of its response, or the reason why there is none. */
function failedEvent(
  { number, recorded: recordedEvent, callId, events }: SelectedEvent,
  response: EventResponse | EventFailure,
): FailedEvent {
  const which = { number, at: recordedEvent.at, callId, type: events[0]?.type ?? null }
  if ('failure' in response) return { ...which, ...response.failure, status: undefined }
  const { status, milliseconds, body } = response
  return { ...which, status, milliseconds, body: excerpt(body) }
}

/** Failures, and skipped lines, that are named. */
const maxShown = 20

/** Renders the result of a replay: counts, then failures. */
function renderReplay({ target, sent, failed, skippedLines, failures }: ResendDocument): Text {
  const counts = [
    `${count(sent, 'event')} sent`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skippedLines > 0 ? [`${count(skippedLines, 'line')} skipped`] : []),
  ].join(', ')
  const hidden = failed - Math.min(failed, maxShown)
  return join([
    text`${bold(target)}\n  ${counts}`,
    ...failures.slice(0, maxShown).map(failure => renderFailure(failure)),
    ...(hidden > 0 ? [`… and ${hidden} more (--json shows them)`] : []),
  ])
}

function renderFailure(failure: FailedEvent): Text {
  const { number, at, callId, type, milliseconds } = failure
  const which = `event ${number} (${at}, ${type ?? 'no event'}${callId === null ? '' : ` of ${shortId(callId)}`})`
  const description =
    failure.status === undefined
      ? failure.reason
      : `${failure.status}${failure.body === '' ? '' : `: ${failure.body}`}`
  return indented(text`${red('✗')} `, 2, `${which} after ${milliseconds} ms: ${description}`)
}

/** `webhook replay` without `--to`: what `webhook tail` would have printed, and the summary. */
async function printRecording(
  recording: PlayedRecording,
  { role, status, compact, timestamps, ...options }: ReplayOptions,
  context: Context,
): Promise<void> {
  const { output } = context
  // --call and --type choose the events already.
  const filter = openFilter({ role, status }, output)
  let now = 0
  const print = await createPrinter(output, { compact, timestamps, now: () => now, filter })
  await play(recording, options, context, {
    onEvent({ events, number, arrived }, counter) {
      now = arrived
      if (events.length === 0)
        output.warn(`the body of event ${number} of the recording is not a JSON object`)
      for (const event of events)
        for (const conversationEvents of countConversationEvents(counter.apply(event)))
          print(conversationEvents)
    },
    onEnd(summary) {
      warnUnmatched(filter, output)
      print(summary)
    },
  })
}

/** `webhook replay --guard`: when each rule would have fired and recovered, and the summary. */
async function replayGuard(
  recording: PlayedRecording,
  rulesFile: string,
  options: ReplayOptions,
  context: Context,
): Promise<void> {
  const guard = await openReplayGuard(rulesFile, context)
  const print = await createPrinter(context.output)
  await context.skipOptimizer?.()
  await play(recording, options, context, {
    onEvent({ events, arrived }, counter) {
      for (const event of events) guard.onEvent(counter.apply(event), arrived)
    },
    onEnd: summary => print({ ...summary, guard: { rules: guard.end(), delivered: 0, failed: 0 } }),
  })
}

interface Playback {
  onEvent(event: SelectedEvent, counter: ConversationTracker): void
  onEnd(summary: SummaryEvent): void
}

/** Plays the wanted events. After Ctrl-C, what was played is summed up too, unless the reader of the output is gone. */
async function play(
  recording: PlayedRecording,
  options: Omit<ReplayOptions, 'timestamps'>,
  context: Context,
  { onEvent, onEnd }: Playback,
): Promise<void> {
  const { output, signal } = context
  const { events, skippedLines } = openReplay(recording, options, context)
  const counter = createConversationTracker()
  const end = () => {
    const skipped = skippedLines()
    onEnd({ kind: 'summary', ...counter.counts(), ...(skipped > 0 && { skippedLines: skipped }) })
  }
  try {
    for await (const event of events) {
      onEvent(event, counter)
      await output.drained()
    }
  } catch (error) {
    if (signal.aborted && signal.reason !== 'EPIPE') end()
    throw error
  }
  end()
}

/** A recording as a command plays it; the first lines that are skipped are warned of. */
function openReplay(
  recording: PlayedRecording,
  {
    call: calls,
    type: types,
    from,
    until,
    speed = Number.POSITIVE_INFINITY,
  }: Omit<ReplayOptions, 'timestamps'>,
  { cwd, clock, signal, output }: Context,
) {
  let skipped = 0
  const onSkipped = (line: SkippedLine) => {
    skipped++
    if (skipped <= maxShown) output.findings([skippedLine(line, cwd)])
    if (skipped === maxShown + 1) output.warn('more lines are skipped; the summary counts them')
  }
  const options = { calls, types, from, until, speed, clock, signal, onSkipped }
  return {
    /** Selected events, each emitted at its time. Throws as playRecording does. */
    events: playRecording(recording, options),
    skippedLines: () => skipped,
  }
}
