import { type Command, Option } from 'commander'
import type { TranscriptFormat } from '../../output/transcript-documents/render-document.ts'
import type { Runner } from '../runner.ts'

const formats = ['text', 'markdown', 'json', 'html'] as const satisfies readonly TranscriptFormat[]

/** Adds `webhook show` to its group. */
export function addShowCommand(webhook: Command, run: Runner): void {
  webhook
    .command('show')
    .description('print a recorded call as text, Markdown, JSON or an HTML page that stands alone')
    .argument('<file>', 'recording of webhook tail --record')
    .option('--call <id>', 'the call to print; - for the events that name none')
    .option('--all', 'print every call of the recording')
    .addOption(
      new Option(
        '--format <format>',
        'what to make of it (default: by the name of --out, else text)',
      ).choices(formats),
    )
    .option('--out <file>', 'write it to a new file, which only you can read')
    .option('--force', 'let --out replace a file')
    .addHelpText(
      'after',
      `
Each message is printed once, with its last text, as webhook tail shows it. A
recording of several calls is listed; choose one with --call, or take them all
with --all. --out names the format by its ending: .md, .html, .json, else
text. Lines of the recording that are no events are skipped, and told on
stderr.

Times of messages and of the call are those the service sent; times of
statuses are those of their arrival. All are shown in UTC.

JSON is { version: 1, calls: [call] }. A call has callId, direction, callType,
userNumber, assistantNumber, teamId, assistantId, assistantName, customerName,
startAt, endAt, callEndTriggerBy, firstAt and lastAt (arrival of its first and
last event), statuses [{ status, phoneCallStatus, at }], messages
[{ messageId, role, text, timestamp, edited }], analysis, otherEvents
{ type: count } and malformedItems; what is not known is null.
With --out, --json prints { file, format, calls: [callId] } instead.

Examples:
  $ callwright webhook show calls.ndjson
  $ callwright webhook show calls.ndjson --call CC-7d3f2c1e --out call.html
  $ callwright webhook show calls.ndjson --all --json \\
      | jq -r '.calls[].analysis.summary'`,
    )
    .action((file, options, command) =>
      run(command, async context => (await import('./show.ts')).show(file, options, context)),
    )
}
