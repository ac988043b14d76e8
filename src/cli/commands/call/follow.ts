import {
  callSeconds,
  type FollowedCall,
  followCall,
  readUnansweredStatus,
  unansweredReasons,
} from '../../../calls/outcomes/index.ts'
import { type CalledService, notFollowable, sendEventsTo } from '../../../calls/place/index.ts'
import type { CallTranscript } from '../../../events/conversation/index.ts'
import { type Receiver, receiveOverHttp } from '../../../events/receive/index.ts'
import type { UnansweredStatus } from '../../../interface/words.ts'
import { CallyardError } from '../../../lib/error.ts'
import { isLoopback } from '../../../lib/net/address.ts'
import { quoteForShell } from '../../../lib/text/escape.ts'
import type { Text } from '../../../lib/text/text.ts'
import { parseBaseUrl } from '../../../service/api/index.ts'
import { suggest } from '../../shell/advice.ts'
import { assertExclusive } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { noteNext } from '../../shell/render/next-steps.ts'
import type { SchemaBuilders } from '../../shell/schema-builders.ts'
import { showWarnings } from '../warnings.ts'
import type { ExposureOptions } from '../webhook/flags.ts'
import { startRecording, warnOfMissing } from '../webhook/open-sinks.ts'
import { createPrinter } from '../webhook/print-events.ts'
import { type Exposure, openExposure, randomPath } from '../webhook/public-url.ts'
import type { FollowOptions, PlaceCallOptions } from './flags.ts'
import type { CallRecord } from './log-call.ts'

type Body = Readonly<Record<string, unknown>>

interface ListenerOptions extends ExposureOptions {
  readonly port?: number | undefined
}

/** A call that was placed to be followed. */
interface FollowedPlacement {
  readonly response: Body
  readonly text: Text
  /** Called when the call has ended. */
  onEnd: CallRecord['ended']
}

/** Schema of what a call prints that is followed. */
export async function followEventSchema({ z, eventSchema, required }: SchemaBuilders) {
  const { summarySchema, tailEventSchemas } = await import('../../../events/receive/event-schemas.ts')
  const { unansweredStatuses } = await import('../../../interface/words.ts')
  const error = { message: z.string(), hint: z.nullable(z.string()) }
  return z.union([
    eventSchema('placed', {
      call: required(z.record(z.string(), z.unknown()), 'The call as the service returned it'),
    }),
    ...tailEventSchemas,
    summarySchema,
    eventSchema('no-events', {
      url: required(z.string(), 'Address of the listener'),
      timeoutMs: z.number(),
      ...error,
    }),
    eventSchema('unanswered', {
      reason: required(z.nullable(z.enum(unansweredStatuses)), 'null if unknown'),
      phoneCallStatus: z.nullable(z.string()),
      callEndTriggerBy: z.nullable(z.string()),
      ...error,
    }),
  ])
}

/**
 * Places a call, receives its events and shows it until it ends (interface.md 4.8 and 6). The
 * listener's path is random, unless the public URL has one: only the service knows it, so only events of this call arrive.
 * @throws CallyardError `usage` before anything is sent, `partial` if nobody picked up, `cancelled` if the person leaves.
 */
export async function showFollowedCall(
  body: Body,
  options: FollowOptions,
  placeCall: (body: Body) => Promise<FollowedPlacement>,
  context: Context,
): Promise<void> {
  const { clock, output, signal } = context
  const path = listenerPath(options)
  // Opened before the call is placed, because the file may be in use.
  const recorder = await startRecording(options, context)
  let call: FollowedCall<Receiver> | undefined
  let exposure: Exposure | undefined
  try {
    const source = receiveOverHttp({ host: '127.0.0.1', port: options.port ?? 0, path, clock })
    const onSilence = () =>
      output.warn('no event of the call has arrived yet', 'check that the service can reach the listener')
    const words = (await context.settings()).project?.settings.outcomes
    const { eventTimeout } = options
    call = await followCall({ source, recorder, clock, signal, words, eventTimeout, onSilence })
    // The call keeps the first address; it cannot be given another.
    const onChanged = () =>
      output.warn('no more events of this call can arrive', 'Ctrl-C ends the command, not the call')
    exposure = await openExposure(options, { ...call.source, onChanged }, context)
    const url = exposure === undefined ? call.source.address : await exposure.publicUrl
    signal.throwIfAborted()
    const followed = sendEventsTo(body, url)
    showWarnings(followed.warnings, context)
    if (followed.replaced !== undefined)
      output.note(`Events of this call are sent here instead of to ${followed.replaced}`)
    const { response, text, onEnd } = await placeCall(followed.body)
    output.event({ kind: 'placed', call: response }, () => undefined)
    if (!output.json) output.note(text)
    await show(call, url, options, onEnd, context)
    if (options.record !== undefined) {
      const file = quoteForShell(options.record)
      noteNext(output, `to export the recorded calls: callyard webhook show ${file} --all --out calls.html`)
    }
  } finally {
    await call?.close()
    await exposure?.close()
    warnOfMissing(await recorder?.close(), options.record, output)
  }
}

/**
 * Checks what can be checked before a listener is there.
 * @throws CallyardError `usage`.
 */
export async function assertFollowable(options: PlaceCallOptions, context: Context): Promise<void> {
  const { assistant, assistantId } = options
  if (assistant === undefined && (assistantId !== undefined || !context.prompts.available)) {
    throw notFollowable(assistantId)
  }
  assertExclusive({ '--dry-run': options.dryRun, '--follow': options.follow })
  await assertReachable(options, context)
}

/**
 * Checks that the service can reach the listener.
 * @throws CallyardError `usage`
 */
export async function assertReachable(options: ListenerOptions, context: Context): Promise<void> {
  if (options.publicUrl !== undefined && options.port === undefined) {
    throw new CallyardError('usage', '--public-url requires --port', {
      hint: 'pass the port that the URL leads to with --port',
    })
  }
  if (options.publicUrl !== undefined || options.tunnel !== undefined) return
  const { baseUrl } = await context.settings()
  if (baseUrl.value === undefined || isLoopback(parseBaseUrl(baseUrl.value))) return
  const message = `the service at ${baseUrl.value} cannot reach a listener on this machine`
  throw new CallyardError('usage', message, {
    hint: 'pass --tunnel, or --public-url with a URL that leads to --port',
  })
}

/** Warns if the listener is reachable from this machine only and the service may be elsewhere. */
export async function warnOfListener(
  { publicUrl, tunnel }: ListenerOptions,
  { baseUrl, isSandbox }: CalledService,
  { output }: Context,
): Promise<void> {
  if (publicUrl !== undefined || tunnel !== undefined || (await isSandbox())) return
  output.warn(
    `the service at ${baseUrl} is not a sandbox; it may not reach a listener on this machine`,
    'pass --tunnel, or --public-url with a URL that leads to --port',
  )
}

function listenerPath({ publicUrl }: FollowOptions): string {
  const path = publicUrl === undefined ? '/' : new URL(publicUrl).pathname
  return path === '/' ? randomPath() : path
}

/**
 * Prints the events of a call as they arrive.
 * @throws CallyardError `unreachable`, `cancelled` or `partial` unless somebody took the call and it ended
 */
async function show(
  call: FollowedCall<Receiver>,
  url: string,
  options: FollowOptions,
  onEnd: FollowedPlacement['onEnd'],
  context: Context,
): Promise<void> {
  const { output, clock } = context
  const print = await createPrinter(output, { ...options, now: clock.now })
  for await (const event of call.events) {
    print(event)
    await output.drained({ live: true })
  }
  const end = call.end()
  if (end.kind === 'no-events') throw fail('no-events', noEvents(url, end.timeoutMs), context)
  if (end.kind === 'left')
    throw new CallyardError('cancelled', 'you left before the call ended; the call continues')
  const { callEndTriggerBy: endedBy } = end.call
  await onEnd({ outcome: end.outcome, seconds: callSeconds(end.call), endedBy })
  if (end.kind === 'unanswered') throw fail('unanswered', unansweredError(end.call), context)
}

/** Also reports the error as the last event of the stream. */
function fail(kind: 'no-events' | 'unanswered', error: CallyardError, { output }: Context): CallyardError {
  const { details, message, hint = null } = error
  output.event({ kind, ...details, message, hint }, () => undefined)
  return error
}

function noEvents(url: string, timeoutMs: number): CallyardError {
  const message = `no event of the call arrived within ${timeoutMs / 1000}s; the call continues`
  return new CallyardError('unreachable', message, {
    ...suggest`check that the service can reach ${url}, or allow more time with --event-timeout: ${['help', 'follow']}`,
    details: { url, timeoutMs },
  })
}

function unansweredError({ statuses, callEndTriggerBy }: CallTranscript): CallyardError {
  const { status, phoneCallStatus = null } = statuses.at(-1) ?? {}
  const reason = readUnansweredStatus(statuses)
  const word = status === 'finished' || status === phoneCallStatus ? undefined : status
  const facts = [word, phoneCallStatus, callEndTriggerBy].filter(fact => typeof fact === 'string')
  const knownFacts =
    facts.length === 0 ? 'the service does not say why' : `the service says ${facts.join(', ')}`
  const reasonText = reason === undefined ? knownFacts : unansweredReasons[reason]
  return new CallyardError('partial', `the call was not answered: ${reasonText}`, {
    hint: reason && hints[reason],
    details: { reason: reason ?? null, phoneCallStatus, callEndTriggerBy },
  })
}

const hints: Readonly<Record<UnansweredStatus, string | undefined>> = {
  busy: 'run the same command again later; it places another call',
  'no-answer': 'run the same command again later; it places another call',
  failed: 'check the number that --to gives, or look for an outage at the phone vendor',
  canceled: undefined,
}
