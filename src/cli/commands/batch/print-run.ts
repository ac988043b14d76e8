import type { BatchEvent, BatchRun } from '../../../calls/batch/run/index.ts'
import { startTimer } from '../../../lib/clock.ts'
import { countsText } from '../../../lib/text/count.ts'
import { duration, localDateTime } from '../../../lib/text/date-time.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { dim, type Text, text, yellow } from '../../../lib/text/text.ts'
import type { Context, Progress } from '../../shell/context.ts'

/** A terminal shows how long calls take. */
const tickMs = 1000

/** Live calls that a terminal shows. */
const maxLive = 5

export interface RunPrinter {
  print(event: BatchEvent): void
  stop(): void
}

/** Prints a run as it goes: a bar with the live calls on a terminal, lines elsewhere, and events with --json. */
export function createRunPrinter(run: BatchRun, { output, clock }: Context): RunPrinter {
  const { total } = run.queue
  const startedAt = clock.now()
  const doneBefore = doneOf(run)
  const progress = output.progress('Calling', total)
  const show = () => showProgress(progress, run, { startedAt, doneBefore, now: clock.now() })
  let cancel = () => {}
  const tick = () => {
    show()
    cancel = startTimer(tickMs, tick, clock)
  }
  if (progress.isShown) tick()
  return {
    print(event) {
      output.event(event, () => {
        const line = toLine(event, `${doneOf(run)}/${run.queue.total}`)
        return progress.isShown && !isLasting(event) ? undefined : line
      })
      show()
    },
    stop() {
      cancel()
      progress.stop()
    },
  }
}

/** Number of people who are not called again, as far as is known now. */
export function doneOf({ queue, live }: CountedRun): number {
  const { due, waiting } = queue.counts
  return Math.max(0, queue.total - due - waiting - live.size)
}

/** Parts of a run that do not take longer the more people there are. */
interface CountedRun {
  readonly queue: BatchRun['queue']
  readonly live: BatchRun['live']
}

interface ProgressTimes {
  readonly startedAt: number
  readonly doneBefore: number
  readonly now: number
}

function showProgress(progress: Progress, run: BatchRun, times: ProgressTimes): void {
  if (!progress.isShown) return
  const { live, queue, waiting } = run
  const calls = [...live.all()]
  const inPhase = (phase: string) => calls.filter(call => call.phase === phase).length
  const { counts } = queue
  const failed = counts.failed + counts.rejected + counts.unknown
  const left = remainingMs(run, times)
  const parts = [
    countsText([
      [inPhase('ringing'), 'ringing'],
      [inPhase('talking'), 'talking'],
      [counts.waiting, 'waiting'],
      [failed, 'failed'],
    ]),
    waiting === undefined || waiting.until === null ? '' : waitText(waiting.reason, waiting.until),
    left === undefined ? '' : `${Math.ceil(left / 60_000)} min left`,
  ]
  const lines = calls.slice(0, maxLive).map(({ number, phase, startedAt, last }) => {
    const lastMessage = last === null ? '' : `  ${last.role}: ${oneLine(last.text)}`
    return `${number}  ${phase.padEnd(7)} ${duration(times.now - startedAt)}${lastMessage}`
  })
  const more = calls.length > maxLive ? [`… and ${calls.length - maxLive} more`] : []
  progress.update(doneOf(run), parts.filter(part => part !== '').join(' · '), [...lines, ...more])
}

/** Estimates the remaining time by the people who were done in this run; undefined before the first of them. */
export function remainingMs(
  run: CountedRun,
  { startedAt, doneBefore, now }: ProgressTimes,
): number | undefined {
  const doneCount = doneOf(run)
  const inRun = doneCount - doneBefore
  return inRun <= 0 ? undefined : ((now - startedAt) / inRun) * (run.queue.total - doneCount)
}

/** Events that stay on a terminal above the bar. */
function isLasting(event: BatchEvent): boolean {
  if (event.kind === 'waiting') return event.reason === 'drain'
  return !['called', 'phase', 'ended'].includes(event.kind)
}

function toLine(event: BatchEvent, doneText: string): Text | undefined {
  switch (event.kind) {
    case 'called':
      return text`${dim(doneText)} ${event.to} placed ${dim(event.call ?? '')}`
    case 'failed':
      return text`${dim(doneText)} ${event.to} ${yellow(event.outcome)}: ${event.reason}`
    case 'ended': {
      const { to, outcome, seconds, reason, next } = event
      const details = [
        ...(seconds === null ? [] : [`${Math.round(seconds)} s`]),
        ...(reason === null ? [] : [reason]),
        ...(next === null ? [] : [`again ${localDateTime(next)}`]),
      ]
      const word = outcome === 'answered' ? outcome : yellow(outcome)
      return text`${dim(doneText)} ${to} ${word}${details.length === 0 ? '' : `: ${details.join(', ')}`}`
    }
    case 'queued-long':
      return text`${yellow('queued')} ${event.to} for ${String(Math.round(event.seconds / 60))} min; it may ring outside the window`
    case 'opted-out':
      return text`${yellow('opted out')} ${event.person}: ${oneLine(event.words)}`
    case 'skipped':
      return text`${dim(doneText)} ${event.person} skipped: ${oneLine(event.reason)}`
    case 'stopped':
      return text`${yellow('paused')}: ${event.reason}`
    case 'requested':
      return dim(`${event.request} requested`)
    case 'waiting':
      if (event.until === null) return undefined
      return dim(
        `${waitText(event.reason, event.until)}${event.reason === 'drain' ? '; press Ctrl-C again to exit now' : ''}`,
      )
    case 'phase':
      return undefined
  }
}

const waits = {
  window: 'closed',
  retry: 'next call',
  rate: 'waiting',
  busy: 'the service is busy; waiting',
  calls: 'waiting for calls of an earlier run (--outcome-timeout)',
  drain: 'waiting for calls in progress',
} as const

function waitText(reason: keyof typeof waits, until: number | string): string {
  return reason === 'retry'
    ? `${waits.retry} ${localDateTime(until)}`
    : `${waits[reason]} until ${localDateTime(until)}`
}
