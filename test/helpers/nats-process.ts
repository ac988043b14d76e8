import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { reservePort } from './ports.ts'

export type NatsProcess = Awaited<ReturnType<typeof startNats>>

interface NatsOptions {
  /** For the configuration and the store. */
  readonly folder: string
  /** Lines of the configuration, in which `STORE` is replaced by a folder. Default: JetStream with a store. */
  readonly config?: string | undefined
  /** Default: a free one. */
  readonly port?: number | undefined
  /** True if Ctrl-C on a terminal must not end it. */
  readonly detached?: boolean
}

/** Starts a broker on loopback. The caller kills it. */
export async function startNats({
  folder,
  config = 'jetstream { store_dir: "STORE" }',
  port,
  detached = false,
}: NatsOptions) {
  const listenOn = port ?? (await reservePort())
  const path = join(folder, 'nats.conf')
  await writeFile(
    path,
    `listen: "127.0.0.1:${listenOn}"\n${config.replaceAll('STORE', join(folder, 'store'))}\n`,
  )
  let child: ReturnType<typeof spawn> | undefined
  const start = async (...flags: string[]) => {
    const started = spawn('nats-server', ['-c', path, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached,
    })
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
  await start()
  return {
    url: `nats://127.0.0.1:${listenOn}`,
    port: listenOn,
    restart: start,
    kill,
    get pid() {
      return child?.pid
    },
  }
}

/** Configurations of three brokers that are one cluster. */
export async function clusterConfigs(): Promise<readonly string[]> {
  const ports = await Promise.all([0, 1, 2].map(() => reservePort()))
  const routes = ports.map(port => `nats://127.0.0.1:${port}`).join(', ')
  return ports.map(
    (port, index) => `server_name: n${index}
jetstream { store_dir: "STORE" }
cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
  )
}
