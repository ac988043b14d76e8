import type { Context } from '../../cli/context.ts'
import { CallwrightError } from '../../lib/error.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import { count } from '../../lib/text/count.ts'
import { shortId } from '../../lib/text/did-you-mean.ts'
import { excerpt } from '../../lib/text/layout.ts'
import { bold, indented, join, red, type Text, text } from '../../lib/text/text.ts'
import { type EventAnswer, type EventFailure, type SelectedEvent, sendRecorded } from '../../webhook/index.ts'
import { eventTimeout } from './flags.ts'
import { openReplay } from './print-events.ts'
import { readHeaders } from './read-headers.ts'
import type { ReplayOptions } from './replay.ts'

const maxFailures = 1000

/** `webhook replay --to`: the bodies of a recording, as they came, to a server (interface.md 4.8). */
export async function replay(
  file: string,
  to: string,
  { header, ...options }: ReplayOptions,
  context: Context,
): Promise<void> {
  const { output, clock, signal } = context
  const headers = await readHeaders('--header', header, context)
  const target = withoutQuery(to)
  const { events, skippedLines } = openReplay(file, { speed: 1, ...options }, context)
  const failures: FailedEvent[] = []
  const counts = { sent: 0, failed: 0, unreachable: 0 }
  const progress = output.progress(`Sending to ${target}`)
  const onSent = (event: SelectedEvent, answer: EventAnswer | EventFailure) => {
    if ('status' in answer && answer.status >= 200 && answer.status < 300) {
      counts.sent++
    } else {
      counts.failed++
      if (isUnreachable(answer)) counts.unreachable++
      if (failures.length < maxFailures) failures.push(failedEvent(event, answer))
    }
    progress.update(counts.sent + counts.failed)
  }
  try {
    const timeout = eventTimeout(context)
    await sendRecorded(events, { url: to, headers, timeout, clock, signal, onSent })
  } catch (error) {
    if (!signal.aborted) throw error
    const { sent, failed } = counts
    const text = `cancelled; ${count(sent, 'event')} sent, ${failed} failed, those under way may have arrived at\n  ${target}`
    throw new CallwrightError('cancelled', text, { details: { sent, failed }, cause: error })
  } finally {
    progress.stop()
  }
  const { sent, failed, unreachable } = counts
  failures.sort((one, other) => one.number - other.number)
  const result = { target, sent, failed, skippedLines: skippedLines(), failures }
  output.result(result, () => renderReplay(result))
  if (failed === 0) return
  const kind = sent > 0 ? 'partial' : unreachable > 0 ? 'unreachable' : 'refused'
  const hint = kind === 'unreachable' ? 'is the address right, and the server running?' : undefined
  throw new CallwrightError(kind, `${failed} of ${count(sent + failed, 'event')} failed`, { hint })
}

/** As of the service's own answers: 408 is a proxy's word that it waited no longer. */
function isUnreachable(answer: EventAnswer | EventFailure): boolean {
  return 'failure' in answer || answer.status >= 500 || answer.status === 408 || answer.status === 499
}

type FailedEvent = ReturnType<typeof failedEvent>

/** With the beginning of the answer, or the reason why there is none. */
function failedEvent(
  { number, recorded, callId, events }: SelectedEvent,
  answer: EventAnswer | EventFailure,
) {
  const which = { number, at: recorded.at, callId, type: events[0]?.type ?? null }
  if ('failure' in answer) return { ...which, ...answer.failure, status: undefined }
  const { status, milliseconds, body } = answer
  return { ...which, status, milliseconds, body: excerpt(body) }
}

interface ReplayResult {
  /** Without its query. */
  readonly target: string
  /** Events that were answered 2xx. */
  readonly sent: number
  readonly failed: number
  readonly skippedLines: number
  /** The first of them, in the order of the recording. */
  readonly failures: readonly FailedEvent[]
}

const maxShown = 20

/** What a replay came to: counts, then what failed and how. */
function renderReplay({ target, sent, failed, skippedLines, failures }: ReplayResult): Text {
  const counts = [
    `${count(sent, 'event')} sent`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skippedLines > 0 ? [`${count(skippedLines, 'line')} skipped`] : []),
  ].join(', ')
  const hidden = failed - Math.min(failed, maxShown)
  return join(
    [
      text`${bold(target)}\n  ${counts}`,
      ...failures.slice(0, maxShown).map(failure => renderFailure(failure)),
      ...(hidden > 0 ? [`… and ${hidden} more (--json shows them)`] : []),
    ],
    '\n',
  )
}

function renderFailure(failure: FailedEvent): Text {
  const { number, at, callId, type, milliseconds } = failure
  const which = `event ${number} (${at}, ${type ?? 'no event'}${callId === null ? '' : ` of ${shortId(callId)}`})`
  const answer =
    failure.status === undefined
      ? failure.reason
      : `${failure.status}${failure.body === '' ? '' : `: ${failure.body}`}`
  return indented(text`${red('✗')} `, 2, `${which} after ${milliseconds} ms: ${answer}`)
}
