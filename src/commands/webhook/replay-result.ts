import { count } from '../../lib/text/count.ts'
import { shortId } from '../../lib/text/find-by-beginning.ts'
import { hang, plain } from '../../lib/text/layout.ts'
import { bold, join, red, type Text, text } from '../../lib/text/text.ts'

export interface FailedEvent {
  /** Which event of the recording, from 1. */
  readonly number: number
  /** When it was recorded. */
  readonly at: string
  readonly callId: string | null
  readonly type: string | null
  readonly status?: number
  /** Why there is no answer. */
  readonly reason?: string
  readonly milliseconds: number
  /** The beginning of the answer. */
  readonly body?: string
}

export interface ReplayResult {
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
export function renderReplay(result: ReplayResult, width: number): Text {
  const { target, sent, failed, skippedLines, failures } = result
  const counts = [
    `${count(sent, 'event')} sent`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skippedLines > 0 ? [`${count(skippedLines, 'line')} skipped`] : []),
  ].join(', ')
  const hidden = failed - Math.min(failed, maxShown)
  return join(
    [
      text`${bold(target)}\n  ${counts}`,
      ...failures.slice(0, maxShown).map(failure => renderFailure(failure, width)),
      ...(hidden > 0 ? [`… and ${hidden} more (--json shows them)`] : []),
    ],
    '\n',
  )
}

function renderFailure(failure: FailedEvent, width: number): Text {
  const { number, at, callId, type, status, reason, milliseconds, body = '' } = failure
  const which = `event ${number} (${at}, ${type ?? 'no event'}${callId === null ? '' : ` of ${shortId(callId)}`})`
  const answer = status === undefined ? (reason ?? '') : `${status}${body === '' ? '' : `: ${body}`}`
  return hang(text`${red('✗')} `, 2, `${which} after ${milliseconds} ms: ${answer}`, width, plain)
}
