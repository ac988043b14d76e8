import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenBatch } from '../../../calls/batch/index.ts'
import {
  type CallFeed,
  followDeliveries,
  followRecordedCalls,
  type ListeningFeed,
  listenForCalls,
} from '../../../calls/outcomes/index.ts'
import { type CalledService, sendEventsTo } from '../../../calls/place/index.ts'
import { type Receiver, receiveOverHttp } from '../../../events/receive/index.ts'
import { type RecordedEvent, readRecording } from '../../../events/recordings/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { makeFolder } from '../../../lib/fs/make-folder.ts'
import { suggest } from '../../shell/advice.ts'
import { assertExclusive } from '../../shell/cli-command.ts'
import type { Context } from '../../shell/context.ts'
import { assertReachable, warnOfListener } from '../call/follow.ts'
import { startRecording, warnOfMissing } from '../webhook/open-sinks.ts'
import { type Exposure, openExposure, randomPath } from '../webhook/public-url.ts'
import type { Queue } from './open-queue.ts'
import type { BatchRunOptions } from './run-flags.ts'

type Body = Readonly<Record<string, unknown>>

/** Source of the outcomes of a run. */
export interface OpenFeed {
  readonly feed: CallFeed
  /** URL that the events are sent to; undefined if another program receives them. */
  readonly url: string | undefined
  /** Absolute path of the recording of the events; undefined if they are in a stream. */
  readonly recording: string | undefined
  /** Returns the bytes of the recording; undefined if another program writes it. */
  readonly recordedBytes?: () => number
  /** The body of a call whose events arrive here. */
  withWebhookUrl(body: Body): Body
  close(): Promise<void>
}

/**
 * Opens the source of events that --follow or --events asks for; undefined without either.
 * @throws CallyardError `usage` for flags that cannot be used together, for a missing recording, and as the listener does
 */
export async function openFeed(
  options: BatchRunOptions,
  opened: OpenBatch,
  { service, queue }: { readonly service: CalledService; readonly queue: Queue | undefined },
  context: Context,
): Promise<OpenFeed | undefined> {
  const { follow, events } = options
  if (queue !== undefined) return openRelayedFeed(queue, options, context)
  assertExclusive({ '--follow': follow, '--events': events }, 'remove --events to receive the events here')
  if (events !== undefined) return openRecordedFeed(events, context)
  if (follow !== true) return undefined
  await assertReachable(options, context)
  await warnOfListener(options, service, context)
  return openListeningFeed(options, opened, context)
}

/** Difference of clocks, and events that arrive before their calls are known. */
const earlierMs = 60_000

/** The events of a shared batch: those since the oldest call whose outcome is unknown. */
async function openRelayedFeed(
  queue: Queue,
  { stream }: BatchRunOptions,
  context: Context,
): Promise<OpenFeed> {
  const { clock, output } = context
  const open = [...queue.journal.state.attempts.values()].flat().filter(({ endedAt }) => endedAt === null)
  const since = open.reduce((oldest, { at }) => Math.min(oldest, Date.parse(at)), clock.now())
  const feed = followDeliveries(queue.events(stream, since - earlierMs), {
    words: await outcomeWords(context),
    onUnreadable: reason => output.warn(`an event cannot be read: ${reason}`),
  })
  return { feed, url: undefined, recording: undefined, withWebhookUrl: body => body, close: feed.close }
}

async function openRecordedFeed(events: string, context: Context): Promise<OpenFeed> {
  const path = context.resolve(events)
  if (!existsSync(path)) {
    throw new CallyardError('invalid', `recording ${events} not found`, {
      ...suggest`start it first: ${['webhook', 'tail', '--record', events]}`,
    })
  }
  const { clock } = context
  const feed = await followRecordedCalls(path, { clock, words: await outcomeWords(context) })
  return { feed, url: undefined, recording: path, withWebhookUrl: body => body, close: feed.close }
}

/**
 * The listener has the address of the last run if it is free: calls that are still in progress send their events there. Events are
 * recorded in the folder of the batch before they are acknowledged.
 */
async function openListeningFeed(
  options: BatchRunOptions,
  { stateFolder, state }: OpenBatch,
  context: Context,
): Promise<OpenFeed> {
  const { clock, output } = context
  const recording = join(stateFolder, 'events.ndjson')
  await makeFolder(stateFolder, 0o700)
  const recorder = await startRecording({ record: recording }, context)
  const last = state.url === null ? undefined : new URL(state.url)
  const urlPath = options.publicUrl === undefined ? '/' : new URL(options.publicUrl).pathname
  const path = urlPath === '/' ? (last?.pathname ?? randomPath()) : urlPath
  const listen = async (port: number) =>
    listenForCalls({
      ...{ clock, recorder, words: await outcomeWords(context) },
      source: receiveOverHttp({ host: '127.0.0.1', port, path, clock }),
      recorded: recordedEvents(recording, state.firstEventOffset()),
      onTailEvent(event) {
        if (event.kind === 'refused') output.warn(`an event was rejected: ${event.message} (${event.status})`)
      },
    })
  const lastPort = last?.hostname === '127.0.0.1' ? Number(last.port) : 0
  let opening: ListeningFeed<Receiver> | undefined
  let exposure: Exposure | undefined
  try {
    const feed =
      options.port === undefined && lastPort !== 0
        ? await listen(lastPort).catch(() => listen(0))
        : await listen(options.port ?? 0)
    opening = feed
    const onChanged = () =>
      output.warn('events of calls in progress can no longer arrive', 'their outcomes will be unclear')
    exposure = await openExposure(options, { ...feed.source, onChanged }, context)
    const url = exposure === undefined ? feed.source.address : await exposure.publicUrl
    const opened = exposure
    return {
      feed,
      url,
      recording,
      recordedBytes: () => statSync(recording, { throwIfNoEntry: false })?.size ?? 0,
      withWebhookUrl: body => sendEventsTo(body, url).body,
      async close() {
        await feed.close()
        await opened?.close()
        warnOfMissing(await recorder?.close(), recording, output)
      },
    }
  } catch (error) {
    await opening?.close()
    await exposure?.close()
    await recorder?.close()
    throw error
  }
}

async function* recordedEvents(path: string, start: number): AsyncGenerator<RecordedEvent, undefined> {
  if (!existsSync(path)) return
  for await (const item of readRecording(path, { start })) if (item.kind === 'recorded') yield item
}

async function outcomeWords({ settings }: Context) {
  return (await settings()).project?.settings.outcomes
}
