import { defineErrors } from '../lib/error.ts'

export interface StreamChange {
  /** Name in the configuration of JetStream, such as `max_age`. */
  readonly field: string
  readonly from: string
  readonly to: string
}

export type RelayErrors = {
  'nats-unreachable': { readonly servers: readonly string[]; readonly reason: string }
  'nats-unauthorized': { readonly server: string; readonly reason: string }
  'nats-credentials': { readonly path: string; readonly reason: string }
  'nats-too-old': { readonly version: string; readonly minimum: string }
  'no-jetstream': { readonly server: string }
  /** A request to JetStream failed. */
  'jetstream-refused': { readonly stream: string; readonly reason: string }
  'jetstream-no-space': { readonly stream: string; readonly reason: string }
  'subjects-in-use': { readonly stream: string; readonly subjects: string }
  /** A stream of this name was made for something else. */
  'stream-shape': { readonly stream: string; readonly changes: readonly StreamChange[] }
  'stream-missing': { readonly stream: string }
  /** Another tail reads with this name. */
  'name-in-use': { readonly name: string; readonly isShared: boolean }
  /** Other tails of the name share its positions. */
  'positions-in-use': { readonly name: string }
  /** The broker has no batch of this name. */
  'batch-missing': { readonly batch: string }
  /** The broker no longer has entries of the log of a batch that it had acknowledged. */
  'batch-log-lost': { readonly batch: string }
  'entry-too-large': { readonly bytes: number; readonly max: number }
  'name-is-read': { readonly name: string }
  'unknown-name': { readonly name: string; readonly known: readonly string[] }
  'stream-differs': { readonly stream: string; readonly changes: readonly StreamChange[] }
  'spool-in-use': { readonly folder: string; readonly pid?: number | undefined }
  'spool-unusable': { readonly folder: string; readonly reason: string }
  'spool-of-other-stream': { readonly folder: string; readonly stream: string }
  'events-unpublished': { readonly events: number; readonly folder: string }
}

export const relayError = defineErrors<RelayErrors>()
