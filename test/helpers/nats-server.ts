import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, errors, type NatsConnection } from '@nats-io/transport-node'
import { onTestFinished } from 'vitest'

/** True if tests with a broker are skipped, because nats-server is not installed and CALLWRIGHT_REQUIRE_NATS is not set. */
export const skipsNats =
  process.env.CALLWRIGHT_REQUIRE_NATS === undefined &&
  spawnSync('nats-server', ['--version']).error !== undefined

export type NatsServer = Awaited<ReturnType<typeof startNatsServer>>

/** Starts a broker with JetStream on a free loopback port and a store of its own; killed when the test ends. */
export async function startNatsServer(config = 'jetstream { store_dir: "STORE" }', port?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-nats-'))
  const listenOn = port ?? (await freePort())
  const path = join(folder, 'nats.conf')
  await writeFile(
    path,
    `listen: "127.0.0.1:${listenOn}"\n${config.replaceAll('STORE', join(folder, 'store'))}\n`,
  )
  let child: ReturnType<typeof spawn> | undefined
  const start = async (...flags: string[]) => {
    const started = spawn('nats-server', ['-c', path, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    const lines = createInterface({ input: started.stderr })
    const seen: string[] = []
    for await (const line of lines) {
      seen.push(line)
      if (line.includes('Server is ready')) {
        // The pipe is drained, or the server would wait for it.
        started.stderr.resume()
        return
      }
    }
    throw new Error(`nats-server did not start:\n${seen.join('\n')}`)
  }
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    if (signal === 'SIGKILL') await exited
  }
  onTestFinished(async () => {
    child?.kill('SIGCONT')
    await kill()
    await rm(folder, { recursive: true, force: true })
  })
  await start()
  return { url: `nats://127.0.0.1:${listenOn}`, port: listenOn, restart: start, kill }
}

/** Starts three brokers as one cluster. */
export async function startNatsCluster() {
  const ports = await Promise.all([0, 1, 2].map(() => freePort()))
  const routes = ports.map(port => `nats://127.0.0.1:${port}`).join(', ')
  return Promise.all(
    ports.map((port, index) =>
      startNatsServer(
        `server_name: n${index}
jetstream { store_dir: "STORE" }
cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
      ),
    ),
  )
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
