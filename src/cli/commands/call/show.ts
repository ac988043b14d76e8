import { Readable } from 'node:stream'
import type { Command } from '@commander-js/extra-typings'
import type { LoggedCall } from '../../../calls/log/index.ts'
import type { OutcomeWords } from '../../../calls/outcomes/index.ts'
import { fetchEvents } from '../../../calls/place/index.ts'
import type { SlowestAnswer } from '../../../calls/report/index.ts'
import type { CallKey, CallTranscript } from '../../../events/conversation/index.ts'
import { type RecordingItem, readRecording, selectCalls } from '../../../events/recordings/index.ts'
import { renderDocument } from '../../../events/transcript/index.ts'
import { getErrorReason } from '../../../lib/error.ts'
import { localDateTime } from '../../../lib/text/date-time.ts'
import { hang } from '../../../lib/text/layout.ts'
import { bold, dim, join, type Text, text } from '../../../lib/text/text.ts'
import { defineCommand } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import type { OptionsOf } from '../../shell/flags/flag.ts'
import { readAnsweredCalls, slowestFact } from '../slowest-answer.ts'
import { formatTook, requestedCall } from './logged-calls.ts'

export const callShowCommand = defineCommand({
  description: 'Show a call of the log, with its transcript if there is one',
  examples: ['callyard call show --last', 'callyard call show CC-7d3f2c1e --events calls.ndjson'],
  topics: ['call-log', 'transcripts'],
  effect: 'none',
  flags: withFlags,
  async result({ z, required }) {
    const { loggedCallSchema } = await import('../../../calls/log/index.ts')
    const { slowestAnswerSchema } = await import('../../../calls/report/slowest-answer-schema.ts')
    const { callTranscriptSchema } = await import('../../../events/conversation/change-schemas.ts')
    return {
      document: z.object({
        call: loggedCallSchema(),
        transcript: required(z.nullable(callTranscriptSchema), 'null if there is none'),
        from: required(z.nullable(z.string()), 'Recording or service that the transcript comes from'),
        slowest: required(z.nullable(slowestAnswerSchema), 'The slowest answer; null if there is none'),
      }),
    }
  },
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
  readonly slowest: SlowestAnswer | null
  readonly from: string
  /** Words of the project for outcomes. */
  readonly words: OutcomeWords | undefined
}

async function show(id: string | undefined, options: ShowOptions, context: Context): Promise<void> {
  const call = await requestedCall(id, options, context)
  const match = await findTranscript(call, options, context)
  const { output } = context
  const { transcript = null, from = null, slowest = null } = match ?? {}
  output.result({ call, transcript, from, slowest }, () =>
    join(
      [
        callText(call, slowest, output.width),
        ...(match === undefined ? [] : [transcriptText(match, output.width)]),
      ],
      '\n\n',
    ),
  )
  if (match === undefined)
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
  const { baseUrl, apiKey, project } = await context.settings()
  const words = project?.settings.outcomes
  const file = events === undefined ? call.recording : context.resolve(events)
  if (file !== null) {
    const recordedCall = await readRecorded(file, id).catch(error => {
      if (events !== undefined) throw error
      context.output.warn(`the recording of this call cannot be read: ${getErrorReason(error)}`)
      return undefined
    })
    if (recordedCall !== undefined) return { ...recordedCall, from: file, words }
    if (events !== undefined) context.output.warn(`${events} has no events of this call`)
  }
  if (baseUrl.value !== call.service || apiKey.value === undefined) return undefined
  const fetched = await fetchEvents(context.api(), id, context)
  const read = fetched && (await readCall(Readable.from(fetched), id))
  return read && { ...read, from: call.service, words }
}

async function readRecorded(file: string, id: string) {
  return readCall(readRecording(file), id, await selectCalls(readRecording(file), { calls: [id] }))
}

/** Reads a call of a recording, of which it is the only one or the one in `only`; undefined if it has no events. */
async function readCall(recording: AsyncIterable<RecordingItem>, id: string, only?: ReadonlySet<CallKey>) {
  const { transcripts, slowestOf } = await readAnsweredCalls(recording, only)
  const transcript = transcripts.calls.find(({ callId }) => callId === id)
  return transcript && { transcript, slowest: slowestOf(transcript) }
}

function callText(call: LoggedCall, slowest: SlowestAnswer | null, width: number): Text {
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
    slowestFact(slowest) ?? ['answer', null],
  ]
  const lines = facts.flatMap(([name, value]) =>
    value === null || value === ''
      ? []
      : [hang(text`  ${dim(name.padEnd(nameWidth))}  `, nameWidth + 4, value, width, bare => bare)],
  )
  return join([bold(id ?? 'Call without id'), ...lines])
}

const nameWidth = 'variables'.length

function transcriptText({ transcript, from, words }: FoundTranscript, width: number): Text {
  return join([dim(`From ${from}`), renderDocument([transcript], { format: 'text', width, words })])
}
