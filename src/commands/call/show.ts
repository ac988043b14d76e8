import type { Command } from '@commander-js/extra-typings'
import { fetchTranscript, type LoggedCall } from '../../calls/index.ts'
import { defineCommand } from '../../cli/cli-command.ts'
import type { Context } from '../../cli/context.ts'
import type { OptionsOf } from '../../cli/flags/flag.ts'
import type { CallTranscript } from '../../conversation/index.ts'
import { getErrorReason } from '../../lib/error.ts'
import { localDateTime } from '../../lib/text/date-time.ts'
import { hang } from '../../lib/text/layout.ts'
import { bold, dim, join, type Text, text } from '../../lib/text/text.ts'
import { readRecording, readTranscripts, selectCalls } from '../../recordings/index.ts'
import { renderDocument } from '../../transcript/index.ts'
import { formatTook, requestedCall } from './logged-calls.ts'

export const callShowCommand = defineCommand({
  description: 'Show a call of the log, with its transcript if there is one',
  examples: ['callyard call show --last', 'callyard call show CC-7d3f2c1e --events calls.ndjson'],
  topics: ['call-log', 'transcripts'],
  flags: withFlags,
  result: async () => (await import('./results.ts')).callShowResult,
  run: async (options, context, [id]) => show(id, options, context),
})

function withFlags(command: Command) {
  return command
    .argument('[id]', 'Id of the call, or a unique prefix')
    .option('--last', 'The latest call')
    .option('--events <file>', 'Recording with the events of the call (default: that of --record)')
}

type ShowOptions = OptionsOf<typeof withFlags>

/** A transcript, and the recording or service that it comes from. */
interface FoundTranscript {
  readonly transcript: CallTranscript
  readonly from: string
}

async function show(id: string | undefined, options: ShowOptions, context: Context): Promise<void> {
  const call = await requestedCall(id, options, context)
  const found = await findTranscript(call, options, context)
  const { output } = context
  output.result({ call, transcript: found?.transcript ?? null, from: found?.from ?? null }, () =>
    join(
      [callText(call, output.width), ...(found === undefined ? [] : [transcriptText(found, output.width)])],
      '\n\n',
    ),
  )
  if (found === undefined)
    output.note('There is no transcript: pass --events with a recording of webhook tail --record')
}

/** Reads the transcript from the given or the own recording of a call, or else from the sandbox that it was placed at. */
async function findTranscript(
  call: LoggedCall,
  { events }: ShowOptions,
  context: Context,
): Promise<FoundTranscript | undefined> {
  const { id } = call
  if (id === null) return undefined
  const file = events === undefined ? call.recording : context.resolve(events)
  if (file !== null) {
    const transcript = await recordedTranscript(file, id).catch(error => {
      if (events !== undefined) throw error
      context.output.warn(`the recording of this call cannot be read: ${getErrorReason(error)}`)
      return undefined
    })
    if (transcript !== undefined) return { transcript, from: file }
    if (events !== undefined) context.output.warn(`${events} has no events of this call`)
  }
  const { baseUrl, apiKey } = await context.settings()
  if (baseUrl.value !== call.service || apiKey.value === undefined) return undefined
  const transcript = await fetchTranscript(context.api(), id, context)
  return transcript && { transcript, from: call.service }
}

async function recordedTranscript(file: string, id: string): Promise<CallTranscript | undefined> {
  const only = await selectCalls(readRecording(file), { calls: [id] })
  const { calls } = await readTranscripts(readRecording(file), { only })
  return calls.find(({ callId }) => callId === id)
}

function callText(call: LoggedCall, width: number): Text {
  const { id, at, from, to, assistant, variables, values, status, reason, endedBy, profile, service } = call
  const shownVariables =
    values === undefined
      ? variables.join(', ')
      : variables.map(name => `${name}=${JSON.stringify(values[name])}`).join(', ')
  const facts: readonly (readonly [string, string | null])[] = [
    ['placed', localDateTime(at)],
    ['service', profile === null ? service : `${profile} (${service})`],
    ['from', from],
    ['to', to],
    ['assistant', assistant ?? 'default assistant of the number'],
    ['variables', shownVariables],
    ['status', status],
    ['reason', reason],
    ['duration', formatTook(call)],
    ['ended by', endedBy],
  ]
  const lines = facts.flatMap(([name, value]) =>
    value === null || value === ''
      ? []
      : [hang(text`  ${dim(name.padEnd(nameWidth))}  `, nameWidth + 4, value, width, bare => bare)],
  )
  return join([bold(id ?? 'Call without id'), ...lines])
}

const nameWidth = 'variables'.length

function transcriptText({ transcript, from }: FoundTranscript, width: number): Text {
  return join([dim(`From ${from}`), renderDocument([transcript], { format: 'text', width })])
}
