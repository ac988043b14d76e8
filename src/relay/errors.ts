import { CallyardError, checkFolder } from '../lib/error.ts'
import { count } from '../lib/text/count.ts'

export interface StreamChange {
  /** Name in the configuration of JetStream, such as `max_age`. */
  readonly field: string
  readonly from: string
  readonly to: string
}

/** `max_age is 259200s instead of 3600s, storage is memory instead of file`. */
export function changesText(changes: readonly StreamChange[]): string {
  return changes.map(({ field, from, to }) => `${field} is ${from} instead of ${to}`).join(', ')
}

/** A stream of this name was created for something else. */
export const streamShape = (stream: string, changes: readonly StreamChange[]) =>
  new CallyardError(
    'conflict',
    `stream ${stream} exists with another configuration: ${changesText(changes)}`,
    {
      code: 'stream-shape',
      hint: 'choose another stream, or delete this one if nothing else uses it',
      details: { stream, changes },
    },
  )

/** The broker no longer has entries that it had acknowledged. */
export const batchLogLost = (batch: string) =>
  new CallyardError('conflict', `the broker lost entries of batch ${batch} that it had acknowledged`, {
    code: 'batch-log-lost',
    hint: 'nobody else is called: compare the calls of the service with the status of the batch, then start a batch of another name for the rest',
    details: { batch },
  })

export const spoolUnusable = (folder: string, reason: string, cause?: unknown) =>
  new CallyardError('usage', `cannot use the spool ${folder}: ${reason}`, {
    code: 'spool-unusable',
    hint: checkFolder,
    details: { folder, reason },
    cause,
  })

export const natsCredentials = (path: string, reason: string, cause: unknown) =>
  new CallyardError('invalid', `cannot read the credentials in ${path}: ${reason}`, {
    code: 'nats-credentials',
    hint: 'use the .creds file of a user, or a file with an nkey seed',
    details: { path, reason },
    cause,
  })

/** The relay ended before it could publish everything. */
export const eventsUnpublished = (events: number, folder: string) =>
  new CallyardError('partial', `${count(events, 'event is', 'events are')} not published`, {
    code: 'events-unpublished',
    hint: `they are kept in ${folder}; the next relay with this spool publishes them first`,
    details: { events, folder },
  })
