import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { readLocatedState } from '../../../calls/batch/index.ts'
import { readCallLog } from '../../../calls/log/index.ts'
import { recordedEventsOf } from '../../../calls/place/index.ts'
import {
  type CallFacts,
  type FactsOptions,
  type RecordedSource,
  readFacts,
  toUnrecordedFacts,
  type UnrecordedCall,
} from '../../../calls/report/index.ts'
import { isRereadable, type RecordingItem, readRecordingParts } from '../../../events/recordings/index.ts'
import { displayName } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { flagForShell, quoteForShell } from '../../../lib/text/escape.ts'
import { suggest } from '../../shell/advice.ts'
import { assertExclusive } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { listSandboxCalls } from '../sandbox/records.ts'
import { warnOfSkipped } from '../webhook/choose-calls.ts'
import { doubtText } from '../webhook/print-events.ts'
import { recordingAt } from '../webhook/recorded-source.ts'

/** Source of the calls of a report, as it is named. */
export interface CallSource {
  readonly kind: 'recording' | 'batch' | 'log' | 'sandbox'
  readonly name: string
  /** Returns the command that shows one of its calls; undefined if there is none. */
  commandFor(call: string): string | undefined
}

export interface ReadCalls {
  readonly sources: readonly CallSource[]
  readonly calls: readonly CallFacts[]
}

interface SourceOptions {
  readonly batch?: string | undefined
  readonly sandbox?: boolean | undefined
  readonly log?: boolean | undefined
}

/**
 * Reads the facts of the calls of a report.
 * @throws CallyardError `usage` unless there is exactly one kind of source, and as the readers do
 */
export async function readCalls(
  recordings: readonly string[],
  { batch, sandbox, log }: SourceOptions,
  options: FactsOptions,
  context: Context,
): Promise<ReadCalls> {
  assertExclusive(
    { 'a recording': recordings.length > 0, '--batch': batch, '--sandbox': sandbox, '--log': log },
    'run a report for each',
  )
  if (recordings.length === 0 && batch === undefined && sandbox !== true && log !== true)
    throw new CallyardError('usage', 'the recording is missing', {
      hint: 'name a file of webhook tail --record, or pass --batch <name>, --log or --sandbox',
      details: { missing: ['<recordings>'] },
    })
  const work = { context, options: await factsOptions(options, context) }
  if (batch !== undefined) return readBatch(batch, work)
  if (sandbox === true) return readSandbox(work)
  return log === true ? readLog(work) : readRecordings(recordings, work)
}

interface Work {
  readonly context: Context
  readonly options: FactsOptions
}

async function factsOptions(options: FactsOptions, { settings }: Context): Promise<FactsOptions> {
  const words = (await settings()).project?.settings.outcomes
  return { ...options, words }
}

/** Reads recordings; `-` is stdin. */
export async function readRecordings(
  files: readonly string[],
  { context, options }: Work,
): Promise<ReadCalls> {
  const recordings = await Promise.all(files.map(file => openSource(file, context)))
  const { calls, ...rest } = await readFacts(recordings, options)
  warnOfSkipped(rest, context)
  if (rest.isDoubtful) context.output.warn(...doubtText)
  return { sources: files.map(recordingSource), calls }
}

async function openSource(file: string, context: Context): Promise<RecordedSource> {
  const recording = recordingAt(file, context)
  return {
    isRereadable: await isRereadable(recording),
    // Ctrl-C ends the reading, also while a pipe is silent.
    read: () => Readable.from(readRecordingParts(recording), { signal: context.signal, highWaterMark: 1 }),
  }
}

function recordingSource(file: string): CallSource {
  return {
    kind: 'recording',
    name: file === '-' ? 'stdin' : file,
    commandFor: call =>
      file === '-'
        ? undefined
        : `callyard webhook show ${quoteForShell(file)} ${flagForShell('--call', call)}`,
  }
}

/** The calls of a batch: by their events if they were recorded, or else by its journal. */
async function readBatch(batchArg: string, { context, options }: Work): Promise<ReadCalls> {
  const { name, state, stateFolder } = await readLocatedState(batchArg, undefined, context)
  const file = join(stateFolder, 'events.ndjson')
  const recordedFacts = existsSync(file) ? (await readRecordings([file], { context, options })).calls : []
  const attempts = [...state.attempts.values()].flat().filter(({ outcome }) => !notCalls.includes(outcome))
  if (attempts.length === 0)
    throw new CallyardError('usage', `batch ${name} has no calls yet`, {
      ...suggest`start it: ${['batch', 'run', batchArg]}`,
    })
  const calls = attempts.map(attempt => ({
    ...{ call: attempt.call ?? attempt.attempt, at: Date.parse(attempt.at), source: 1, assistant: null },
    ...{ from: attempt.from, to: attempt.number, outcome: attempt.outcome, seconds: attempt.seconds },
    ...{ endedBy: attempt.endedBy, isOptedOut: null },
    analysis:
      attempt.analysis === null
        ? null
        : {
            successEvaluation: attempt.analysis.success,
            structuredData: attempt.analysis.structuredData,
          },
  }))
  const commandFor = recordingSource(displayName(file, context.cwd)).commandFor
  return {
    sources: [
      { kind: 'batch', name, commandFor },
      { kind: 'batch', name, commandFor: () => undefined },
    ],
    calls: mergeFacts(recordedFacts, calls),
  }
}

/** Requests that did not become calls. */
const notCalls: readonly string[] = ['not-sent', 'rejected', 'calling']

/** The calls placed from this machine: by their recordings if there are any, or else by the log. */
async function readLog({ context, options }: Work): Promise<ReadCalls> {
  const { calls: logged, unreadable } = await readCallLog(context.env)
  if (unreadable > 0)
    context.output.warn(`${count(unreadable, 'line')} of the call log cannot be read; skipped`)
  const files = [...new Set(logged.flatMap(({ recording }) => recording ?? []))].filter(existsSync)
  const recordedFacts = files.length === 0 ? [] : (await readRecordings(files, { context, options })).calls
  const ids = new Set(logged.map(({ id }) => id))
  const calls = logged
    .filter(({ status }) => status !== 'not-placed')
    .map(call => ({
      ...{ call: call.id ?? call.key, at: Date.parse(call.at), source: 0, from: call.from, to: call.to },
      ...{ assistant: call.assistant, outcome: call.status, seconds: call.seconds, endedBy: call.endedBy },
      ...{ analysis: null, isOptedOut: null },
    }))
  return {
    sources: [
      { kind: 'log', name: 'call log', commandFor: call => `callyard call show ${quoteForShell(call)}` },
    ],
    calls: mergeFacts(
      recordedFacts.filter(({ call }) => ids.has(call)).map(call => ({ ...call, source: 0 })),
      calls,
    ),
  }
}

/** Facts from events say more than those of a log. */
function mergeFacts(
  recordedFacts: readonly CallFacts[],
  unrecordedCalls: readonly UnrecordedCall[],
): CallFacts[] {
  const byCall = new Map(recordedFacts.map(facts => [facts.call, facts]))
  const unrecorded = unrecordedCalls.filter(({ call }) => !byCall.has(call)).map(toUnrecordedFacts)
  return [...recordedFacts, ...unrecorded].sort((one, other) => one.at - other.at)
}

async function readSandbox({ context, options }: Work): Promise<ReadCalls> {
  const { baseUrl, calls: records, assistants } = await listSandboxCalls(context)
  async function* read(): AsyncGenerator<RecordingItem> {
    for (const record of records) yield* recordedEventsOf(record, assistants.get(record.assistantId))
  }
  const { calls } = await readFacts([{ read, isRereadable: true }], options)
  return { sources: [{ kind: 'sandbox', name: baseUrl, commandFor: () => undefined }], calls }
}
