import type { Context, Output } from '../../context.ts'
import { bold, type Text, text } from '../../output/text.ts'
import type { RequiredHeader } from '../../webhook/gate.ts'
import { openTail, type RefusedEvent, type SummaryEvent, type TailEvent } from '../../webhook/tail.ts'

export interface TailCommandOptions {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly requireHeader?: RequiredHeader
  readonly allowHost?: readonly string[]
  /** Bytes. */
  readonly maxBody: number
  readonly until?: 'finished'
}

/**
 * Listens until the signal, or until the first call finished, and prints what is new (interface.md 4.8 and 6). Ends
 * well either way: running requests are answered, then comes the summary.
 */
export async function tail(
  { allowHost, until, ...options }: TailCommandOptions,
  context: Context,
): Promise<void> {
  const { output, signal, clock } = context
  const opened = await openTail({ ...options, allowHosts: allowHost, clock })
  const close = () => void opened.close()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  try {
    const print = await printer(output)
    for await (const event of opened.events) {
      // Nobody reads any more: what is still to come, the summary too, is for nobody.
      if (signal.reason === 'EPIPE') continue
      print(event)
      await output.drained()
      if (until === 'finished' && event.kind === 'status' && event.status === 'finished') close()
    }
  } finally {
    signal.removeEventListener('abort', close)
    await opened.close()
  }
}

async function printer(output: Output): Promise<(event: TailEvent) => void> {
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

function summaryText({ calls, finished, messages, edits, repeats, late, badRequests }: SummaryEvent): Text {
  return [
    `${count(calls, 'call')} (${finished} finished)`,
    count(messages, 'message'),
    ...(edits > 0 ? [count(edits, 'edit')] : []),
    `${count(repeats, 'repeat')} dropped`,
    ...(late > 0 ? [`${count(late, 'late status', 'late statuses')} dropped`] : []),
    count(badRequests, 'bad request'),
  ].join(', ')
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
