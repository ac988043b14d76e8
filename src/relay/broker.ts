import { readFile } from 'node:fs/promises'
import { JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  errors,
  headers,
  type NatsConnection,
  nkeyAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import { CallwrightError, getErrorReason } from '../lib/error.ts'
import { describeFileError } from '../lib/fs/file-error.ts'
import { relayError } from './errors.ts'
import type { RelayedMessage } from './relayed-event.ts'
import type { StoredMessage } from './segment.ts'
import { type PreparedStream, prepareStream, type StreamMode, type StreamOptions } from './stream.ts'

export interface BrokerOptions extends StreamOptions {
  /** `nats://host:port` or `tls://host:port`, without credentials. */
  readonly servers: readonly string[]
  /** Name of the connection in the broker's monitoring. */
  readonly name: string
  /** Paths of files, read for each connection, because they may be rotated. */
  readonly creds?: string | undefined
  readonly nkey?: string | undefined
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly user?: { readonly name: string; readonly password: string } | undefined
  /** Milliseconds for a connection or a response. */
  readonly timeoutMs: number
}

/** One connection. It is not repaired: after trouble, another one is opened. */
export interface Broker {
  readonly server: string
  readonly version: string
  /** Addresses of the cluster, which may outlive the given ones. */
  readonly cluster: readonly string[]
  /** Maximum size of a message with its headers. */
  readonly maxPayloadBytes: number
  readonly stream: PreparedStream
  /** Resolves with the message in the stream; `too-large` if the broker never accepts it. Rejects after trouble. */
  publish(message: RelayedMessage): Promise<(StoredMessage & { readonly isDuplicate: boolean }) | 'too-large'>
  /** True if the stream has, or had, this message. */
  isStored(message: StoredMessage): Promise<boolean>
  /** Resolves when the connection ends. */
  readonly closed: Promise<unknown>
  close(): Promise<void>
}

const notEnabledForAccount = 10039
const minimumVersion = '2.9.0'
const electionPollMs = 1000

/**
 * Connects to the first server that responds, and prepares the stream.
 * @throws CallwrightError `unreachable`, `unauthorized`, `refused`, `conflict`, or `usage` for credentials that cannot be read
 */
export async function connectBroker(options: BrokerOptions, mode: StreamMode): Promise<Broker> {
  const connection = await open(options)
  try {
    return await prepare(connection, options, mode)
  } catch (error) {
    await connection.close()
    throw error instanceof CallwrightError ? error : unreachable(options, error)
  }
}

async function open(options: BrokerOptions): Promise<NatsConnection> {
  const { servers, name, ca, cert, key, timeoutMs } = options
  const authenticator = await readAuthenticator(options)
  const isTls =
    [ca, cert, key].some(file => file !== undefined) || servers.some(server => server.startsWith('tls:'))
  try {
    return await connect({
      servers: [...servers],
      name,
      timeout: timeoutMs,
      reconnect: false,
      pingInterval: 5000,
      noAsyncTraces: true,
      ...(authenticator && { authenticator }),
      ...(isTls && {
        tls: { ...(ca && { caFile: ca }), ...(cert && { certFile: cert }), ...(key && { keyFile: key }) },
      }),
    })
  } catch (error) {
    const reason = getErrorReason(error)
    if (error instanceof errors.AuthorizationError || /authorization|authentication/i.test(reason))
      throw relayError('unauthorized', 'nats-unauthorized', { server: servers.join(', '), reason }, error)
    throw unreachable(options, error)
  }
}

async function prepare(
  connection: NatsConnection,
  options: BrokerOptions,
  mode: StreamMode,
): Promise<Broker> {
  const { info } = connection
  const server = connection.getServer()
  const version = info?.version ?? ''
  if (!isAtLeast(version, minimumVersion))
    throw relayError('refused', 'nats-too-old', { version, minimum: minimumVersion })
  const { stream, timeoutMs } = options
  const jsm = await openJetStream(connection, timeoutMs)
  const prepared = await prepareStream(jsm, options, mode)
  const js = jsm.jetstream()
  return {
    server,
    version,
    cluster: info?.connect_urls ?? [],
    maxPayloadBytes: info?.max_payload ?? 1024 ** 2,
    stream: prepared,
    async publish({ subject, id, body, headers: fields }) {
      const head = headers()
      for (const [name, value] of Object.entries(fields)) head.set(name, value)
      try {
        const { seq, duplicate } = await js.publish(subject, body, {
          msgID: id,
          headers: head,
          timeout: timeoutMs,
          expect: { streamName: stream },
        })
        return { sequence: seq, id, isDuplicate: duplicate }
      } catch (error) {
        if (isTooLarge(error)) return 'too-large'
        throw error
      }
    },
    async isStored({ sequence, id }) {
      const { state } = await jsm.streams.info(stream)
      // Older messages were removed by the limits of the stream.
      if (sequence < state.first_seq) return sequence <= state.last_seq
      if (sequence > state.last_seq) return false
      const message = await jsm.streams.getMessage(stream, { seq: sequence })
      return message?.header.get('Nats-Msg-Id') === id
    },
    closed: connection.closed(),
    close: () => connection.close(),
  }
}

/** Waits for the cluster to elect a leader: a request that arrives before gets no response. */
async function openJetStream(connection: NatsConnection, timeoutMs: number): Promise<JetStreamManager> {
  for (let leftMs = timeoutMs; ; leftMs -= electionPollMs) {
    try {
      await jetstreamManager(connection, { timeout: Math.min(leftMs, electionPollMs) })
      return await jetstreamManager(connection, { timeout: timeoutMs, checkAPI: false })
    } catch (error) {
      const isDisabled = error instanceof JetStreamApiError && error.code === notEnabledForAccount
      if (isDisabled || (error instanceof Error && error.name === 'JetStreamNotEnabled'))
        throw relayError('refused', 'no-jetstream', { server: connection.getServer() }, error)
      if (!(error instanceof errors.TimeoutError) || leftMs <= electionPollMs) throw error
    }
  }
}

async function readAuthenticator({ creds, nkey, user }: BrokerOptions): Promise<Authenticator | undefined> {
  const path = creds ?? nkey
  if (path === undefined) return user && usernamePasswordAuthenticator(user.name, user.password)
  const bytes = await readFile(path).catch(error => {
    throw relayError('usage', 'nats-credentials', { path, reason: describeFileError(error) }, error)
  })
  try {
    if (creds === undefined) return nkeyAuthenticator(Buffer.from(bytes.toString().trim()))
    const authenticator = credsAuthenticator(bytes)
    // Parses the file, which would fail later without naming it.
    authenticator('')
    return authenticator
  } catch (error) {
    throw relayError(
      'usage',
      'nats-credentials',
      { path, reason: 'it is not a file of NATS credentials' },
      error,
    )
  }
}

function unreachable({ servers }: BrokerOptions, error: unknown): CallwrightError {
  return relayError(
    'unreachable',
    'nats-unreachable',
    { servers, reason: getErrorReason(error) || 'no response' },
    error,
  )
}

/** `10054`: larger than `max_msg_size` of the stream. The client checks `max_payload` of the server. */
function isTooLarge(error: unknown): boolean {
  return (
    (error instanceof errors.InvalidArgumentError && /max_payload/.test(error.message)) ||
    (error instanceof JetStreamApiError && error.code === 10054)
  )
}

function isAtLeast(version: string, minimum: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = minimum.split('.').map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
