import { batchRequest, type CallJob, type OpenBatch } from '../../../calls/batch/index.ts'
import type { CalledService } from '../../../calls/place/index.ts'
import type { Context } from '../../shell/context.ts'
import { type CallRecord, placeRecorded, recordCall } from '../call/log-call.ts'
import type { OpenFeed } from './event-source.ts'

export interface PlaceOptions {
  readonly opened: OpenBatch
  readonly service: CalledService
  readonly feed: OpenFeed | undefined
  readonly log: boolean
}

/**
 * Places a call of a batch (interface.md 4.1).
 * @throws CallyardError of the service or the network
 */
export async function dialPerson(
  { person, from, to, number }: Omit<CallJob, 'attempt'>,
  { opened, service, feed, log }: PlaceOptions,
  context: Context,
): Promise<{ readonly id: string | undefined; readonly record: CallRecord }> {
  const job = { person, from, to, number }
  const { way, body: batchBody } = batchRequest(job, opened)
  const { variables: values } = batchRequest(job, opened, { isShown: true })
  const { name, baseUrl } = service
  const record = await recordCall(
    {
      ...{ profile: name === baseUrl ? null : name, service: baseUrl, from, to },
      values,
      recording: feed?.recording ?? null,
      assistant: opened.batch.assistant ?? null,
      batch: opened.name,
      variables: Object.keys(values),
    },
    { log },
    context,
  )
  const request = { way, body: feed === undefined ? batchBody : feed.withWebhookUrl(batchBody) }
  // A response without an id means that the call was placed.
  const placed = await placeRecorded(record, context.api({ batch: true }), request, { isFollowed: true })
  return { id: placed.id, record }
}
