import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JetStreamManager, jetstreamManager, StorageType, type StreamConfig } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, errors, type NatsConnection } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'
import { clusterConfigs, type NatsProcess, startNats } from './nats-process.ts'

export type NatsServer = NatsProcess

/** Starts a broker with JetStream on a free loopback port and a store of its own; killed when the test ends. */
export async function startNatsServer(config?: string, port?: number): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-nats-'))
  let server: NatsServer | undefined
  onTestFinished(async () => {
    await server?.kill('SIGCONT')
    await server?.kill()
    await rm(folder, { recursive: true, force: true })
  })
  server = await startNats({ folder, config, port })
  return server
}

/** Starts three brokers as one cluster. */
export async function startNatsCluster(): Promise<readonly NatsServer[]> {
  return Promise.all((await clusterConfigs()).map(config => startNatsServer(config)))
}

/** Returns the messages of a stream, in order. */
export async function readStream(
  servers: string | string[],
  stream: string,
  options: ConnectionOptions = {},
) {
  const connection = await connect({ ...options, servers })
  try {
    const jsm = await managerOnceElected(connection)
    const { state } = await jsm.streams.info(stream)
    const messages: { subject: string; body: string; headers: Record<string, string> }[] = []
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await jsm.streams.getMessage(stream, { seq })
      if (message === null) continue
      const headers = Object.fromEntries(message.header.keys().map(name => [name, message.header.get(name)]))
      messages.push({ subject: message.subject, body: Buffer.from(message.data).toString(), headers })
    }
    return messages
  } finally {
    await connection.close()
  }
}

/** Adds a stream with the subjects of a relay. */
export function addStream(server: string | string[], config: Partial<StreamConfig>): Promise<unknown> {
  return manage(server, jsm =>
    jsm.streams.add({ name: 'calls', subjects: ['calls.*.*.*'], storage: StorageType.File, ...config }),
  )
}

/** Removes the messages before a sequence, as the limits of a stream do. */
export function purgeStream(server: string, before: number): Promise<unknown> {
  return manage(server, jsm => jsm.streams.purge('calls', { seq: before }))
}

export function deleteStream(server: string): Promise<unknown> {
  return manage(server, jsm => jsm.streams.delete('calls'))
}

async function manage(
  server: string | string[],
  work: (jsm: JetStreamManager) => Promise<unknown>,
): Promise<unknown> {
  const connection = await connect({ servers: server })
  try {
    return await work(await managerOnceElected(connection))
  } finally {
    await connection.close()
  }
}

/** A cluster without a leader does not respond to requests. */
async function managerOnceElected(connection: NatsConnection): Promise<JetStreamManager> {
  for (;;) {
    try {
      return await jetstreamManager(connection, { timeout: 1000 })
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) throw error
    }
  }
}
