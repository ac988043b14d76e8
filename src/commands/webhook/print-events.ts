import type { Output } from '../../context.ts'
import { bold, type Text, text } from '../../output/text.ts'
import type { RecorderTotals } from '../../webhook/recording/recorder.ts'
import type { RefusedEvent, SummaryEvent, TailEvent } from '../../webhook/tail.ts'

/** Prints what a tail says, live or of a recording: the transcript on stdout, everything else on stderr. */
export async function createPrinter(output: Output): Promise<(event: TailEvent) => void> {
  const { createTranscriptView, renderTailEvent } = await import('../../output/transcript.ts')
  const view = createTranscriptView(output.width)
  return event => {
    if (event.kind === 'refused') return output.warn(...refusedText(event))
    output.event(event, () => renderTailEvent(event, view))
    if (output.json) return
    if (event.kind === 'ready') output.note(readyText(event.url))
    if (event.kind === 'summary') output.note(summaryText(event))
  }
}

function readyText(url: string): Text {
  return text`Listening on ${bold(url)} until Ctrl-C. Point an assistant here with\n  assistantServer: { url: ${url} }`
}

function refusedText({ status, message }: RefusedEvent): [Text, string?] {
  const warning = `a request was answered ${status}: ${message}`
  return /^Host /.test(message) ? [warning, 'allow it with --allow-host'] : [warning]
}

function summaryText(summary: SummaryEvent): Text {
  const { calls, finished, messages, edits, repeats, late, badRequests, skippedLines, recording } = summary
  return [
    `${count(calls, 'call')} (${finished} finished)`,
    count(messages, 'message'),
    ...(edits > 0 ? [count(edits, 'edit')] : []),
    `${count(repeats, 'repeat')} dropped`,
    ...(late > 0 ? [`${count(late, 'late status', 'late statuses')} dropped`] : []),
    ...(badRequests === undefined ? [] : [count(badRequests, 'bad request')]),
    ...(skippedLines === undefined ? [] : [`${count(skippedLines, 'line')} skipped`]),
    ...(recording === undefined ? [] : [recordingText(recording)]),
  ].join(', ')
}

function recordingText({ recorded, missing }: RecorderTotals): string {
  return `${count(recorded, 'event')} recorded${missing > 0 ? ` (${missing} missing)` : ''}`
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
