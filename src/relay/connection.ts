import { readFile } from 'node:fs/promises'
import { JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  errors,
  type NatsConnection,
  nkeyAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'
import { systemClock } from '../lib/clock.ts'
import { CallyardError, describeFileError, getErrorReason } from '../lib/error.ts'
import { isOlder } from '../lib/text/version.ts'
import { natsCredentials } from './errors.ts'
import { isStarting, notEnabledForAccount } from './rejections.ts'

export interface ConnectionOptions {
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
export interface BrokerConnection {
  readonly server: string
  readonly version: string
  /** Addresses of the cluster, which may outlive the given ones. */
  readonly cluster: readonly string[]
  /** Resolves when the connection ends. */
  readonly closed: Promise<unknown>
  close(): Promise<void>
}

export interface OpenedConnection extends BrokerConnection {
  readonly connection: NatsConnection
  readonly jsm: JetStreamManager
  /** Milliseconds for a response. */
  readonly timeoutMs: number
}

const minimumVersion = '2.9.0'
const maxConnectMs = 3000
const electionPollMs = 1000

/**
 * Connects to the first server that responds, and prepares something over the connection, which is closed if that fails.
 * @throws CallyardError `unreachable`, `unauthorized`, `refused`, or `usage` for credentials that cannot be read
 */
export async function openConnection<Prepared>(
  options: ConnectionOptions,
  prepare: (opened: OpenedConnection) => Promise<Prepared>,
): Promise<Prepared> {
  const connection = await open(options)
  try {
    return await prepare(await describe(connection, options))
  } catch (error) {
    await connection.close()
    throw error instanceof CallyardError ? error : unreachable(options.servers, error)
  }
}

async function open(options: ConnectionOptions): Promise<NatsConnection> {
  const { servers, name, ca, cert, key, timeoutMs } = options
  const authenticator = await readAuthenticator(options)
  const isTls =
    [ca, cert, key].some(file => file !== undefined) || servers.some(server => server.startsWith('tls:'))
  try {
    return await connect({
      servers: [...servers],
      name,
      // A server that does not respond must not use up the time for the others.
      timeout: servers.length > 1 ? Math.min(timeoutMs, maxConnectMs) : timeoutMs,
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
      throw unauthorized(servers, error)
    throw unreachable(servers, error)
  }
}

async function describe(
  connection: NatsConnection,
  { timeoutMs }: ConnectionOptions,
): Promise<OpenedConnection> {
  const { info } = connection
  const version = info?.version ?? ''
  if (isOlder(version, minimumVersion))
    throw new CallyardError('refused', `unsupported nats-server ${version} (minimum: ${minimumVersion})`, {
      code: 'nats-too-old',
      hint: 'upgrade nats-server',
      details: { version, minimum: minimumVersion },
    })
  return {
    connection,
    jsm: await openJetStream(connection, timeoutMs),
    server: connection.getServer(),
    ...{ version, timeoutMs },
    cluster: info?.connect_urls ?? [],
    closed: connection.closed(),
    close: () => connection.close(),
  }
}

async function openJetStream(connection: NatsConnection, timeoutMs: number): Promise<JetStreamManager> {
  try {
    await untilElected(connection, timeoutMs, jsm => jsm.getAccountInfo())
  } catch (error) {
    const isDisabled = error instanceof JetStreamApiError && error.code === notEnabledForAccount
    if (isDisabled || (error instanceof Error && error.name === 'JetStreamNotEnabled'))
      throw noJetStream(connection.getServer(), error)
    throw error
  }
  return jetstreamManager(connection, { timeout: timeoutMs, checkAPI: false })
}

/**
 * Repeats a request while a cluster or a stream elects a leader: one that arrives before gets no response, or an error of a server that
 * does not know the stream yet.
 */
export async function untilElected<Result>(
  connection: NatsConnection,
  timeoutMs: number,
  request: (jsm: JetStreamManager) => Promise<Result>,
): Promise<Result> {
  for (let leftMs = timeoutMs; ; leftMs -= electionPollMs) {
    const timeout = Math.min(leftMs, electionPollMs)
    try {
      return await request(await jetstreamManager(connection, { timeout, checkAPI: false }))
    } catch (error) {
      const isEarly = error instanceof JetStreamApiError && isStarting(error)
      if (!(isEarly || error instanceof errors.TimeoutError) || leftMs <= electionPollMs) throw error
      if (isEarly) await systemClock.sleep(electionPollMs)
    }
  }
}

async function readAuthenticator({
  creds,
  nkey,
  user,
}: ConnectionOptions): Promise<Authenticator | undefined> {
  const path = creds ?? nkey
  if (path === undefined) return user && usernamePasswordAuthenticator(user.name, user.password)
  const bytes = await readFile(path).catch(error => {
    throw natsCredentials(path, describeFileError(error), error)
  })
  try {
    if (creds === undefined) return nkeyAuthenticator(Buffer.from(bytes.toString().trim()))
    const authenticator = credsAuthenticator(bytes)
    // Parses the file, which would fail later without naming it.
    authenticator('')
    return authenticator
  } catch (error) {
    throw natsCredentials(path, 'it is not a file of NATS credentials', error)
  }
}

function unreachable(servers: readonly string[], cause: unknown): CallyardError {
  const reason = getErrorReason(cause) || 'no response'
  return new CallyardError('unreachable', `cannot connect to ${servers.join(', ')}: ${reason}`, {
    code: 'nats-unreachable',
    hint: 'check that the server is running, and the URL and TLS settings',
    details: { servers, reason },
    cause,
  })
}

function unauthorized(servers: readonly string[], cause: unknown): CallyardError {
  const server = servers.join(', ')
  const reason = getErrorReason(cause)
  return new CallyardError('unauthorized', `${server} rejected the credentials: ${reason}`, {
    code: 'nats-unauthorized',
    hint: 'use the credentials of a user who may use JetStream',
    details: { server, reason },
    cause,
  })
}

const noJetStream = (server: string, cause: unknown) =>
  new CallyardError('refused', `JetStream is not enabled on ${server}`, {
    code: 'no-jetstream',
    hint: 'start nats-server with --jetstream, and enable JetStream for the account',
    details: { server },
    cause,
  })
