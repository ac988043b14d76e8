import { count, listed } from '../../lib/text/count.ts'
import type { RelayErrors, StreamChange } from '../../relay/index.ts'
import type { Messages } from './words.ts'

export const relayMessages: Messages<RelayErrors> = {
  'nats-unreachable': ({ servers, reason }) => ({
    message: `cannot connect to ${servers.join(', ')}: ${reason}`,
    hint: 'check that the server is running, and the URL and TLS flags',
  }),
  'nats-unauthorized': ({ server, reason }) => ({
    message: `${server} rejected the credentials: ${reason}`,
    hint: 'pass --nats-creds or --nats-nkey with the file of a user who may use JetStream',
  }),
  'nats-credentials': ({ path, reason }) => ({
    message: `cannot read the credentials in ${path}: ${reason}`,
    hint: 'pass the .creds file of a user to --nats-creds, or a file with an nkey seed to --nats-nkey',
  }),
  'nats-too-old': ({ version, minimum }) => ({
    message: `unsupported nats-server ${version} (minimum: ${minimum})`,
    hint: 'upgrade nats-server',
  }),
  'no-jetstream': ({ server }) => ({
    message: `JetStream is not enabled on ${server}`,
    hint: 'start nats-server with --jetstream, and enable JetStream for the account',
  }),
  'jetstream-refused': ({ stream, reason }) => ({
    message: `JetStream rejected stream ${stream}: ${reason}`,
    hint: 'check --keep, --max-bytes and the permissions of the user',
  }),
  'jetstream-no-space': ({ stream, reason }) => ({
    message: `no space for stream ${stream}: ${reason}`,
    hint: 'pass a smaller --max-bytes, or raise the storage limit of the server or account',
  }),
  'subjects-in-use': ({ stream, subjects }) => ({
    message: `another stream has the subjects ${subjects}`,
    hint: `pass another --stream than ${stream}`,
  }),
  'stream-shape': ({ stream, changes }) => ({
    message: `stream ${stream} exists with another configuration: ${changesText(changes)}`,
    hint: 'pass another --stream, or delete this one if nothing else uses it',
  }),
  'stream-missing': ({ stream }) => ({
    message: `stream ${stream} does not exist`,
    hint: 'start a relay first (callyard webhook relay --nats …), or pass its --stream',
  }),
  'name-in-use': ({ name, isShared }) => ({
    message: `another tail is reading as ${name}`,
    hint: isShared
      ? 'it does not share: stop it and start it with --share, or pass another --as'
      : 'pass another --as to receive everything too, or start all tails of this name with --share',
  }),
  'positions-in-use': ({ name }) => ({
    message: `other tails are reading as ${name}`,
    hint: 'stop them before you pass --since, --from or --new, or pass another --as',
  }),
  'batch-missing': ({ batch }) => ({
    message: `no shared batch ${batch} at this broker`,
    hint: 'start it with callyard batch run --queue, or check the name and the URL',
  }),
  'batch-log-lost': ({ batch }) => ({
    message: `the broker lost entries of batch ${batch} that it had acknowledged`,
    hint: 'nobody else is called: compare the calls of the service with callyard batch status, then start a batch with another --name for the rest',
  }),
  'entry-too-large': ({ bytes, max }) => ({
    message: `the list has ${bytes} bytes, and the broker accepts ${max}`,
    hint: 'add it in smaller parts, or raise max_payload of nats-server',
  }),
  'name-is-read': ({ name }) => ({
    message: `a tail is reading as ${name}`,
    hint: 'stop it first; the lease of a killed tail ends after 5 seconds',
  }),
  'unknown-name': ({ name, known }) => ({
    message: `no positions of ${name}`,
    hint: known.length === 0 ? 'the stream has no positions' : `the names are ${listed(known, 9)}`,
  }),
  'stream-differs': ({ stream, changes }) => ({
    message: `stream ${stream} cannot recognize repeated events: ${changesText(changes)}`,
    hint: 'run again with --update to change it; --dry-run shows the changes',
  }),
  'spool-in-use': ({ folder, pid }) => ({
    message: `another relay${pid === undefined ? '' : ` (process ${pid})`} is using ${folder}`,
    hint: 'stop it, or pass another --spool',
  }),
  'spool-unusable': ({ folder, reason }) => ({
    message: `cannot use the spool ${folder}: ${reason}`,
    hint: 'check the folder, its permissions and free disk space',
  }),
  'spool-of-other-stream': ({ folder, stream }) => ({
    message: `${folder} contains events for stream ${stream}`,
    hint: `pass --stream ${stream}, or another --spool`,
  }),
  'events-unpublished': ({ events, folder }) => ({
    message: `${count(events, 'event is', 'events are')} not published`,
    hint: `they are kept in ${folder}; the next relay with this spool publishes them first`,
  }),
}

/** `max_age is 259200s instead of 3600s, storage is memory instead of file`. */
export function changesText(changes: readonly StreamChange[]): string {
  return changes.map(({ field, from, to }) => `${field} is ${from} instead of ${to}`).join(', ')
}

/** `max_age from 259200s to 3600s`. */
export function updatesText(changes: readonly StreamChange[]): string {
  return changes.map(({ field, from, to }) => `${field} from ${from} to ${to}`).join(', ')
}
