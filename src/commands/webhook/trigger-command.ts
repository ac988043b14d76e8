import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { webhookStatuses } from '../../interface/words.ts'
import type { Assignment } from '../../webhook/trigger/assign.ts'
import { type Path, parsePath } from '../../webhook/trigger/field-path.ts'
import { type OddShape, oddShapeNames } from '../../webhook/trigger/odd-shapes.ts'
import { triggers } from '../../webhook/trigger/triggers.ts'
import { collectMetadata, parseInteger } from '../option-parsers.ts'
import type { Runner } from '../runner.ts'
import { parseWord } from './filter-options.ts'
import { collectHeader } from './header-option.ts'
import { parseReceiver } from './receiver-option.ts'

const mostMessages = 1000

/** Three names on a line of 78 columns. */
const shapeList = oddShapeNames
  .map((name, place) => (place % 3 === 2 ? `${name}\n` : `  ${name}`.padEnd(26)))
  .join('')
  .trimEnd()

/** Adds `webhook trigger` to its group. */
export function addTriggerCommand(webhook: Command, run: Runner): void {
  webhook
    .command('trigger')
    .description('send sample events, a whole call’s, or odd ones, to a server under development')
    .addArgument(new Argument('<what>', 'what to send').choices(triggers))
    .option('--to <url>', 'address of the server', parseReceiver)
    .option('--set <path=value>', 'change a field of the message, as call.id=CC-1 (repeatable)', collectSet)
    .option('--unset <path>', 'leave a field of the message out, as call (repeatable)', collectPath)
    .option('--allow-unknown', 'let --set add fields that the interface does not have')
    .option('--messages <count>', 'messages of the conversation (default: 6)', parseCount)
    .addOption(
      new Option(
        '--status <status>',
        'status of the call (default: queued, or ongoing in a conversation)',
      ).choices(webhookStatuses),
    )
    .option('--call <id>', 'id of the call; without it a new one each time')
    .addOption(new Option('--shape <name>', 'send only this odd shape (repeatable)').argParser(collectShape))
    .option('--header <header>', "send this header too: 'name: value' (repeatable)", collectHeader)
    .option('--dry-run', 'print the events and send nothing')
    .addHelpText(
      'after',
      `
call sends the events of a call in order, each after the answer to the one
before: queued, ongoing, a conversation-update for each message with all
messages so far, finished with the analysis.

--set takes names joined by dots and indexes in brackets, inside the message.
A value that reads as JSON is sent as JSON: 42 as a number, null, [1], {}. JSON
quotes force text: 'call.id="42"'. In a call, the events that have most of the
path are changed: call.endAt only in finished, messages[2].text from the third
message on. --unset is done first.

odd sends events that deployments send and the interface does not show, a call
for each shape:
${shapeList}

Each line on stdout is one event: what was sent, the status of the answer and
the time it took. With --json it has kind "delivery", shape, type, callId,
callStatus, messages (their number), sent (the body), and status,
milliseconds, acknowledged and body (of the answer), or failure instead of
status. An answer other than { "message": "…" } is shown, and warned about.
No redirect is followed, nothing is sent twice. After an answer that never
came nothing more is sent, after any other the next event is.

Exit code: 0 when every answer is 2xx; else by the first that is not: 5 for
3xx and 4xx, 6 for 5xx and where no answer came in time (--timeout, 30s
unless given).

Examples:
  $ callwright webhook trigger status-update --to http://127.0.0.1:3000/hook
  $ callwright webhook trigger call --to http://127.0.0.1:3000/hook \\
      --messages 12 --header 'x-token: s3cret'
  $ callwright webhook trigger conversation-update \\
      --to http://127.0.0.1:3000/hook \\
      --set call.userNumber=+12025550142 --set 'messages[0].text=Hi'
  $ callwright webhook trigger status-update --status finished --dry-run
  $ callwright webhook trigger odd --to http://127.0.0.1:3000/hook`,
    )
    .action((what, options, command) =>
      run(command, async context => (await import('./trigger.ts')).trigger(what, options, context)),
    )
}

function parseCount(text: string): number {
  return parseInteger(text, 0, mostMessages)
}

function collectSet(text: string, collected: readonly Assignment[] = []): Assignment[] {
  const equals = text.indexOf('=')
  const path = parsePath(text.slice(0, Math.max(0, equals)))
  if (path === undefined) {
    throw new InvalidArgumentError("Give it as path=value, such as call.id=CC-1 or 'messages[0].text=Hi'.")
  }
  const { value } = collectMetadata(`value=${text.slice(equals + 1)}`)
  return [...collected, { path, value }]
}

function collectPath(text: string, collected: readonly Path[] = []): Path[] {
  const path = parsePath(text)
  if (path === undefined) throw new InvalidArgumentError('Give a path, such as call or call.id.')
  return [...collected, path]
}

function collectShape(text: string, collected: readonly OddShape[] = []): OddShape[] {
  return [...collected, parseWord(text, oddShapeNames)]
}
