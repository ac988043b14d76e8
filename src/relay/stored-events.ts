import type { RecordedEvent } from '../events/recordings/index.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import { requireStream } from './stream.ts'
import { toRecordedEvent } from './stream-message.ts'
import { readMessages, sequenceAt } from './stream-reader.ts'
import { encodeToken, partitionOf, subjectFilter } from './subjects.ts'

export interface StoredEventsOptions extends Omit<ConnectionOptions, 'name'> {
  readonly stream: string
  /** Milliseconds since the epoch; default: all events. */
  readonly since?: number | undefined
  /** If the stream has a call with this id, only its events are read. */
  readonly call?: string | undefined
}

const maxAhead = 256

/**
 * Opens the events that the stream of a relay has now, as a recording that can be read more than once.
 * @throws CallyardError as openConnection and requireStream do
 */
export function openStoredEvents(options: StoredEventsOptions) {
  const { stream, since, call } = options
  return openConnection(
    { ...options, name: 'callyard stored events' },
    async ({ connection, jsm, close }) => {
      const { state } = await requireStream(jsm, stream)
      const from = since === undefined ? state.first_seq : await sequenceAt(jsm, stream, since)
      const lastOf = async (partition?: string, token?: string) =>
        (await jsm.streams.getMessage(stream, { last_by_subj: subjectFilter(stream, partition, token) }))?.seq
      const ofCall =
        call === undefined ? undefined : { partition: partitionOf(call), call: encodeToken(call) }
      const lastOfCall = ofCall && (await lastOf(ofCall.partition, ofCall.call))
      const last = lastOfCall ?? (await lastOf()) ?? 0
      const filter = lastOfCall === undefined ? {} : ofCall
      return {
        async *read(): AsyncGenerator<RecordedEvent, undefined> {
          if (from > last) return
          for await (const message of readMessages(connection, { ...filter, stream, from, maxAhead })) {
            yield toRecordedEvent(message)
            if (message.sequence >= last) return
          }
        },
        close,
      }
    },
  )
}
