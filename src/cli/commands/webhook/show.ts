import type { Command } from '@commander-js/extra-typings'
import type { OutcomeWords } from '../../../calls/outcomes/index.ts'
import type { CallTranscript } from '../../../events/conversation/index.ts'
import { type CallChoice, selectCalls } from '../../../events/recordings/index.ts'
import {
  callTable,
  jsonDocument,
  renderDocument,
  type TranscriptFormat,
} from '../../../events/transcript/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { shortId } from '../../../lib/text/did-you-mean.ts'
import { bold, dim, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Output } from '../../shell/context.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { chooseFormat, fileWidth, withDocumentFlags, writeDocument } from '../document-format.ts'
import { type AnsweredCalls, readAnsweredCalls, type SlowestFact, slowestFact } from '../slowest-answer.ts'
import { chosenCalls, summaryOfCall, warnOfSkipped } from './choose-calls.ts'
import { doubtText } from './print-events.ts'
import { openRecordedSource, storedOptions, withRecordedSource } from './recorded-source.ts'

export const webhookShowCommand = defineCommand({
  description: 'List recorded calls or export their transcripts',
  examples: [
    'callyard webhook show calls.ndjson',
    'callyard webhook show calls.ndjson --call CC-7d3f2c1e --out call.html',
    'callyard webhook show --relay nats://127.0.0.1:4222 --since 1h --all --out calls.html',
  ],
  topics: ['transcripts', 'relay'],
  effect: 'none',
  flags: withFlags,
  needs: { out: ['force'], relay: storedOptions },
  async result({ z, required }) {
    const { callTranscriptSchema } = await import('../../../events/conversation/change-schemas.ts')
    return {
      document: z.union([
        z.object({ version: z.literal(1), calls: z.array(callTranscriptSchema) }),
        z.object({
          file: required(z.string(), 'With --out: the file that was written'),
          format: z.string(),
          calls: required(z.array(z.nullable(z.string())), 'Ids of the calls'),
        }),
      ]),
    }
  },
  /** `webhook show`: prints a recorded call as a document, or a table if there are several calls. */
  async run(options, context, [file]) {
    const { output } = context
    const { out } = options
    const words = (await context.settings()).project?.settings.outcomes
    const format = chooseFormat(options, output)
    const source = await openRecordedSource(file, options, options.call, context)
    const { name } = source
    let read: AnsweredCalls
    try {
      const only = source.isRereadable ? await selectCalls(source.read(), choiceOf(options)) : undefined
      read = await readAnsweredCalls(source.read(), only)
    } finally {
      await source.close()
    }
    const { transcripts } = read
    const slowestOf: ShownAs['slowestOf'] = call => slowestFact(read.slowestOf(call))
    warnOfSkipped(transcripts, context)
    const selection = chosenCalls(transcripts.calls, { ...options, file: name })
    const isShown = (selection ?? transcripts.calls).some(({ callId }) => callId === null)
    if (transcripts.isDoubtful && isShown) output.warn(...doubtText)
    if (selection === undefined && out === undefined && (options.format === undefined || format === 'json'))
      return list(transcripts.calls, { format, words, slowestOf }, output)
    const calls = selection ?? askForChoice(transcripts.calls, { file: name, words, output })
    if (out === undefined) return print(calls, { format, words, slowestOf }, output)
    const document = renderDocument(calls, {
      ...{ format, width: fileWidth, words, slowestOf, withOverview: options.all === true },
    })
    const { file: written } = out
    await writeDocument(written, document, { format, force: options.force }, context)
    output.result({ file: written, format, calls: calls.map(({ callId }) => callId) }, () => {
      const contentText =
        calls.length === 1 ? shortId(calls[0]?.callId ?? 'call without id') : `${calls.length} calls`
      return text`Wrote ${bold(written)}: ${contentText} as ${format}`
    })
  },
})

function withFlags(command: Command) {
  return withDocumentFlags(
    withRecordedSource(command)
      .option('--call <id>', 'Print a call, by id or unique prefix')
      .option('--last', 'Print the latest call')
      .option('--all', 'Print all calls'),
  )
}

export type ShowOptions = OptionsOf<typeof withFlags>

/** The part of the selection that needs only call names; conflicting flags are rejected later. */
function choiceOf({ call, last, all }: ShowOptions): CallChoice {
  if (all === true) return {}
  return call === undefined ? { last } : { calls: [call] }
}

interface ShownAs {
  readonly format: TranscriptFormat
  /** Words of the project for outcomes. */
  readonly words: OutcomeWords | undefined
  slowestOf(call: CallTranscript): SlowestFact | undefined
}

/** Text and Markdown are drawn call by call: a recording may hold many. */
async function print(
  calls: readonly CallTranscript[],
  { format, ...renderOptions }: ShownAs,
  output: Output,
): Promise<void> {
  const { json, width } = output
  if (json || format === 'json' || format === 'html' || format === 'csv')
    return output.result(jsonDocument(calls), () =>
      renderDocument(calls, { format, width, ...renderOptions }),
    )
  for (const [index, call] of calls.entries()) {
    const document = renderDocument([call], { format, width, ...renderOptions })
    output.result(call, () => (index === 0 ? document : ['\n', document]))
    await output.drained()
  }
}

/** Lists the calls; as JSON they have the shape of `--all`. */
function list(calls: readonly CallTranscript[], { format, ...renderOptions }: ShownAs, output: Output): void {
  const { width, json } = output
  const isTable = format !== 'json'
  output.result(jsonDocument(calls), () =>
    isTable
      ? callTable(calls, width, renderOptions.words)
      : renderDocument(calls, { format, width, ...renderOptions }),
  )
  if (isTable && !json)
    output.note(dim('Show one with --call <id> (a unique prefix is enough), --last or --all.'))
}

/** Lists the calls on stderr. @throws CallyardError `usage` that asks for a choice, always */
function askForChoice(
  calls: readonly CallTranscript[],
  { file, words, output }: Pick<ShownAs, 'words'> & { readonly file: string; readonly output: Output },
): never {
  output.note(callTable(calls, output.width, words))
  throw new CallyardError('usage', `${file} holds ${calls.length} calls`, {
    hint: 'select one with --call <id> or --last, or all with --all',
    details: { calls: calls.map(summaryOfCall) },
  })
}
