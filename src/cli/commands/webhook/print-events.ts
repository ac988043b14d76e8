import type { RuleStatus } from '../../../calls/guard/index.ts'
import type { ExecTotals } from '../../../events/exec/index.ts'
import type { TargetTotals } from '../../../events/forward/index.ts'
import type { BodyFormEvent, Filter, RefusedEvent, TailEvent } from '../../../events/receive/index.ts'
import type { RecorderTotals } from '../../../events/recordings/index.ts'
import { loadTerminal, type TranscriptLook } from '../../../events/transcript/index.ts'
import type { Immutable } from '../../../lib/json.ts'
import type { Infer } from '../../../lib/lazy.ts'
import { count } from '../../../lib/text/count.ts'
import { oneLine } from '../../../lib/text/escape.ts'
import { bold, type Text, text } from '../../../lib/text/text.ts'
import type { Output } from '../../shell/context.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { isSourceEvent, printSourceEvent } from './print-source.ts'

/** Format and filter of a transcript; default: everything, wrapped. */
export interface PrinterLook extends TranscriptLook {
  /** Filter of changes to calls, also with --json; everything else is always printed. */
  readonly filter?: Filter | undefined
  /** The service has another address of the listener than its own. */
  readonly isReached?: boolean
  readonly hostHint?: string | undefined
  /** Name of the reader of a relay. Default: a listener. */
  readonly reader?: string | undefined
}

/** Summary of a tail with the totals of what it did with the events. */
export async function tailSummarySchema({ z }: SchemaBuilders) {
  return z.extend((await import('../../../events/receive/event-schemas.ts')).summarySchema, {
    recording: z.optional((await import('../../../events/recordings/totals-schema.ts')).recorderTotalsSchema),
    forwarding: z.optional((await import('../../../events/forward/forward-schemas.ts')).forwardTotalsSchema),
    exec: z.optional((await import('../../../events/exec/exec-schemas.ts')).execTotalsSchema),
    guard: z.optional((await import('../../../calls/guard/guard-schemas.ts')).guardTotalsSchema),
  })
}
export type TailSummary = Immutable<Infer<typeof tailSummarySchema>>

/** Prints what a tail says, live or of a recording: the transcript on stdout, everything else on stderr. */
export async function createPrinter(
  output: Output,
  look?: PrinterLook,
): Promise<(event: TailEvent | TailSummary) => void> {
  const { createTranscriptPrinter, skipEvent, renderTailEvent } = await loadTerminal()
  const view = createTranscriptPrinter(output, look)
  const isShown = (event: TailEvent) =>
    !('callId' in event) || event.kind === 'ended' || look?.filter === undefined || look.filter.admits(event)
  return event => {
    if (isSourceEvent(event)) return printSourceEvent(event, output)
    if (event.kind === 'doubt') return output.warn(...doubtText)
    if (event.kind === 'refused') return output.warn(...refusedText(event, look?.hostHint))
    if (event.kind === 'body-form')
      return output.note(`${bodyForms[event.form]}; --record and --forward keep the original bytes`)
    // What the last event brought has shown the end; a script reads it there.
    if (event.kind === 'ended' || !isShown(event)) return skipEvent(event, view)
    output.event(event, () => renderTailEvent(event, view))
    if (output.json) return
    if (event.kind === 'ready') output.note(readyText(event.url, look))
    if (event.kind !== 'summary') return
    output.note(summaryText(event))
    output.debug(`${count(event.repeats, 'repeat')} dropped`)
  }
}

function readyText(url: string, { reader, isReached }: Partial<PrinterLook> = {}): Text {
  if (reader !== undefined) return text`Reading until Ctrl-C as ${bold(reader)} from\n  ${bold(url)}`
  const listening = text`Listening until Ctrl-C on\n  ${bold(url)}`
  return isReached === true
    ? listening
    : text`${listening}\nPoint an assistant here with\n  assistantServer: { url: ${url} }`
}

/** Printed once if several calls without ids are in progress at the same time. */
export const doubtText = [
  'several calls send no id; callyard tells them apart by what is said',
  'where two say the same, a message may be shown in the wrong one',
] as const

function refusedText(
  { status, message }: RefusedEvent,
  hostHint: string | undefined,
): [string, string | undefined] {
  const warning = `rejected a request with ${status}: ${oneLine(message)}`
  return [warning, /^Host /.test(message) ? hostHint : undefined]
}

function summaryText(summary: TailSummary): Text {
  const { calls, finished, messages, edits, late, badRequests, skippedLines } = summary
  const { recording, forwarding, exec, guard } = summary
  const counts = [
    `${count(calls, 'call')} (${finished} finished)`,
    count(messages, 'message'),
    ...(edits > 0 ? [count(edits, 'edit')] : []),
    ...(late > 0 ? [`${count(late, 'late status', 'late statuses')} dropped`] : []),
    ...(badRequests === undefined || badRequests === 0 ? [] : [count(badRequests, 'bad request')]),
    ...(skippedLines === undefined ? [] : [`${count(skippedLines, 'line')} skipped`]),
    ...(recording === undefined ? [] : [recordingText(recording)]),
    ...(exec === undefined ? [] : [execText(exec)]),
  ].join(', ')
  return [
    counts,
    ...(forwarding?.targets ?? []).map(forwardingText),
    ...guardStatusLines(guard?.rules ?? []),
  ].join('\n')
}

function recordingText({ recorded, missing }: RecorderTotals): string {
  return `${count(recorded, 'event')} recorded${missing > 0 ? ` (${missing} rejected)` : ''}`
}

function execText({ succeeded, failed }: ExecTotals): string {
  return `--exec run for ${count(succeeded + failed, 'message')}${failed > 0 ? ` (${failed} failed)` : ''}`
}

function forwardingText({ target, type, delivered, failed, undelivered }: TargetTotals): string {
  const rest = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(undelivered > 0 ? [`${undelivered} undelivered`] : []),
  ]
  const typeText = type === null ? '' : ` ${type}`
  return `${delivered}${typeText} forwarded${rest.length === 0 ? '' : ` (${rest.join(', ')})`} to\n  ${target}`
}

/** Notices about bodies that are not one JSON object in UTF-8. */
const bodyForms: Readonly<Record<BodyFormEvent['form'], string>> = {
  compressed: 'events arrive compressed and are decompressed for reading',
  'byte-order-mark': 'events arrive with a byte order mark, which is skipped',
  charset: 'events arrive in a charset other than UTF-8 and are converted for reading',
  'invalid-utf-8': 'events arrive with invalid UTF-8, which is shown as \ufffd',
  list: 'events arrive as arrays; each item counts as one event',
  form: 'events arrive form-encoded; the field with JSON is read',
}

/** Lines of a summary: rules that fired, or all of them. */
function guardStatusLines(rules: readonly RuleStatus[]): string[] {
  return rules.map(({ name, fired, firing }) => {
    const now =
      firing.length === 0
        ? ''
        : `, still firing${firing.length > 1 ? ` for ${count(firing.length, 'group')}` : ''}`
    return oneLine(`rule ${name}: fired ${count(fired, 'time')}${now}`)
  })
}
