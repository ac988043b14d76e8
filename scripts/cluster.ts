import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterConfigs, type NatsProcess, startNats } from '../test/helpers/nats-process.ts'

const firstPort = 4011

/** Starts the brokers and the relays, and ends them after Ctrl-C or when a relay ends. Returns the exit code. */
export async function runCluster(bin: string): Promise<number> {
  if (spawnSync('nats-server', ['--version']).error !== undefined) {
    console.error('nats-server is not installed. On Debian, run: apt-get install nats-server')
    return 2
  }
  const folder = await mkdtemp(join(tmpdir(), 'callyard-cluster-'))
  const stopped = new Promise<string>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
  })
  const brokers: NatsProcess[] = []
  const relays: ReturnType<typeof startRelay>[] = []
  try {
    const configs = await clusterConfigs()
    brokers.push(
      ...(await Promise.all(
        configs.map(async (config, index) => {
          const own = join(folder, `broker-${index + 1}`)
          await mkdir(own)
          return startNats({ folder: own, config, detached: true })
        }),
      )),
    )
    const servers = brokers.map(({ url }) => url).join(',')
    for (const [index] of brokers.entries()) relays.push(startRelay(bin, { servers, index, folder }))
    console.error(`
  Brokers: ${servers}
  Relays:  ${relays.map(({ url }) => url).join(' ')}

  Send the events of a call:  callyard webhook trigger call --to ${relays[0]?.url ?? ''} --messages 4
  End everything:             Ctrl-C
`)
    const end = await Promise.race([stopped, ...relays.map(({ ended }) => ended)])
    return end === 'SIGINT' ? 0 : 1
  } finally {
    for (const { stop } of relays) await stop()
    for (const broker of brokers) await broker.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

function startRelay(
  bin: string,
  { servers, index, folder }: { readonly servers: string; readonly index: number; readonly folder: string },
) {
  const [port, statusPort] = [firstPort + 10 * index, firstPort + 10 * index + 1]
  const child = spawn(
    process.execPath,
    [
      ...[bin, 'webhook', 'relay', '--nats', servers, '--spool', join(folder, `spool-${index + 1}`)],
      ...['--port', String(port), '--status-port', String(statusPort), '--max-bytes', '1gb'],
    ],
    // Ctrl-C goes to this program alone, which ends the relays before the brokers.
    { stdio: ['ignore', 'inherit', 'inherit'], detached: true },
  )
  const ended = once(child, 'exit').then(() => 'relay')
  return {
    url: `http://127.0.0.1:${port}/`,
    ended,
    async stop() {
      child.kill('SIGINT')
      await ended
    },
  }
}
